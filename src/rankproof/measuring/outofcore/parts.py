"""Parts: what the joins of some of a run's queries gave, and all of them put together as one join would give it.

A part holds rows of judged documents only, so that the parts of a run of billions of rows fit into memory. It is plain
numbers and texts: other processes and machines can make one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rankproof.core import Joined

Whole = NDArray[np.int64]
Ranks = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class JoinPart:
    """The join of some queries. The rows of `queries[i]` are `counts[i]` of the columns, in the order of the queries.

    queries    places of judged queries in the pool, rising
    retrieved  documents in the ranking of each
    unjudged   queries of the run without judgments, in order of first appearance
    rows       rows read, judged or not
    """

    queries: Whole
    retrieved: Whole
    counts: Whole
    rank: Ranks
    tie_first: Ranks
    tie_last: Ranks
    doc: Whole
    unjudged: tuple[str, ...]
    rows: int
    faults: Mapping[str, int]
    tag: str


@dataclass(frozen=True, slots=True, eq=False)
class Together:
    """All parts as one join: the same fields as the core's `Joined`."""

    in_run: NDArray[np.bool_]
    retrieved: Whole
    start: Whole
    rank: Ranks
    tie_first: Ranks
    tie_last: Ranks
    doc: Whole
    unjudged_queries: list[str]
    rows: int
    faults: dict[str, int]
    tag: str


def part_of(joined: Joined) -> JoinPart:
    """The part that a join is, copied out of the core's memory."""
    queries = np.flatnonzero(joined.in_run)
    return JoinPart(
        queries,
        joined.retrieved[queries],
        np.diff(joined.start)[queries],
        joined.rank.copy(),
        joined.tie_first.copy(),
        joined.tie_last.copy(),
        joined.doc.copy(),
        tuple(joined.unjudged_queries),
        joined.rows,
        joined.faults,
        joined.tag,
    )


def together(parts: Sequence[JoinPart], judged: int) -> Together:
    """Parts that share no query, put together in the order of the pool, which has `judged` queries.

    Unjudged queries stand in the order of the parts; the tag is that of the last part with a row.
    """
    queries, counts = _column(parts, "queries"), _column(parts, "counts")
    order = np.argsort(queries, kind="stable")
    in_run = np.zeros(judged, dtype=np.bool_)
    in_run[queries] = True
    if in_run.sum() != len(queries):
        raise ValueError("two parts have the same query")
    retrieved, of_query = np.zeros(judged, dtype=np.int64), np.zeros(judged, dtype=np.int64)
    retrieved[queries] = _column(parts, "retrieved")
    of_query[queries] = counts
    start = np.concatenate(([0], np.cumsum(of_query)))
    # Where each row of the whole stands among the rows of the parts.
    begins = (np.cumsum(counts) - counts)[order]
    sizes = counts[order]
    turn = np.repeat(begins - (np.cumsum(sizes) - sizes), sizes) + np.arange(int(sizes.sum()))
    rank, first, last = (_ranks(parts, name)[turn] for name in ("rank", "tie_first", "tie_last"))
    return Together(
        in_run,
        retrieved,
        start.astype(np.int64),
        rank,
        first,
        last,
        _column(parts, "doc")[turn],
        list(dict.fromkeys(query for part in parts for query in part.unjudged)),
        sum(part.rows for part in parts),
        faults_of(parts),
        next((part.tag for part in reversed(parts) if part.rows), ""),
    )


def faults_of(parts: Sequence[JoinPart]) -> dict[str, int]:
    """The counts of faults of all parts."""
    total: dict[str, int] = {}
    for part in parts:
        for fault, count in part.faults.items():
            total[fault] = total.get(fault, 0) + count
    return total


def _column(parts: Sequence[JoinPart], name: str) -> Whole:
    return np.concatenate([np.zeros(0, dtype=np.int64), *(getattr(part, name) for part in parts)])


def _ranks(parts: Sequence[JoinPart], name: str) -> Ranks:
    return np.concatenate([np.zeros(0, dtype=np.int32), *(getattr(part, name) for part in parts)])
