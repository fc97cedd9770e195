"""Tables of an answer for other libraries: columns of text and numbers that become frames of pandas, polars and Arrow.

A value that does not exist is None here; pandas has NaN for it, polars and Arrow null. The libraries are imported on
first use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rankproof.kernel.libraries import library

DataCell = str | float | None


@dataclass(frozen=True, slots=True, eq=False)
class DataColumn:
    """One column.

    Attributes:
        name: what the column is called; several words are levels, as in (measure, system)
        values: one for each row
        kind: "number" may have None for a value that does not exist, "count" is whole and never missing
    """

    name: str | tuple[str, ...]
    values: Sequence[DataCell]
    kind: Literal["text", "number", "count"] = "number"

    @property
    def text(self) -> str:
        """The name in one text, for libraries without levels."""
        return self.name if isinstance(self.name, str) else " ".join(self.name)


@dataclass(frozen=True, slots=True, eq=False)
class DataTable:
    """Columns of equal length.

    Attributes:
        columns: the columns, from left to right
        index: how many of the first columns name the rows: the index of a pandas frame
        levels: what the words of a column's name mean, where names have several
    """

    columns: tuple[DataColumn, ...]
    index: int = 0
    levels: tuple[str, ...] = ()

    def to_pandas(self) -> Any:
        """A pandas DataFrame; the columns that name the rows are its index."""
        pandas = library("pandas", "A pandas frame")
        named, others = self.columns[: self.index], self.columns[self.index :]
        # Numbers of rows keep a table without any other column as long as it is.
        rows = range(len(self.columns[0].values)) if self.columns else range(0)
        frame = pandas.DataFrame({at: _pandas_values(column) for at, column in enumerate(others)}, index=rows)
        if self.levels:
            frame.columns = pandas.MultiIndex.from_tuples([c.name for c in others], names=self.levels)
        else:
            frame.columns = pandas.Index([column.text for column in others], dtype="object" if not others else None)
        if len(named) == 1:
            frame.index = pandas.Index(named[0].values, name=named[0].text)
        elif named:
            frame.index = pandas.MultiIndex.from_arrays([c.values for c in named], names=[c.text for c in named])
        return frame

    def to_polars(self) -> Any:
        """A polars DataFrame."""
        polars = library("polars", "A polars frame")
        kinds = {"text": polars.String, "number": polars.Float64, "count": polars.Int64}
        return polars.DataFrame([polars.Series(c.text, c.values, dtype=kinds[c.kind]) for c in self.columns])

    def to_arrow(self) -> Any:
        """A pyarrow Table."""
        arrow = library("pyarrow", "An Arrow table")
        kinds = {"text": arrow.string(), "number": arrow.float64(), "count": arrow.int64()}
        return arrow.table({c.text: arrow.array(c.values, kinds[c.kind]) for c in self.columns})

    def rows(self) -> Iterator[tuple[DataCell, ...]]:
        """The cells of each row."""
        return zip(*(column.values for column in self.columns), strict=True)


def _pandas_values(column: DataColumn) -> Any:
    """Numbers stay numbers where none, or not one, exists: pandas would make objects of a column of None."""
    import numpy as np

    if column.kind == "count":
        return np.array(column.values, dtype=np.int64)
    if column.kind == "number":
        return np.array(column.values, dtype=np.float64)  # NaN for None
    return list(column.values)
