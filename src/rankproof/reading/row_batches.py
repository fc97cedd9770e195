"""Rows of a table batch by batch in bounded memory: CSV, TSV, JSON (compressed or plain) and Parquet.

JSON is objects by line, an array of objects, or an answer of `_search` (see json_documents.py).

For logs and other tables that may be larger than memory. The kind of a file is recognized by how it begins. The
column of a JSON object within an object is named with points: `position.ordinal`.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UnknownName, Unreadable
from rankproof.kernel.sections import counted
from rankproof.reading.arrow import pyarrow as arrow_library
from rankproof.reading.json_documents import is_answer, is_array, objects_of_answer, objects_of_array
from rankproof.reading.source import STDIN
from rankproof.reading.stream import HEAD, plain_stream

if TYPE_CHECKING:
    from _csv import Reader

    import pyarrow

# The values of a column, None where a row has none; numbers without gaps are an array.
Column = Sequence[object]
# Where each row stands, and the columns.
NumberedColumns = tuple[Sequence[int], Mapping[str, Column]]
SEPARATORS = "\t,;|"
PARQUET = b"PAR1"
# JSON objects that are read for the names of columns; a later object may have other names.
LOOKED_AT = 1000


@dataclass(frozen=True, slots=True)
class RowSource:
    """An open table.

    names      of its columns, as far as they are known
    closed     whether these are all; JSON lines may have others further down
    """

    names: tuple[str, ...]
    closed: bool
    unit: str
    batches: Iterator[NumberedColumns]

    def may_have(self, column: str) -> bool:
        """Whether the column is there, or could be."""
        return column in self.names or (not self.closed and column.partition(".")[0] in self.names)


@contextmanager
def opened(path: str, name: str, columns: Sequence[str], rows: int) -> Iterator[RowSource]:
    """The table of a path, or of standard input for `-`; all columns where none is named."""
    with plain_stream(path, name) as file:
        head = file.peek(HEAD)[:HEAD]
        if head.startswith(PARQUET):
            yield _parquet(path, name, columns, rows)
            return
        if b"\0" in head:
            raise Unreadable(f"{name} is a binary file. Give CSV, TSV, JSON lines or Parquet.")
        text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        try:
            begins = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
            if is_array(begins):
                yield _json(objects_of_array(text, name), "object", columns, rows)
            elif is_answer(begins):
                yield _json(objects_of_answer(text, name), "object", columns, rows)
            elif begins.lstrip()[:1] == "{":
                yield _json(_objects(text, name), "line", columns, rows)
            else:
                yield _delimited(text, name, columns, rows)
        except UnicodeDecodeError as error:
            raise Unreadable(f"{name} is not UTF-8 text ({error.reason}). Write it anew as UTF-8.") from None
        finally:
            text.detach()


def _delimited(text: io.TextIOWrapper, name: str, columns: Sequence[str], rows: int) -> RowSource:
    first = text.readline()
    if not first.strip():
        raise InputError(f"{name} has no header. The first line of CSV or TSV must name its columns.")
    separator = max(SEPARATORS, key=first.count)
    reader = csv.reader(chain((first,), text), delimiter=separator, strict=True)
    names = tuple(field.strip() for field in _next(reader, name) or ())
    for at, column in enumerate(names):
        if not column or column in names[:at]:
            fault = f"names {column!r} twice" if column else f"has no name for column {at + 1}"
            raise InputError(f"{name}, line 1: the header {fault}. Give every column a name of its own.")
    chosen = [(column, at) for at, column in enumerate(names) if not columns or column in columns]
    return RowSource(names, True, "line", _cut(reader, name, len(names), chosen, rows))


def _cut(
    reader: Reader, name: str, width: int, chosen: Sequence[tuple[str, int]], rows: int
) -> Iterator[NumberedColumns]:
    while True:
        numbers: list[int] = []
        batch: list[list[str]] = []
        while len(batch) < rows and (row := _next(reader, name)) is not None:
            if not row:
                continue  # an empty line
            if len(row) != width:
                raise InputError(
                    f"{name}, line {reader.line_num}: {counted(len(row), 'field')}, "
                    f"but the header has {counted(width, 'column')}. "
                    "Put fields that hold the separator in quotes."
                )
            numbers.append(reader.line_num)
            batch.append(row)
        if not batch:
            return
        yield numbers, {column: [row[at] or None for row in batch] for column, at in chosen}


def _next(reader: Reader, name: str) -> list[str] | None:
    try:
        row: list[str] | None = next(reader, None)
    except csv.Error as error:
        raise InputError(f"{name}, line {reader.line_num}: this is not CSV ({error}).") from None
    return row


def _json(records: Iterator[tuple[int, dict[str, object]]], unit: str, columns: Sequence[str], rows: int) -> RowSource:
    looked = list(islice(records, LOOKED_AT))
    names = tuple(dict.fromkeys(key for _, record in looked for key in record))
    paths = {column: tuple(column.split(".")) for column in columns or names}
    return RowSource(names, False, unit, _gathered(chain(looked, records), paths, rows))


def _objects(text: io.TextIOWrapper, name: str) -> Iterator[tuple[int, dict[str, object]]]:
    import msgspec

    # A file is cut at line feeds and carriage returns, which JSON has nowhere else, and not at Unicode's separators.
    decode: Callable[[str], object] = msgspec.json.Decoder().decode
    for number, line in enumerate(text, start=1):
        if not line.strip():
            continue
        try:
            record = decode(line)
        except (msgspec.DecodeError, RecursionError) as error:
            raise InputError(f"{name}, line {number}: this is not JSON ({error}). Give one object per line.") from None
        if not isinstance(record, dict):
            raise InputError(f"{name}, line {number}: this is not a JSON object. Give one object per line.")
        yield number, record


def _gathered(
    records: Iterator[tuple[int, dict[str, object]]], paths: Mapping[str, Sequence[str]], rows: int
) -> Iterator[NumberedColumns]:
    while batch := list(islice(records, rows)):
        values = {column: [_within(record, path) for _, record in batch] for column, path in paths.items()}
        yield [number for number, _ in batch], values


def _within(record: Mapping[str, object], path: Sequence[str]) -> object:
    """The value at a path of keys; a key that is the whole path, points included, takes precedence."""
    if len(path) == 1:
        return record.get(path[0])
    whole = ".".join(path)
    if whole in record:
        return record[whole]
    value: object = record
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _parquet(path: str, name: str, columns: Sequence[str], rows: int) -> RowSource:
    if path == STDIN:
        raise Unreadable("Parquet cannot be read from standard input, because reading starts at its end. Name a file.")
    arrow = arrow_library("A Parquet file", "online")
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(path)
        names = tuple(file.schema_arrow.names)
    except (OSError, arrow.ArrowException) as error:
        raise Unreadable(f"{name} cannot be read as Parquet: {_sentence(error)}") from None
    tops = dict.fromkeys(column.partition(".")[0] if column not in names else column for column in columns)
    paths = {column: (column,) if column in names else tuple(column.split(".")) for column in columns or names}

    def batches() -> Iterator[NumberedColumns]:
        first = 1
        try:
            for batch in file.iter_batches(batch_size=rows, columns=[top for top in tops or names if top in names]):
                read = {top: _plain(batch.column(top)) for top in batch.schema.names}
                numbers = range(first, first + batch.num_rows)
                first += batch.num_rows
                yield numbers, {column: _taken(read, keys) for column, keys in paths.items() if keys[0] in read}
        except (OSError, arrow.ArrowException) as error:
            raise Unreadable(f"{name} is damaged: {_sentence(error)}") from None

    return RowSource(names, False, "row", batches())


def _sentence(error: Exception) -> str:
    """The message of another library, with one full stop at its end."""
    return f"{str(error).rstrip('. ')}."


def _plain(column: pyarrow.Array) -> Column:
    """Numbers without gaps as an array, everything else as objects."""
    import pyarrow.types as types

    if column.null_count == 0 and (types.is_integer(column.type) or types.is_floating(column.type)):
        numbers: Column = column.to_numpy(zero_copy_only=False)
        return numbers
    values: Column = column.to_pylist()
    return values


def _taken(read: Mapping[str, Column], keys: Sequence[str]) -> Column:
    top = read[keys[0]]
    return top if len(keys) == 1 else [_within({keys[0]: value}, keys) for value in top]


ROWS = 100_000
YES = frozenset({"true", "1", "yes", "t", "y", "1.0"})
NO = frozenset({"false", "0", "no", "f", "n", "0.0"})


@dataclass(frozen=True, slots=True, eq=False)
class RowBatch:
    """Some rows of a table, in columns.

    source    the name of the file in messages
    unit      what it counts its rows in: "line" of a text, "object" of a JSON document, "row" of Parquet
    numbers_of_rows   where each row stands, from 1
    """

    source: str
    unit: str
    numbers_of_rows: Sequence[int]
    columns: Mapping[str, Column]

    def __len__(self) -> int:
        return len(self.numbers_of_rows)

    def where(self, row: int) -> str:
        """The place of a row, for messages: "clicks.csv, line 8"."""
        return f"{self.source}, {self.unit} {self.numbers_of_rows[row]}"

    def has(self, name: str) -> bool:
        """Whether the table has that column, as far as this batch shows."""
        return name in self.columns

    def values(self, name: str) -> Sequence[Any]:
        """The column as in the file; None where a row has no value."""
        if name not in self.columns:
            raise missing_column(name, self.columns, self.source)
        return self.columns[name]

    def texts(self, name: str) -> list[str]:
        """The column as texts; an error for a row without one. Whole numbers are ids too."""
        return [self._text(value, name, row) for row, value in enumerate(self.values(name))]

    def numbers(self, name: str) -> NDArray[np.float64]:
        """The column as numbers; NaN where a row has no value, an error for a value that is not a finite number."""
        column = self.values(name)
        if isinstance(column, np.ndarray) and column.dtype.kind in "iuf":
            numbers: NDArray[np.float64] = column.astype(np.float64)
            wrong = np.flatnonzero(np.isinf(numbers))
            if len(wrong):
                raise self._no_number(column[wrong[0]], name, int(wrong[0]))
            return numbers
        if set(map(type, column)) <= {str, int, float}:
            with suppress(ValueError, OverflowError):  # the value that is not a number is named below, by its row
                quick = np.array(column, dtype=np.float64)
                if np.isfinite(quick).all():
                    return quick
        return np.array([self._number(value, name, row) for row, value in enumerate(column)], dtype=np.float64)

    def flags(self, name: str) -> list[bool | None]:
        """The column as booleans; None where a row has no value."""
        return [self._flag(value, name, row) for row, value in enumerate(self.values(name))]

    def _text(self, value: object, name: str, row: int) -> str:
        if isinstance(value, str) and value:
            return value
        if isinstance(value, int | np.integer) and not isinstance(value, bool | np.bool_):
            return str(value)
        if value is None or value == "":
            raise InputError(f"{self.where(row)}: {name} is missing. Every row needs one.")
        raise InputError(f"{self.where(row)}: {name} must be a text or a whole number; got {value!r:.60}.")

    def _number(self, value: Any, name: str, row: int) -> float:
        if value is None or value == "":
            return math.nan
        try:
            if isinstance(value, bool | list | dict):
                raise ValueError
            number = float(value)
        except (ValueError, TypeError, OverflowError):
            raise self._no_number(value, name, row) from None
        if isinstance(value, float | np.floating) and math.isnan(number):
            return math.nan  # missing values as data frames write them
        if not math.isfinite(number):
            raise self._no_number(value, name, row)
        return number

    def _no_number(self, value: object, name: str, row: int) -> InputError:
        return InputError(f"{self.where(row)}: {name} must be a finite number or empty; got {value!r:.60}.")

    def _flag(self, value: object, name: str, row: int) -> bool | None:
        if value is None or value == "":
            return None
        if isinstance(value, bool | np.bool_):
            return bool(value)
        word = str(value).casefold()
        if word in YES:
            return True
        if word in NO:
            return False
        raise InputError(f"{self.where(row)}: {name} must be true or false (or 1 or 0); got {value!r:.60}.")


def stream(
    path: str, columns: Sequence[str] = (), optional: Sequence[str] = (), *, rows: int = ROWS
) -> Iterator[RowBatch]:
    """The rows of a file, or of standard input for `-`, in its order; at least one batch, unless it has no row.

    columns    those that must exist; all columns where neither these nor optional ones are named
    optional   those that are read where they exist
    """
    name = "<stdin>" if path == STDIN else path
    with opened(path, name, (*columns, *optional), rows) as source:
        for column in columns:
            if not source.may_have(column):
                raise missing_column(column, source.names, name)
        for numbers, values in source.batches:
            yield RowBatch(name, source.unit, numbers, values)


def header(path: str) -> tuple[str, ...]:
    """The names of the columns; of JSON lines those of the first objects."""
    name = "<stdin>" if path == STDIN else path
    with opened(path, name, (), LOOKED_AT) as source:
        return source.names


def first_rows(path: str, rows: int) -> RowBatch | None:
    """The first rows, for a guess of what the columns are; None for a table without a row."""
    return next(islice(stream(path, rows=rows), 1), None)


def missing_column(column: str, known: Iterable[str], source: str) -> InputError:
    """The error for a column that is missing."""
    hint = str(UnknownName("column", column, known)).partition(". ")[2]
    return InputError(f"{source} has no column {column!r}. {hint}")
