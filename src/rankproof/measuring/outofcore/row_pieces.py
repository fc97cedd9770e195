"""Pieces of rows: a run in a format that makes rows itself, some queries or a sample of rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankproof.core import Joined, Judgments, Rows
from rankproof.measuring.outofcore.columns import concatenated, of_queries, taken, with_lines
from rankproof.measuring.outofcore.pieces import Pieces, TextPieces
from rankproof.measuring.run_sources import ids_of_text
from rankproof.reading.formats.contract import Read
from rankproof.reading.records import Order, Run

if TYPE_CHECKING:
    from rankproof.measuring.prepare import PreparedQrels


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
        """The pieces. The rows of a query that is cut at the end of a batch go before the next batch."""
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


# As in the check for documents in common: a sample of the ids, spread over the whole run.
SAMPLE = 20_000


def every_row(pieces: Pieces) -> Rows:
    """All rows at once, for callers that need them."""
    return concatenated(piece.rows() for piece in pieces.read(numbered=True))


def rows_of(pieces: Pieces, queries: Collection[str]) -> Rows:
    """The rows of some queries."""
    chosen = frozenset(queries)
    read = (piece.rows() for piece in pieces.read(numbered=True))
    return concatenated(taken(rows, of_queries(rows, chosen)) for rows in read)


def ranked_ids(
    pieces: TextPieces, order: Order, depth: int | None, queries: Collection[str] | None
) -> dict[str, bytes] | None:
    """By query its document ids in order, each followed by a newline; None where a query's lines stand apart."""
    ranked: dict[str, bytes] = {}
    for piece in pieces.read():
        ids = ids_of_text(piece.data, piece.layout, order, depth, queries)
        if ids is None or not ranked.keys().isdisjoint(ids):
            return None
        ranked |= ids
    return ranked


def sampled(pieces: Pieces, qrels: PreparedQrels) -> Rows | None:
    """Rows spread over the whole run, to say why no document of it is judged; None when one is, for any query."""
    judged = frozenset(qrels.judgments.doc_ids())
    total = 0
    for piece in pieces.read():
        rows = piece.rows()
        if not judged.isdisjoint(rows.doc_ids()):
            return None
        total += len(rows)
    step, before, samples = max(1, total // SAMPLE), 0, []
    for piece in pieces.read():
        rows = piece.rows()
        samples.append(rows.take(np.arange(-before % step, len(rows), step, dtype=np.int64)))
        before += len(rows)
    return concatenated(samples)
