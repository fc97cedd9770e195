"""Some rows of a run that is read in pieces: all, those of some queries, or a sample."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from rankproof.core._core import Rows
from rankproof.flow import joining
from rankproof.flow.outofcore.columns import concatenated, of_queries, taken
from rankproof.flow.outofcore.pieces import Pieces, TextPieces
from rankproof.flow.prepared import PreparedQrels
from rankproof.records.order import Order

# As in the check for documents in common: a sample of the ids, spread over the whole run.
SAMPLE = 20_000


def every_row(pieces: Pieces) -> Rows:
    """All rows at once, for what cannot do without."""
    return concatenated(piece.rows() for piece in pieces.read(numbered=True))


def rows_of(pieces: Pieces, queries: Collection[str]) -> Rows:
    """The rows of some queries."""
    wanted = frozenset(queries)
    read = (piece.rows() for piece in pieces.read(numbered=True))
    return concatenated(taken(rows, of_queries(rows, wanted)) for rows in read)


def ranked_ids(
    pieces: TextPieces, order: Order, depth: int | None, queries: Collection[str] | None
) -> dict[str, bytes] | None:
    """By query its document ids in order, each followed by a newline; None where a query's lines stand apart."""
    found: dict[str, bytes] = {}
    for piece in pieces.read():
        ids = joining.ranked_ids(piece.data, piece.layout, order, depth, queries)
        if ids is None or not found.keys().isdisjoint(ids):
            return None
        found |= ids
    return found


def sampled(pieces: Pieces, qrels: PreparedQrels) -> Rows | None:
    """Rows spread over the whole run, to say why no document of it is judged; None when one is, for any query."""
    judged = frozenset(qrels.judgments.doc_ids())
    total = 0
    for piece in pieces.read():
        rows = piece.rows()
        if not judged.isdisjoint(rows.doc_ids()):
            return None
        total += len(rows)
    step, before, found = max(1, total // SAMPLE), 0, []
    for piece in pieces.read():
        rows = piece.rows()
        found.append(rows.take(np.arange(-before % step, len(rows), step, dtype=np.int64)))
        before += len(rows)
    return concatenated(found)
