"""Tables derived from a JudgedTable, which is never changed: cut, condensed, selected, reordered, regraded, ..."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankproof.core import by_rank
from rankproof.measuring.judged_table import JudgedTable, Negatives, Pool
from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.subtopics import Subtopics


def _rows(
    table: JudgedTable,
    keep: NDArray[np.bool_],
    retrieved: NDArray[np.int64],
    rank: NDArray[np.int32] | None = None,
    tie_first: NDArray[np.int32] | None = None,
    tie_last: NDArray[np.int32] | None = None,
) -> JudgedTable:
    """The rows a mask keeps, with new ranks where given (arrays over the rows that stay)."""
    start = np.concatenate(([0], np.cumsum(table.count(keep))))
    return JudgedTable(
        table.pool,
        table.in_run,
        retrieved,
        start,
        table.rank[keep] if rank is None else rank,
        table.tie_first[keep] if tie_first is None else tie_first,
        table.tie_last[keep] if tie_last is None else tie_last,
        table.doc[keep],
        table.order,
        table.unjudged_queries,
        table.subtopics,
    )


def cut(table: JudgedTable, depth: int) -> JudgedTable:
    """Only the first `depth` documents of each ranking (trec_eval's -M)."""
    depth = min(depth, np.iinfo(np.int32).max)  # no ranking is deeper, and NumPy takes no larger number
    keep = table.rank <= depth
    return _rows(table, keep, np.minimum(table.retrieved, depth))


def condensed(table: JudgedTable) -> JudgedTable:
    """Unjudged documents removed from each ranking before ranks are given (trec_eval's -J)."""
    keep = table.judged
    position = table.running(keep)[keep].astype(np.int32)
    # A tie group of the condensed list is what is left of the old one: rows of a query with one tie_first.
    query, first = table.query[keep], table.tie_first[keep]
    new = np.ones(len(first), dtype=bool)
    new[1:] = (query[1:] != query[:-1]) | (first[1:] != first[:-1])
    group = np.cumsum(new) - 1
    heads = np.flatnonzero(new)
    tails = np.append(heads, len(first))[1:] - 1
    return _rows(table, keep, table.count(keep), position, position[heads][group], position[tails][group])


def select(table: JudgedTable, keep: NDArray[np.bool_]) -> JudgedTable:
    """Only the queries that a mask over queries keeps."""
    if keep.all():
        return table
    rows = keep[table.query]
    pool = table.pool.select(keep)
    # Where the pool of each remaining query begins, old against new: rows point into the pool's columns.
    shift = table.pool.start[:-1][keep] - pool.start[:-1]
    counts = np.diff(table.start)[keep]
    return JudgedTable(
        pool,
        table.in_run[keep],
        table.retrieved[keep],
        np.concatenate(([0], np.cumsum(counts))),
        table.rank[rows],
        table.tie_first[rows],
        table.tie_last[rows],
        table.doc[rows] - np.repeat(shift, counts),
        table.order,
        table.unjudged_queries,
        None if table.subtopics is None else table.subtopics.select(keep, shift),
    )


def read_negatives(table: JudgedTable, negatives: Negatives) -> JudgedTable:
    """The same table with grades below 0 read in another way."""
    if table.pool.negatives == negatives:
        return table
    return JudgedTable(
        table.pool.read_negatives(negatives), table.in_run, table.retrieved, table.start, table.rank,
        table.tie_first, table.tie_last, table.doc, table.order, table.unjudged_queries, table.subtopics,
    )  # fmt: skip


def reranked(table: JudgedTable, rank: NDArray[np.int32]) -> JudgedTable:
    """The same documents at other ranks (one per row of `table`); rows are sorted anew within each query."""
    turn = by_rank(table.start, rank)
    return JudgedTable(
        table.pool, table.in_run, table.retrieved, table.start, rank[turn], table.tie_first[turn],
        table.tie_last[turn], table.doc[turn], table.order, table.unjudged_queries, table.subtopics,
    )  # fmt: skip


def regraded(table: JudgedTable, grade: NDArray[np.int32]) -> JudgedTable:
    """The same rankings with other grades (one per pooled document of `table`); pools are sorted anew."""
    pool = table.pool
    best, least = int(grade.max(initial=0)), int(grade.min(initial=0))
    # One key instead of two: queries stand in order already, which a stable sort of one key makes use of.
    turn = np.argsort(pool.query * (best - least + 1) + (best - grade.astype(np.int64)), kind="stable")
    place = np.empty(len(turn), dtype=np.int64)
    place[turn] = np.arange(len(turn))
    return JudgedTable(
        Pool(pool.query_ids, pool.start, grade[turn], pool.negatives, pool.top_grade),
        table.in_run, table.retrieved, table.start, table.rank, table.tie_first, table.tie_last,
        place[table.doc], table.order, table.unjudged_queries,
    )  # fmt: skip


def unjudged(table: JudgedTable, drop: NDArray[np.bool_], pool: Pool) -> JudgedTable:
    """The same rankings as if the pooled documents of a mask had never been judged; `pool` is the pool without them."""
    left = table.pool.count(~drop) > 0
    keep = ~drop[table.doc]
    place = np.cumsum(~drop) - 1
    lost = np.flatnonzero(~left & table.in_run).tolist()
    return JudgedTable(
        pool,
        table.in_run[left],
        table.retrieved[left],
        np.concatenate(([0], np.cumsum(table.count(keep)[left]))),
        table.rank[keep],
        table.tie_first[keep],
        table.tie_last[keep],
        place[table.doc[keep]],
        table.order,
        (*table.unjudged_queries, *(table.pool.query_ids[q] for q in lost)),
        None if table.subtopics is None else table.subtopics.without(drop, left),
    )


Indices = NDArray[np.int64]


def repeated(table: JudgedTable, queries: Indices) -> JudgedTable:
    """The given queries of a table, in the order given, each as often as it is named."""
    pool = table.pool
    graded, pool_start = _spans(pool.start, queries)
    rows, start = _spans(table.start, queries)
    # How far each query's pool moved: rows and subtopics point into the pool's columns.
    shift = pool_start[:-1] - pool.start[queries]
    subtopics = table.subtopics
    if subtopics is not None:
        entries, entry_start = _spans(subtopics.start, queries)
        subtopics = Subtopics(
            entry_start,
            subtopics.number[queries],
            subtopics.doc[entries] + np.repeat(shift, np.diff(entry_start)),
            subtopics.subtopic[entries],
            subtopics.grade[entries],
        )
    return JudgedTable(
        Pool(
            [pool.query_ids[q] for q in queries.tolist()],
            pool_start,
            pool.grade[graded],
            pool.negatives,
            pool.top_grade,
        ),
        table.in_run[queries],
        table.retrieved[queries],
        start,
        table.rank[rows],
        table.tie_first[rows],
        table.tie_last[rows],
        table.doc[rows] + np.repeat(shift, np.diff(start)),
        table.order,
        table.unjudged_queries,
        subtopics,
    )


def _spans(start: Indices, queries: Indices) -> tuple[Indices, Indices]:
    """Indices of all entries of the given queries, one query after the other, and where each begins."""
    sizes = np.diff(start)[queries]
    begins = np.concatenate(([0], np.cumsum(sizes)))
    return np.repeat(start[queries] - begins[:-1], sizes) + np.arange(begins[-1]), begins


def without_undefined(
    variants: Sequence[Variant], on: Sequence[JudgedTable]
) -> tuple[list[JudgedTable], tuple[str, ...]]:
    """Leaves the queries where any measure is undefined out of every table, so that all have one population."""
    out: dict[str, None] = {}
    for variant, table in zip(variants, on, strict=True):
        undefined = variant.measure.undefined(table, variant)
        out.update(dict.fromkeys(table.pool.query_ids[i] for i in np.flatnonzero(undefined).tolist()))
    chosen: dict[int, JudgedTable] = {}
    for table in on:
        if id(table) not in chosen:
            keep = np.array([query not in out for query in table.pool.query_ids], dtype=bool)
            chosen[id(table)] = select(table, keep)
    return [chosen[id(table)] for table in on], tuple(out)
