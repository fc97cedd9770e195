"""Pieces of rows: a run in a format that makes rows itself, some of them at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from rankproof.core._core import Joined, Judgments, Rows
from rankproof.flow.outofcore.columns import concatenated, with_lines
from rankproof.formats._contract import Read
from rankproof.records.order import Order
from rankproof.records.run import Run


@dataclass(frozen=True, slots=True, eq=False)
class RowsPiece:
    """Rows that are joined in the order of a Run, as the rows of a whole run are."""

    read: Rows
    own: Order

    def join(self, judgments: Judgments, order: Order, threads: int) -> Joined:
        """Put in order, then joined."""
        return join_in_order(judgments, self.read, self.own, order)

    def rows(self) -> Rows:
        """The rows as read."""
        return self.read

    def __len__(self) -> int:
        return 64 * len(self.read)


def join_in_order(judgments: Judgments, rows: Rows, own: Order, order: Order) -> Joined:
    """The join of rows put in their own order first."""
    ordered = Run.of(rows, own).rows
    return judgments.join_rows(ordered, order.by, order.ties, order.precision, order.lower_is_better)


@dataclass(frozen=True, slots=True, eq=False)
class RowPieces:
    """A file of rows. `opened` reads them from the first, as a format gives them; pieces end where queries end.

    in_order   each piece shows its rows in the order of a Run, and not as they were read
    """

    opened: Callable[[], Iterator[Read]]
    own: Order
    in_order: bool = False

    def read(self, numbered: bool = False) -> Iterator[RowsPiece]:
        """The pieces. What is left of a query at the end of what was read goes before what is read next."""
        left: list[Rows] = []
        before = 0
        for read in self.opened():
            rows = read.rows
            if not len(rows):
                continue
            if read.unit == "row":
                rows = with_lines(rows, rows.line + before)
            before += len(rows)
            changes = np.flatnonzero(np.diff(rows.query))
            if not len(changes) and (not left or left[-1].query_ids == rows.query_ids):
                left.append(rows)
                continue
            whole = concatenated([*left, rows])
            end = int(np.flatnonzero(np.diff(whole.query))[-1]) + 1
            yield self._piece(whole.take(np.arange(end, dtype=np.int64)))
            left = [whole.take(np.arange(end, len(whole), dtype=np.int64))]
        if left:
            yield self._piece(concatenated(left))

    def _piece(self, rows: Rows) -> RowsPiece:
        return RowsPiece(Run.of(rows, self.own).rows if self.in_order else rows, self.own)
