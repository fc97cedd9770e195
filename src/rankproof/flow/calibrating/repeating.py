"""Stability: whether a judge that is asked again says the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankproof.flow.agreement.gathering import Grades, ratings_of
from rankproof.flow.agreement.judges import together
from rankproof.flow.agreement.leaving import by_query, figure, mean
from rankproof.records.calibration import Stability


def stability(passes: Sequence[Grades], level: float) -> Stability:
    """Over the pairs that were graded in two passes or more."""
    ratings = ratings_of({f"pass {i}": grades for i, grades in enumerate(passes, start=1)})
    rows = np.flatnonzero(ratings.given.sum(axis=1) >= 2)
    grades, given = ratings.grades[rows], ratings.given[rows]
    least = np.where(given, grades, np.iinfo(np.int64).max).min(axis=1, initial=np.iinfo(np.int64).max)
    most = np.where(given, grades, np.iinfo(np.int64).min).max(axis=1, initial=np.iinfo(np.int64).min)
    sums = by_query(ratings.queries[rows], np.column_stack([np.ones(len(rows)), least == most]))
    share = figure(sums, mean, "logit", "no pair was graded twice", len(rows), level)
    return Stability(len(passes), len(rows), share, together(ratings, level, pairwise=False).alpha["ordinal"])
