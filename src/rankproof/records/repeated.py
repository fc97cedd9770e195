"""A table in which queries stand several times, so that one pass of a measure sees many orders of each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.records.judged import JudgedTable
from rankproof.records.pool import Pool
from rankproof.records.subtopics import Subtopics

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
