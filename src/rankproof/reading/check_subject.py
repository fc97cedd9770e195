"""What a check looks at: rows, what they are compared with, and columns that several checks share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from rankproof.reading.finding import Unit, number, quote
from rankproof.reading.records import DEFAULT_ORDER, Order

if TYPE_CHECKING:
    from rankproof.core import Rows

T = TypeVar("T")

# States of a number column, as in the compiled core (`Rows.OK` ...).
OK, NOT_A_NUMBER, INFINITE, ABSENT, NAN = range(5)

# A rank that could not be read as a whole number; -1 is "no rank column".
BAD_RANK = -2


class Subject:
    """Rows to be checked. Columns derived from them are computed once, on first use.

    `shape` says what a line should look like. `again` reads the same text once more without room for columns
    beyond the format's own: what are then faults and were none before are lines with something at their end.
    `unit` says what `rows.line` counts.
    """

    __slots__ = (
        "_memo", "again", "cutoffs", "max_depth", "noun", "order", "qrels", "rows", "shape", "source",
        "topics", "unit",
    )  # fmt: skip

    def __init__(
        self,
        rows: Rows,
        noun: str,
        source: str,
        *,
        qrels: Rows | None = None,
        topics: Sequence[str] | None = None,
        cutoffs: Sequence[int] = (),
        max_depth: int = 100,
        order: Order = DEFAULT_ORDER,
        shape: str = "",
        again: Callable[[], Rows] | None = None,
        unit: Unit = "line",
    ) -> None:
        self.rows = rows
        self.noun = noun
        self.source = source
        self.qrels = qrels
        self.topics = topics
        self.cutoffs = tuple(sorted(set(cutoffs)))
        self.max_depth = max_depth
        self.order = order
        self.shape = shape
        self.again = again
        self.unit: Unit = unit
        self._memo: dict[Hashable, Any] = {}

    def __len__(self) -> int:
        return len(self.rows)

    def remember(self, key: Hashable, compute: Callable[[], T]) -> T:
        """`compute()`, once; later calls with the same key give the same object."""
        try:
            return cast(T, self._memo[key])
        except KeyError:
            value = self._memo[key] = compute()
            return value

    # ---- one row, in words ---------------------------------------------------------------------

    def line(self, row: int) -> int | None:
        """The line of a row, or None where the source has no lines."""
        line = int(self.rows.line[row])
        return line if line > 0 else None

    def query_id(self, row: int) -> str:
        """The query of a row."""
        return self.query_ids[int(self.rows.query[row])]

    def doc_id(self, row: int) -> str:
        """The document of a row."""
        return self.rows.doc_id(row)

    def query_name(self, row: int) -> str:
        """The query of a row, quoted for a message."""
        return quote(self.query_id(row))

    def doc_name(self, row: int) -> str:
        """The document of a row, quoted for a message."""
        return quote(self.doc_id(row))

    def number(self, row: int) -> str:
        """The score or grade of a row, for a message."""
        return number(float(self.rows.number[row]))

    def on_line(self, row: int) -> str:
        """' on line 7' (' in row 7' for other sources), or nothing where rows have no number."""
        line = self.line(row)
        if line is None:
            return ""
        return f" on line {line}" if self.unit == "line" else f" in row {line}"

    # ---- columns -------------------------------------------------------------------------------

    @property
    def query_ids(self) -> list[str]:
        """The queries, in order of first appearance."""
        return self.remember("query_ids", lambda: self.rows.query_ids)

    @property
    def depth(self) -> NDArray[np.int64]:
        """For each query, its number of rows."""
        return self.remember("depth", lambda: np.bincount(self.rows.query, minlength=len(self.query_ids)))

    @property
    def first_row(self) -> NDArray[np.int64]:
        """For each query, its first row."""
        return self.remember("first_row", self._first_row)

    def _first_row(self) -> NDArray[np.int64]:
        first = np.zeros(len(self.query_ids), dtype=np.int64)
        # Written from the last row to the first, so that the first of each query stays.
        first[self.rows.query[::-1]] = np.arange(len(self) - 1, -1, -1)
        return first

    @property
    def has_scores(self) -> bool:
        """Whether the source has a score (or grade) column at all."""
        return self.remember("has_scores", lambda: bool((self.rows.state != ABSENT).any()))

    @property
    def ranked_by_score(self) -> bool:
        """Whether scores decide the order; not so for lists in given order."""
        return self.order.by == "score" and self.has_scores

    @property
    def by_score(self) -> NDArray[np.int64]:
        """Rows in the order that scores give them, query after query."""
        order = self.order
        return self.remember(
            "by_score",
            lambda: self.rows.sorted("score", order.ties, order.precision, order.lower_is_better),
        )

    @property
    def start(self) -> NDArray[np.int64]:
        """Where each query begins in `by_score`, and the end."""
        return self.remember("start", lambda: np.concatenate(([0], np.cumsum(self.depth))))

    @property
    def by_rank(self) -> NDArray[np.int64]:
        """Rows with a readable rank, by query and then by rank; best score first where ranks are equal."""
        return self.remember("by_rank", self._by_rank)

    def _by_rank(self) -> NDArray[np.int64]:
        rows = np.flatnonzero(self.rows.rank >= 0)
        query, rank = self.rows.query[rows], self.rows.rank[rows]
        up = query[1:] == query[:-1]
        if bool((np.where(up, rank[1:] > rank[:-1], query[1:] > query[:-1])).all()):
            return rows  # the usual file is already sorted
        score = self.rows.number[rows]
        best_first = score if self.order.lower_is_better else -score
        turn: NDArray[np.int64] = np.lexsort((best_first, rank, query))
        return rows[turn]
