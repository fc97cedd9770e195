"""Read gold spans and retrieved chunks: dicts by query, columns, frames, JSON lines, CSV and TSV.

One path for every form: whatever comes becomes `Columns`, and the checks see columns only.

    {"q1": [{"doc_id": "d1", "start": 0, "end": 40}]}         by query; tuples and Span too; in rank order for chunks
    {"query_id": [...], "doc_id": [...], "start": [...], "end": [...]}      columns: lists, arrays, or a frame
    {"query_id": "q1", "doc_id": "d1", "start": 0, "end": 40}               a JSON line for each span
    {"query_id": "q1", "spans": [{"doc_id": "d1", ...}]}                    a JSON line for each query (or "chunks")

Gold may have `grade`; chunks may have `chunk_id`, and `rank` or `score`, without which the order given is the ranking.
"""

from __future__ import annotations

import csv
import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import itemgetter
from sys import intern
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError
from rankproof.measuring.spans.records import GoldSpans, RetrievedChunks, Span, Unit, Whole, refuse_bad_ranges
from rankproof.reading.hugging_face import unwrapped
from rankproof.reading.source import FileLike, Source, is_file_like, open_source, require_text

NEEDED = ("query_id", "doc_id", "start", "end")
# Rows of a table that are taken at once.
BATCH = 1 << 16
OF_GOLD = ("grade",)
OF_CHUNKS = ("chunk_id", "rank", "score")


@dataclass(slots=True)
class Columns:
    """What was read: values by column, as they came; `empty` are queries that stand there without a span.

    row   what a message calls row i: its line, or its number
    """

    name: str
    values: dict[str, Sequence[Any] | NDArray[Any]]
    empty: list[str] = field(default_factory=list)
    row: Whole | None = None
    noun: str = "row"

    def place(self, at: int) -> str:
        """The source with the line or row of row `at`."""
        return f"{self.name}, {self.noun} {at + 1 if self.row is None else self.row[at]}"


def read_gold(
    what: object, lengths: Mapping[str, int] | None = None, *, unit: Unit = "chars", name: str = ""
) -> GoldSpans:
    """Gold spans in any form that the module names. `lengths` of documents, where given, are held against the ends."""
    if isinstance(what, GoldSpans):
        return what
    columns = _columns(what, name or "gold", "spans", OF_GOLD)
    query_ids, query = _coded(columns, "query_id", columns.empty)
    doc_ids, doc = _coded(columns, "doc_id")
    start, end = _whole(columns, "start"), _whole(columns, "end")
    grade = _whole(columns, "grade") if "grade" in columns.values else np.ones(len(query), dtype=np.int64)
    gold = GoldSpans(query_ids, doc_ids, query, doc, start, end, grade, unit, columns.name)
    refuse_bad_ranges(gold, lengths, _rows(columns, len(query)), columns.noun)
    if not query_ids:
        raise InputError(f"{columns.name} has no query. Give one or more spans: query_id, doc_id, start, end.")
    return gold


def read_chunks(
    what: object, lengths: Mapping[str, int] | None = None, *, unit: Unit = "chars", name: str = ""
) -> RetrievedChunks:
    """Retrieved chunks in any form that the module names, best first; by `rank` or `score` where there is one."""
    if isinstance(what, RetrievedChunks):
        return what
    columns = _columns(what, name or "chunks", "chunks", OF_CHUNKS)
    query_ids, query = _coded(columns, "query_id", columns.empty)
    doc_ids, doc = _coded(columns, "doc_id")
    start, end = _whole(columns, "start"), _whole(columns, "end")
    turn = _order(columns, query, query_ids)
    ids = columns.values.get("chunk_id")
    if ids is not None:
        names, code = _coded(columns, "chunk_id")
        ids = [names[at] for at in code[turn].tolist()]
    chunks = RetrievedChunks(
        query_ids, doc_ids, query[turn], doc[turn], start[turn], end[turn], ids, unit, columns.name
    )  # fmt: skip
    refuse_bad_ranges(chunks, lengths, _rows(columns, len(query))[turn], columns.noun)
    return chunks


def _rows(columns: Columns, count: int) -> Whole:
    return np.arange(1, count + 1) if columns.row is None else columns.row


