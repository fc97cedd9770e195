"""Joining in pieces: parts of whole queries, put together; a query that stands in several pieces is brought together.

Every piece is joined when it is read. When a query occurs in a second piece, the pieces that have such queries are read
once more: their rows are put aside in files by query, and each file is joined as a piece of its own. So the order of
the lines changes no result, and no more than a piece or such a file is in memory, unless one query is larger.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from rankproof.core import Joined, Judgments, Rows
from rankproof.measuring.outofcore.columns import of_queries, put_aside, taken
from rankproof.measuring.outofcore.parts import JoinPart, Together, part_of, together
from rankproof.measuring.outofcore.pieces import Pieces, RunPiece
from rankproof.reading.records import Order

# Joins rows; the caller decides their order.
JoinRows = Callable[[Rows], Joined]
# More files than that seldom help, and a process may not have many more open.
MOST_FILES = 128
# Rows that were put aside take about so many times the bytes of the text they came from.
ROWS_TO_TEXT = 2


def join_pieces(
    pieces: Pieces, judgments: Judgments, order: Order, budget: int, join_rows: JoinRows, by_rows: bool, threads: int
) -> tuple[Together, frozenset[str]]:
    """What joining the whole run at once would give, and the queries that stand in several pieces.

    `by_rows` joins every piece by its rows, not by its text.
    """

    def join(piece: RunPiece) -> Joined:
        return join_rows(piece.rows()) if by_rows else piece.join(judgments, order, threads)

    judged = len(judgments.query_ids)
    sizes, parts = [], []
    for piece in pieces.read():
        sizes.append(len(piece))
        parts.append(part_of(join(piece)))
    scattered = scattered_queries(parts, judgments)
    if not scattered:
        return together(parts, judged), scattered
    again = _brought_together(pieces, parts, scattered, sum(sizes), judgments, budget, join_rows, join)
    whole = together(again, judged)
    # First appearances, the number of rows and the last tag are known from the first reading.
    unjudged = list(dict.fromkeys(query for part in parts for query in part.unjudged))
    tag = next((part.tag for part in reversed(parts) if part.rows), "")
    rows = sum(part.rows for part in parts)
    return replace(whole, unjudged_queries=unjudged, rows=rows, tag=tag), scattered


def scattered_queries(parts: Sequence[JoinPart], judgments: Judgments) -> frozenset[str]:
    """The queries that stand in more than one part."""
    seen: set[str] = set()
    again: set[str] = set()
    ids = judgments.query_ids
    for part in parts:
        here = {*part.unjudged, *(ids[at] for at in part.queries.tolist())}
        again |= here & seen
        seen |= here
    return frozenset(again)


def files_for(size: int, budget: int) -> int:
    """How many files rows of so many bytes are put aside in, so that each fits into an eighth of the budget."""
    return max(1, min(MOST_FILES, -(-size * ROWS_TO_TEXT * 8 // budget)))


def _brought_together(
    pieces: Pieces,
    parts: Sequence[JoinPart],
    scattered: frozenset[str],
    size: int,
    judgments: Judgments,
    budget: int,
    join_rows: JoinRows,
    join: Callable[[RunPiece], Joined],
) -> list[JoinPart]:
    ids = judgments.query_ids
    joined_parts: list[JoinPart] = []
    with put_aside(files_for(size, budget)) as aside:
        for piece, part in zip(pieces.read(), parts, strict=True):
            if scattered.isdisjoint(part.unjudged) and scattered.isdisjoint(ids[at] for at in part.queries.tolist()):
                joined_parts.append(part)
                continue
            rows = piece.rows()
            mask = of_queries(rows, scattered)
            aside.add(taken(rows, mask))
            whole = part_of(join_rows(taken(rows, ~mask)))
            # Lines that became no row are not among these rows; the first reading counted them.
            by_line = {name: part.faults[name] for name in ("wrong_columns", "undecodable_bytes")}
            joined_parts.append(replace(whole, faults={**whole.faults, **by_line}))
        joined_parts += [part_of(join_rows(rows)) for rows in aside]
    return joined_parts
