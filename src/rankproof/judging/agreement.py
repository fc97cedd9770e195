"""Agreement of each judge with the others and with known answers, and ratings from the judgments of a store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from rankproof.judging.records import GoldAnswer, Judgment
from rankproof.kernel.estimate import NotEstimable
from rankproof.proving.agreement import LEVEL, ratings_table
from rankproof.proving.agreement_records import AgreementAnswer, AgreementFigure, Ratings
from rankproof.proving.agreement_statistics import METHOD, by_query, figure, mean

ALONE = "nobody else graded the same pairs"
EXACT = "Clopper-Pearson"


def with_others(ratings: Ratings, level: float = LEVEL) -> dict[str, AgreementAnswer]:
    """By judge: of the grades that others gave to the pairs that the judge graded, the share that is the same."""
    figures: dict[str, AgreementAnswer] = {}
    queries = ratings.queries
    for column, judge in enumerate(ratings.judges):
        others = ratings.given.copy()
        others[:, column] = False
        others &= ratings.given[:, [column]]
        same = (ratings.grades == ratings.grades[:, [column]]) & others
        rows = np.flatnonzero(others.any(axis=1))
        if not len(rows):
            figures[judge] = NotEstimable(ALONE, METHOD, 0)
            continue
        sums = by_query(queries[rows], np.column_stack([others.sum(axis=1), same.sum(axis=1)])[rows].astype(float))
        figures[judge] = figure(sums, mean, "logit", ALONE, len(rows), level)
    return figures


def on_gold(
    judgments: Iterable[Judgment], gold: Sequence[GoldAnswer], level: float = LEVEL
) -> dict[str, AgreementFigure | NotEstimable]:
    """By judge: the share of gold questions that they graded as is known to be right.

    The interval is the exact one of Clopper and Pearson, which takes questions for independent.
    source: Clopper and Pearson, The use of confidence or fiducial limits, Biometrika 26(4), 1934
    """
    from scipy.special import betaincinv

    known = {(answer.query_id, answer.doc_id): answer.grade for answer in gold}
    answered: dict[str, list[tuple[str, bool]]] = {}
    for act in judgments:
        pair = (act.query_id, act.doc_id)
        if act.grade is not None and act.source.alone and pair in known:
            answered.setdefault(act.judge, []).append((act.query_id, act.grade == known[pair]))
    figures: dict[str, AgreementFigure | NotEstimable] = {}
    for judge, answers in answered.items():
        n, right = len(answers), sum(good for _, good in answers)
        tail = (1 - level) / 2
        low = float(betaincinv(right, n - right + 1, tail)) if right else 0.0
        high = float(betaincinv(right + 1, n - right, 1 - tail)) if right < n else 1.0
        queries = len({query for query, _ in answers})
        figures[judge] = AgreementFigure(right / n, low, high, level, EXACT, n, queries)
    return figures


def ratings_of_judgments(judgments: Iterable[Judgment]) -> Ratings:
    """What holds now in a store, by judge. A judgment without a grade is no rating, nor what others' words led to."""
    by_judge: dict[str, dict[tuple[str, str], int]] = {}
    for judgment in judgments:
        if judgment.grade is not None and judgment.source.alone:
            by_judge.setdefault(judgment.judge, {})[judgment.query_id, judgment.doc_id] = judgment.grade
    pairs = list(dict.fromkeys(pair for grades in by_judge.values() for pair in grades))
    return ratings_table(pairs, tuple(by_judge), list(by_judge.values()))