def _order(columns: Columns, query: Whole, query_ids: Sequence[str]) -> Whole:
    """The rows by query and rank. Equal scores keep the order given; two chunks of one rank are refused."""
    values = columns.values
    if "rank" in values and "score" in values:
        raise InputError(f"{columns.name} has a rank and a score. Keep the one that orders the chunks.")
    if "score" in values:
        score = _numbers(columns, "score")
        return np.lexsort((-score, query))
    if "rank" not in values:
        return np.argsort(query, kind="stable")
    rank = _whole(columns, "rank")
    turn = np.lexsort((rank, query))
    same = np.flatnonzero((np.diff(query[turn]) == 0) & (np.diff(rank[turn]) == 0))
    if len(same):
        at = int(turn[same[0] + 1])
        raise InputError(
            f"{columns.place(at)}, query {query_ids[int(query[at])]!r:.80}: two chunks have rank {rank[at]}. "
            "Give each chunk of a query a rank of its own."
        )
    return turn


# ---- forms ---------------------------------------------------------------------------------------


def _columns(what: object, name: str, listed: str, extra: tuple[str, ...]) -> Columns:
    """The columns in any form. `listed` is the key of a query's list in a JSON line."""
    if is_file_like(what):
        return _from_file(what, listed, extra)
    what = unwrapped(what)
    if isinstance(what, Mapping):
        if all(column in what for column in NEEDED):
            return _from_columns(what, name, extra)
        return _from_queries(((query, rows, None) for query, rows in what.items()), name, extra)
    from rankproof.kernel.libraries import library
    from rankproof.reading.collect import as_table

    table, _ = as_table(what)  # refused there where it is no table
    whole = library("pyarrow", "A table of spans").table(table)
    return _from_columns({column: _arrow_values(whole[column]) for column in whole.column_names}, name, extra)


def _arrow_values(column: Any) -> Sequence[Any]:
    """A column of Arrow: numbers as an array, all else as Python values."""
    is_plain = not column.null_count and str(column.type).startswith(("int", "uint", "float", "double"))
    values: Sequence[Any] = column.to_numpy() if is_plain else column.to_pylist()
    return values


def _from_columns(given: Mapping[Any, Any], name: str, extra: tuple[str, ...]) -> Columns:
    """Columns by name; others than those that are read are left alone."""
    _require(given, name, extra)
    values = {column: given[column] for column in (*NEEDED, *extra) if column in given}
    for column, listed in values.items():
        if isinstance(listed, str | bytes) or not hasattr(listed, "__len__"):
            raise InputError(f"{name}: the column {column!r} is no list or array of values; got {listed!r:.40}.")
    sizes = {column: len(listed) for column, listed in values.items()}
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"{column} {size}" for column, size in sizes.items())
        raise InputError(f"{name}: the columns have different lengths ({told}). Give each a value for every row.")
    return Columns(name, values)


def _from_file(what: FileLike, listed: str, extra: tuple[str, ...]) -> Columns:
    from rankproof.reading.segments import delimited
    from rankproof.reading.stream import objects

    source = open_source(what)
    require_text(source)
    plain = _plain_table(source, extra)
    if plain is not None:
        return plain
    text = source.text().removeprefix("\ufeff")
    if not text.lstrip().startswith("{"):
        rows = delimited(text, source.name, "span")
        if not rows:
            raise InputError(f"{source.name} has no rows. Give a header line and one line per span.")
        _refuse_exchanged(rows[0], source.name, extra)
        _require(rows[0], source.name, extra)
        values = {c: [row[c] for row in rows] for c in (*NEEDED, *extra) if c in rows[0]}
        lines = np.arange(2, len(rows) + 2)
        return Columns(source.name, {c: _parsed(c, listed) for c, listed in values.items()}, row=lines, noun="line")
    queries = []
    for line, record in objects(text, source.name):
        _refuse_exchanged(record, f"{source.name}, line {line}", extra)
        if listed in record:
            queries.append((record.get("query_id"), record[listed], line))
        else:
            queries.append((record.get("query_id"), [record], line))
    return _from_queries(queries, source.name, extra)


