"""Each judge by themselves: how often they agree with the others, and how often they are right where that is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from rankproof.flow.agreement.judges import LEVEL
from rankproof.flow.agreement.leaving import METHOD, by_query, figure, mean
from rankproof.records.agreement import Figure, Found, Ratings
from rankproof.records.assignment import GoldAnswer
from rankproof.records.estimate import NotEstimable
from rankproof.records.judging import Judgment

ALONE = "nobody else graded the same pairs"
EXACT = "Clopper-Pearson"


def with_others(ratings: Ratings, level: float = LEVEL) -> dict[str, Found]:
    """By judge: of the grades that others gave to the pairs that the judge graded, the share that is the same."""
    found: dict[str, Found] = {}
    queries = ratings.queries
    for column, judge in enumerate(ratings.judges):
        others = ratings.given.copy()
        others[:, column] = False
        others &= ratings.given[:, [column]]
        same = (ratings.grades == ratings.grades[:, [column]]) & others
        rows = np.flatnonzero(others.any(axis=1))
        if not len(rows):
            found[judge] = NotEstimable(ALONE, METHOD, 0)
            continue
        sums = by_query(queries[rows], np.column_stack([others.sum(axis=1), same.sum(axis=1)])[rows].astype(float))
        found[judge] = figure(sums, mean, "logit", ALONE, len(rows), level)
    return found


def on_gold(
    judgments: Iterable[Judgment], gold: Sequence[GoldAnswer], level: float = LEVEL
) -> dict[str, Figure | NotEstimable]:
    """By judge: the share of gold questions that they graded as is known to be right.

    The interval is the exact one of Clopper and Pearson, which takes questions for independent.
    source: Clopper and Pearson, The use of confidence or fiducial limits, Biometrika 26(4), 1934
    """
    from scipy.special import betaincinv

    known = {(answer.query_id, answer.doc_id): answer.grade for answer in gold}
    asked: dict[str, list[tuple[str, bool]]] = {}
    for act in judgments:
        pair = (act.query_id, act.doc_id)
        if act.grade is not None and pair in known:
            asked.setdefault(act.judge, []).append((act.query_id, act.grade == known[pair]))
    found: dict[str, Figure | NotEstimable] = {}
    for judge, answers in asked.items():
        n, right = len(answers), sum(good for _, good in answers)
        tail = (1 - level) / 2
        low = float(betaincinv(right, n - right + 1, tail)) if right else 0.0
        high = float(betaincinv(right + 1, n - right, 1 - tail)) if right < n else 1.0
        queries = len({query for query, _ in answers})
        found[judge] = Figure(right / n, low, high, level, EXACT, n, queries)
    return found
