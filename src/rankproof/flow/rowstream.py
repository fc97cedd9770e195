"""Rows of a table, batch by batch, in bounded memory: CSV, TSV, JSON lines (packed or plain) and Parquet.

For logs and other tables that may be larger than memory. What a file is, is seen from how it begins. The column of a
JSON object within an object is named with points: `position.ordinal`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UnknownName
from rankproof.flow import rowsources
from rankproof.flow.opening import STDIN

ROWS = 100_000
YES = frozenset({"true", "1", "yes", "t", "y", "1.0"})
NO = frozenset({"false", "0", "no", "f", "n", "0.0"})


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some rows of a table, in columns.

    source    what messages call the file
    unit      what it counts its rows in: "line" of a text, "row" of Parquet
    numbers_of_rows   where each row stands, from 1
    """

    source: str
    unit: str
    numbers_of_rows: Sequence[int]
    columns: Mapping[str, Sequence[Any]]

    def __len__(self) -> int:
        return len(self.numbers_of_rows)

    def where(self, row: int) -> str:
        """The place of a row, for messages: "clicks.csv, line 8"."""
        return f"{self.source}, {self.unit} {self.numbers_of_rows[row]}"

    def has(self, name: str) -> bool:
        """Whether the table has that column, as far as this batch shows."""
        return name in self.columns

    def values(self, name: str) -> Sequence[Any]:
        """The column as the file has it; None where nothing stands."""
        if name not in self.columns:
            raise missing_column(name, self.columns, self.source)
        return self.columns[name]

    def texts(self, name: str) -> list[str]:
        """The column as texts; an error for a row without one. Whole numbers are ids too."""
        return [self._text(value, name, row) for row, value in enumerate(self.values(name))]

    def numbers(self, name: str) -> NDArray[np.float64]:
        """The column as numbers; NaN where nothing stands, an error for what is no finite number."""
        column = self.values(name)
        if isinstance(column, np.ndarray) and column.dtype.kind in "iuf":
            found = column.astype(np.float64)
            wrong = np.flatnonzero(np.isinf(found))
            if len(wrong):
                raise self._no_number(column[wrong[0]], name, int(wrong[0]))
            return found
        if set(map(type, column)) <= {str, int, float}:
            with suppress(ValueError, OverflowError):  # what is no number is named below, by its row
                quick = np.array(column, dtype=np.float64)
                if np.isfinite(quick).all():
                    return quick
        return np.array([self._number(value, name, row) for row, value in enumerate(column)], dtype=np.float64)

    def flags(self, name: str) -> list[bool | None]:
        """The column as yes and no; None where nothing stands."""
        return [self._flag(value, name, row) for row, value in enumerate(self.values(name))]

    def _text(self, value: Any, name: str, row: int) -> str:
        if isinstance(value, str) and value:
            return value
        if isinstance(value, int | np.integer) and not isinstance(value, bool | np.bool_):
            return str(value)
        if value is None or value == "":
            raise InputError(f"{self.where(row)}: {name} is missing. Every row needs one.")
        raise InputError(f"{self.where(row)}: {name} is a text or a whole number; {value!r:.60} came.")

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
            return math.nan  # how frames write what is missing
        if not math.isfinite(number):
            raise self._no_number(value, name, row)
        return number

    def _no_number(self, value: Any, name: str, row: int) -> InputError:
        return InputError(f"{self.where(row)}: {name} is a finite number, or empty; {value!r:.60} came.")

    def _flag(self, value: Any, name: str, row: int) -> bool | None:
        if value is None or value == "":
            return None
        if isinstance(value, bool | np.bool_):
            return bool(value)
        said = str(value).casefold()
        if said in YES:
            return True
        if said in NO:
            return False
        raise InputError(f"{self.where(row)}: {name} is true or false (or 1 or 0); {value!r:.60} came.")


def stream(
    path: str, columns: Sequence[str] = (), optional: Sequence[str] = (), *, rows: int = ROWS
) -> Iterator[Batch]:
    """The rows of a file, or of standard input for `-`, in its order; at least one batch, unless it has no row.

    columns    those that must be there; without any, and without optional ones, all that are there
    optional   those that are wanted where they are there
    """
    name = "<stdin>" if path == STDIN else path
    with rowsources.opened(path, name, (*columns, *optional), rows) as source:
        for column in columns:
            if not source.may_have(column):
                raise missing_column(column, source.names, name)
        for numbers, found in source.batches:
            yield Batch(name, source.unit, numbers, found)


def header(path: str) -> tuple[str, ...]:
    """The names of the columns; of JSON lines those of the first objects."""
    name = "<stdin>" if path == STDIN else path
    with rowsources.opened(path, name, (), rowsources.LOOKED_AT) as source:
        return source.names


def first_rows(path: str, rows: int) -> Batch | None:
    """The first rows, for a guess of what the columns are; None for a table without a row."""
    return next(islice(stream(path, rows=rows), 1), None)


def missing_column(column: str, known: Mapping[str, Any] | Sequence[str], source: str) -> InputError:
    """What to say where a column is not there."""
    hint = str(UnknownName("column", column, known)).partition(". ")[2]
    return InputError(f"{source} has no column {column!r}. {hint}")