def _plain_table(source: Source, extra: tuple[str, ...]) -> Columns | None:
    """A CSV or TSV file in which every number is one, without a Python object for each number.

    None for whatever is odd in it: the general reader then says what and where, or reads it all the same.
    """
    begins = bytes(source.head).removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0]
    if begins.lstrip().startswith(b"{"):
        return None
    from rankproof.reading.datasets.documents import lines_of

    lines = (line.removeprefix("\ufeff") if number == 1 else line for number, line in lines_of(source))
    rows = csv.reader(
        lines, delimiter="\t" if b"\t" in begins else ";" if b";" in begins and b"," not in begins else ","
    )
    try:
        header = next(rows, [])
        places = {column: header.index(column) for column in (*NEEDED, *extra) if column in header}
        if not places.keys() >= set(NEEDED) or len(set(header)) < len(header):
            return None
        _refuse_exchanged(dict.fromkeys(header), source.name, extra)
        kept: dict[str, Any] = {c: [] if c.endswith("_id") else array("d" if c == "score" else "q") for c in places}
        number: list[int] = []
        while batch := list(islice(rows, BATCH)):
            if set(map(len, batch)) != {len(header)}:
                return None  # a line that is short, long or blank
            for (column, values), cells in zip(kept.items(), _cut(batch, places), strict=True):
                read = intern if column.endswith("_id") else float if column == "score" else int
                values.extend(map(read, cells))
            number.append(len(batch))
        if rows.line_num != sum(number) + 1 or not number:
            return None  # a field over several lines: rows are not lines
    except (ValueError, OverflowError, csv.Error):
        return None
    values = {
        c: v if isinstance(v, list) else np.frombuffer(v, np.float64 if c == "score" else np.int64)
        for c, v in kept.items()
    }
    return Columns(source.name, values, row=np.arange(2, sum(number) + 2), noun="line")


def _cut(batch: list[list[str]], places: Mapping[str, int]) -> Iterator[Iterator[str]]:
    """The cells of each column of a batch."""
    return (map(itemgetter(at), batch) for at in places.values())


def _refuse_exchanged(record: Mapping[str, Any], where: str, extra: tuple[str, ...]) -> None:
    """InputError where a file of gold has what only chunks have, or the other way around: the files are exchanged."""
    as_chunks = next((key for key in ("chunks", "rank", "score") if key in record), "")
    as_gold = next((key for key in ("spans", "grade") if key in record), "")
    if extra == OF_GOLD and as_chunks and not as_gold:
        raise InputError(
            f"{where}: {as_chunks!r} is of retrieved chunks, and gold spans are read here. Are gold and chunks "
            "exchanged? Gold comes first; where this is gold, leave out that column."
        )
    if extra == OF_CHUNKS and as_gold and not as_chunks and "chunk_id" not in record:
        raise InputError(
            f"{where}: {as_gold!r} is of gold spans, and chunks are read here. Are gold and chunks exchanged? Gold "
            "comes first; where these are chunks, leave out that column."
        )


def _parsed(column: str, texts: list[str]) -> list[Any]:
    """Texts of a CSV file as the numbers they are; what is no number stays a text, and is refused with its line."""
    if column in ("query_id", "doc_id", "chunk_id"):
        return texts
    read: Callable[[str], Any] = float if column == "score" else int
    values: list[Any] = []
    for text in texts:
        try:
            values.append(read(text))
        except ValueError:
            values.append(text)
    return values


def _from_queries(queries: Iterable[tuple[Any, Any, int | None]], name: str, extra: tuple[str, ...]) -> Columns:
    """Rows listed by query. A row is a mapping, a Span, or a tuple: document, start, end and, of gold, the grade."""
    names = (*NEEDED[1:], *extra)
    values: dict[str, list[Any]] = {column: [] for column in (*NEEDED, *extra)}
    empty: list[str] = []
    places: list[int] = []
    noun = "row"
    for query, rows, line in queries:
        noun = "row" if line is None else "line"
        where = f"{name}, query {query!r:.80}" if line is None else f"{name}, line {line}"
        if isinstance(rows, str | bytes | Mapping) or not isinstance(rows, Iterable):
            raise InputError(f"{where}: a list of spans is needed; got {rows!r:.60}.")
        before = len(places)
        for row in rows:
            for column, cell in zip(names, _cells(row, extra, where), strict=True):
                values[column].append(cell)
            values["query_id"].append(query)
            places.append(len(places) + 1 if line is None else line)
        if len(places) == before:
            empty.append(query)
    kept: dict[str, Sequence[Any] | NDArray[Any]] = {
        column: cells for column, cells in values.items() if column in NEEDED or any(c is not None for c in cells)
    }
    if "grade" in kept:  # a span without a grade has 1
        kept["grade"] = [1 if cell is None else cell for cell in kept["grade"]]
    return Columns(name, kept, empty, np.array(places, dtype=np.int64), noun)


def _cells(row: object, extra: tuple[str, ...], where: str) -> list[Any]:
    """The cells of one row: document, start, end, and those of `extra`, None where it has none."""
    if isinstance(row, Mapping):
        _require(row, where, extra, NEEDED[1:])
        return [row.get(column) for column in (*NEEDED[1:], *extra)]
    if isinstance(row, Span):
        return [*row[:3], row.grade] if extra == OF_GOLD else [*row[:3], *[None] * len(extra)]
    if isinstance(row, tuple | list) and (len(row) == 3 or (len(row) == 4 and extra == OF_GOLD)):
        return [*row, *[None] * (3 + len(extra) - len(row))]
    raise InputError(f"{where}: a span is a mapping with {', '.join(NEEDED[1:])}, or a tuple of them; got {row!r:.80}.")


