"""Rows gathered one by one, from formats and objects that are not text in columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral, Real
from typing import SupportsFloat, cast

import numpy as np

from rankproof.core import Rows
from rankproof.errors import InputError
from rankproof.reading.finding import Unit
from rankproof.reading.formats._names import NO_CHOICE, ColumnChoice, ColumnPlaces, by_name, no_columns
from rankproof.reading.formats._table import is_number
from rankproof.reading.formats.contract import Noun, Read, Topics


def id_text(value: object, where: str) -> str:
    """An id as text: numbers become their digits; nothing else is an id."""
    if isinstance(value, str):
        if not value:
            raise InputError(f"{where}: an id is empty. Give every query and document an id.")
        if not value.isascii():
            _refuse_half(value, where)
        return value
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(int(value))
    if isinstance(value, Real) and not isinstance(value, bool):
        number = float(value)
        if not math.isfinite(number):
            raise InputError(f"{where}: an id is missing (got {value}). Give every query and document an id.")
        return str(int(number)) if number.is_integer() else repr(number)
    raise InputError(f"{where}: {value!r:.80} cannot be an id. An id is a text or a number.")


def _refuse_half(value: str, where: str) -> None:
    """InputError for half of a surrogate pair, which JSON can spell and no file can hold; bytes of a file are kept."""
    try:
        value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        half = value[error.start]
        raise InputError(
            f"{where}: the id {value!r:.80} holds half a character ({half!r}), which no file can hold. Write ids as "
            "UTF-8 text."
        ) from None


def refuse_list_in_text(text: str, where: str) -> None:
    """InputError for a list that was written as a text, such as "['a', 'b']": CSV files have no other way for it."""
    if text.startswith("[") and text.endswith("]"):
        raise InputError(
            f"{where}: {text!r:.80} is a list that was written as text, as CSV files keep lists, and no id. Read it "
            "back first (of pandas: frame[column].map(ast.literal_eval)), or keep the table as JSON lines or Parquet."
        )


def number_of(value: object, where: str, what: str) -> float:
    """A score, grade or rank as a number. NaN and infinity pass: the checks name them."""
    # A decimal is no Real to Python; its module is not loaded for rows that have none.
    if isinstance(value, Real) or type(value).__name__ == "Decimal":
        try:
            return float(cast(SupportsFloat, value))
        except OverflowError:  # a whole number beyond every double
            return -math.inf if isinstance(value, int) and value < 0 else math.inf
    if isinstance(value, str) and is_number(value.strip()):
        return float(value)
    raise InputError(f"{where}: {value!r:.80} is not a number, but a {what} must be one.")


def add_topic(topics: Topics, query: str, text: str, where: str) -> None:
    """Adds a topic; refuses an id that is already there or empty."""
    if not query:
        raise InputError(f"{where}: the query id is empty.")
    if query in topics:
        raise InputError(f"{where}: query {query!r:.80} already has a text. Keep one of the two.")
    topics[query] = text


class Gather:
    """Collects rows into columns. All rows of a source have a score or none has."""

    __slots__ = (
        "_begun", "_doc", "_label", "_line", "_noun", "_number", "_query", "_rank", "_ranked", "_scored", "source",
    )  # fmt: skip

    def __init__(self, noun: Noun, source: str) -> None:
        self.source = source
        self._noun = noun
        self._query: list[str] = []
        self._doc: list[str] = []
        self._number: list[float] = []
        self._rank: list[int] = []
        self._label: list[str] = []
        self._line: list[int] = []
        self._begun = self._scored = self._ranked = False

    def add(
        self,
        query: object,
        doc: object,
        number: object = None,
        rank: object = None,
        label: object = None,
        line: int = 0,
    ) -> None:
        """One row. None stands for a column that the source does not have."""
        if not self._begun:
            self._begun, self._scored, self._ranked = True, number is not None, rank is not None
        elif (number is not None) is not self._scored or (rank is not None) is not self._ranked:
            # A null in some rows and numbers in others is a gap in a column, not a missing column.
            scores = "grade" if self._noun == "qrels" else "score"
            what = "rank" if (rank is not None) is not self._ranked else scores
            where = self._where(line)
            raise InputError(f"{where}: some rows have a {what} and some have none. Give all rows one.")
        self._query.append(query if type(query) is str and query else id_text(query, self._where(line)))
        self._doc.append(doc if type(doc) is str and doc else id_text(doc, self._where(line)))
        if number is not None:
            what = "grade" if self._noun == "qrels" else "score"
            self._number.append(number if type(number) is float else number_of(number, self._where(line), what))
        if rank is not None:
            self._rank.append(self._whole(rank, line))
        self._label.append("" if label is None else str(label))
        if line:
            self._line.append(line)

    def _where(self, line: int) -> str:
        return f"{self.source}, line {line}" if line else f"{self.source}, row {len(self._label) + 1}"

    def _whole(self, rank: object, line: int) -> int:
        value = number_of(rank, self._where(line), "rank")
        if not (value.is_integer() and 0 <= value < 2**53):
            raise InputError(f"{self._where(line)}: {rank!r:.80} is not a rank. A rank is a whole number from 1 on.")
        return int(value)

    def add_record(self, record: Mapping[str, object], columns: Mapping[str, str], line: int = 0) -> None:
        """One row from an object with named fields."""
        values = [record[columns[role]] if role in columns else None for role in _ROLES]
        for role, value in zip(_ROLES[:-1], values, strict=False):
            if value is None and role in columns:
                raise InputError(f"{self._where(line)}: {columns[role]!r:.80} is null. Give it a value.")
        query, doc, number, rank, label = values
        self.add(query, doc, number, rank, label, line)

    def __len__(self) -> int:
        return len(self._query)

    @property
    def unit(self) -> Unit:
        """What `rows.line` counts: lines where the rows came with their lines."""
        return "line" if self._line else "row"

    def taken(self) -> Rows:
        """The rows so far, which are then dropped; every later row must still have the columns of the first one."""
        rows = self.rows()
        for column in (self._query, self._doc, self._number, self._rank, self._label, self._line):
            column.clear()
        return rows

    def rows(self) -> Rows:
        """The rows for the core."""
        n = len(self._query)
        return Rows.from_columns(
            self._query,
            self._doc,
            np.array(self._number, dtype=np.float64) if self._number and len(self._number) == n else None,
            np.array(self._rank, dtype=np.int64) if self._rank and len(self._rank) == n else None,
            self._label if any(self._label) else None,
            np.array(self._line, dtype=np.int64) if self._line and len(self._line) == n else None,
        )


_ROLES = ("query", "doc", "number", "rank", "label")


def record_columns(
    keys: Iterable[str], noun: Noun, where: str, choice: ColumnChoice = NO_CHOICE
) -> tuple[dict[str, str], bool]:
    """Which key of a record means what, and whether lower is better."""
    names = list(keys)
    columns = by_name(names, noun, choice)
    if columns is None:
        raise no_columns(names, noun, choice, where)
    if columns.doubt:
        raise InputError(f"{where}: {columns.doubt}")
    return named(names, columns), columns.lower_is_better


def named(names: Sequence[str], columns: ColumnPlaces) -> dict[str, str]:
    """Role -> name, for the columns that are there."""
    places = {role: getattr(columns, role) for role in _ROLES}
    return {role: names[at] for role, at in places.items() if at >= 0}


def gather_records(
    records: Iterable[tuple[int, Mapping[str, object]]], noun: Noun, source: str, choice: ColumnChoice = NO_CHOICE
) -> Read:
    """Rows from objects with named fields, each with its line (0 where there are no lines)."""
    *_, read = gather_pieces(records, noun, source, choice=choice)
    return read


def gather_pieces(
    records: Iterable[tuple[int, Mapping[str, object]]],
    noun: Noun,
    source: str,
    rows: int | None = None,
    choice: ColumnChoice = NO_CHOICE,
) -> Iterator[Read]:
    """Like `gather_records`, about `rows` rows at a time where that is given; the last piece may be empty."""
    gather = Gather(noun, source)
    seen: dict[tuple[str, ...], tuple[dict[str, str], bool]] = {}
    lower: set[bool] = set()
    notes: dict[str, None] = {}

    def piece() -> Read:
        if len(lower) > 1:
            raise InputError(f"{source}: some rows have a score and some a distance. Give all rows the same.")
        unit = gather.unit
        return Read(gather.taken(), tuple(notes), lower == {True}, unit)

    for line, record in records:
        keys = tuple(record)
        if keys not in seen:
            where = f"{source}, line {line}" if line else f"{source}, row {len(gather) + 1}"
            seen[keys] = record_columns(keys, noun, where, choice)
            columns, is_distance = seen[keys]
            lower.add(is_distance)
            notes[", ".join(f"{_word(role, noun)} from {name!r}" for role, name in columns.items())] = None
        gather.add_record(record, seen[keys][0], line)
        if rows is not None and len(gather) >= rows:
            yield piece()
    yield piece()


def _word(role: str, noun: Noun) -> str:
    words = {"doc": "document"}
    words |= {"number": "grade", "label": "subtopic"} if noun == "qrels" else {"number": "score", "label": "tag"}
    return words.get(role, role)
