"""Values of many hypothetical rankings at once, by the measures of the shelf."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.audit.pools import Grades
from rankproof.measures._contract import Variant
from rankproof.records.judged import JudgedTable
from rankproof.records.pool import Pool

# (rank, grade) of the relevant documents that are ranked, by rank.
Ranking = tuple[tuple[int, int], ...]
Matrix = NDArray[np.float64]


def values(rankings: Sequence[Ranking], ways: Sequence[Grades], variants: Sequence[Variant], top: int) -> Matrix:
    """A row per ranking, a column per variant. `ways` has the relevant documents of each; `top` the greatest grade."""
    table = _table(rankings, ways, top)
    return np.stack([variant.measure.compute(table, variant) for variant in variants], axis=1)


def _table(rankings: Sequence[Ranking], ways: Sequence[Grades], top: int) -> JudgedTable:
    rank: list[int] = []
    doc: list[int] = []
    start, pool_start = [0], [0]
    grades: list[int] = []
    deepest: list[int] = []
    for ranking, way in zip(rankings, ways, strict=True):
        begin = pool_start[-1]
        next_of: dict[int, int] = {}
        for place, grade in enumerate(way):
            next_of.setdefault(grade, begin + place)
        for at, grade in ranking:
            rank.append(at)
            doc.append(next_of[grade])  # documents of one grade are alike: any of them will do
            next_of[grade] += 1
        grades += way
        start.append(len(rank))
        pool_start.append(len(grades))
        deepest.append(ranking[-1][0] if ranking else 0)
    ranks = np.array(rank, dtype=np.int32)
    pool = Pool(
        [str(i) for i in range(len(ways))],
        np.array(pool_start, dtype=np.int64),
        np.array(grades, dtype=np.int32),
        top_grade=top,
    )
    return JudgedTable(
        pool,
        np.ones(len(ways), dtype=bool),
        np.array(deepest, dtype=np.int64),
        np.array(start, dtype=np.int64),
        ranks,
        ranks,
        ranks,
        np.array(doc, dtype=np.int64),
    )