def _require(given: Mapping[Any, Any], where: str, extra: tuple[str, ...], needed: tuple[str, ...] = NEEDED) -> None:
    missing = [column for column in needed if column not in given]
    if missing:
        there = ", ".join(map(repr, list(given)[:10])) or "nothing"
        raise InputError(
            f"{where}: {', '.join(missing)} is missing; there is {there}. Give {', '.join(needed)} "
            f"and, where you have it, {', '.join(extra)}."
        )


# ---- values --------------------------------------------------------------------------------------


def _coded(columns: Columns, column: str, further: Iterable[str] = ()) -> tuple[tuple[str, ...], Whole]:
    """Ids as numbers in order of first appearance, and the ids; `further` ids stand at the end."""
    values = columns.values[column]
    listed = values.tolist() if isinstance(values, np.ndarray) else values
    try:
        distinct = dict.fromkeys(listed)
        distinct.update(dict.fromkeys(further))
    except TypeError:  # a list or an object stands where an id should
        distinct = {None: None}
    table: dict[str, int] = {}
    code = {value: table.setdefault(str(value), len(table)) for value in distinct if _is_id(value)}
    if len(code) < len(distinct):
        raise _no_id(columns, column, *next((i, v) for i, v in enumerate([*listed, *further]) if not _is_id(v)))
    return tuple(table), np.fromiter(map(code.__getitem__, listed), np.int64, len(listed))


def _is_id(value: object) -> bool:
    """Whether a value is a text, or a whole number, which is the text of its digits."""
    return (isinstance(value, str) and value != "") or type(value) is int or isinstance(value, np.integer)


def _no_id(columns: Columns, column: str, at: int, value: object) -> InputError:
    place = columns.place(at) if at < len(columns.values[column]) else columns.name
    return InputError(f"{place}: {column} must be a text or a whole number; got {value!r:.60}. Write ids as texts.")


def _whole(columns: Columns, column: str) -> Whole:
    """The column as whole numbers; refused, with the place, where a value is none."""
    values = columns.values[column]
    array = _as_array(values)
    if array is not None and array.dtype.kind == "i":
        return array.astype(np.int64)
    if array is not None and array.dtype.kind == "f":  # as frames have them, where a value was missing once
        with np.errstate(invalid="ignore"):
            fits = (np.abs(array) < 2**53) & (array == np.floor(array))
        if fits.all():
            return array.astype(np.int64)
        raise _no_number(columns, column, int(np.argmin(fits)), "a whole number below 2^53")
    for at, value in enumerate(values):
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not whole or not -(2**63) <= int(value) < 2**63:
            raise _no_number(columns, column, at, "a whole number below 2^63")
    return np.array([int(value) for value in values], dtype=np.int64)


def _numbers(columns: Columns, column: str) -> NDArray[np.float64]:
    """The column as finite numbers."""
    values = columns.values[column]
    array = _as_array(values)
    if array is None or array.dtype.kind not in "if":
        for at, value in enumerate(values):
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
                raise _no_number(columns, column, at, "a finite number")
        array = np.array(values, dtype=np.float64)
    numbers: NDArray[np.float64] = array.astype(np.float64)
    finite = np.isfinite(numbers)
    if not finite.all():
        raise _no_number(columns, column, int(np.argmin(finite)), "a finite number")
    return numbers


def _as_array(values: Sequence[Any] | NDArray[Any]) -> NDArray[Any] | None:
    """The values as an array of one kind of number; None where they are mixed or no numbers."""
    if isinstance(values, np.ndarray):
        return values if values.dtype.kind in "if" and values.ndim == 1 else None
    kinds = set(map(type, values))
    if not kinds <= {int, float, np.int64, np.int32, np.float64}:
        return None
    try:
        return np.array(values, dtype=np.int64 if kinds <= {int, np.int64, np.int32} else np.float64)
    except OverflowError:
        return None


def _no_number(columns: Columns, column: str, at: int, what: str) -> InputError:
    value = columns.values[column][at]
    shown = value.item() if isinstance(value, np.generic) else value
    return InputError(f"{columns.place(at)}: {column} must be {what}; got {shown!r:.60}.")
