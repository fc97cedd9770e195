"""Paired t-test, Gaffke's bound where few queries changed, an exact test where values are 0 or 1: the default.

A change of a search engine leaves most queries as they are. On such pairs the t interval is too short, whatever their
number: with 80% of the queries unchanged it lets a true regression pass in up to 21 of 100 cases where 5 are promised.
So t is used where at least 12 queries, and at least half of all, changed, and not all by the same; else the bounds are
Gaffke's, which need only the range of one difference. The rule looks at how many queries changed, never at which way.
Where queries come in clusters, at least half of these must have changed too, and at least 12 for a one-sided bound, 5
for a two-sided interval; and none may have half of the weight, since then its mean hides what all others say. Where t
is not used for such a reason and the range of a score is not known, the answer is not estimable.

Where every value of a score is 0 or 1, as those of success, exact match and pass or fail are, differences are -1, 0 and
1, and the answer is `mcnemar`, which is exact for any number of queries and of changes. That takes queries drawn one by
one: with weights, strata or clusters, and for means of repetitions, the rule above stays.

A two-sided answer by t on queries drawn one by one is Student's, as everywhere. A one-sided bound, which a gate decides
by, has no second side on which it errs less: few queries that lose much are missing from many samples, and Student's
bound lets a true regression pass in 7.5 of 100 cases of AP with 25 queries. So its degrees of freedom are those that
the spread really has, by the kurtosis of the differences, where that is fewer than n - 1: 2 n / (kurtosis - (n - 3) /
(n - 1)), with the kurtosis times (n + 1) / (n - 1), so that normal differences have 3 on average.

Where queries have weights, strata or clusters, or were asked several times, two-sided intervals have these degrees of
freedom too, and every bound reaches further on the side of the longer tail, as Hall's transformation of t asks for by
the skewness of the mean; of a one-sided bound by 1.3 times that skewness, since samples show less than there is. Bounds
so made hold for differences as skewed as exponential ones; a tail that no query showed is beyond them, and notes say
where few clusters or few queries of a stratum could miss one.

about: the mean
source: Student, The probable error of a mean, Biometrika 6(1), 1908; Gaffke, Three test statistics for a nonparametric
one-sided hypothesis on the mean of a nonnegative variable, Mathematical Methods of Statistics 14, 2005; O'Neill, Some
useful moment results in sampling problems, The American Statistician 68(4), 2014, for the degrees of freedom; Hall, On
the removal of skewness by transformation, Journal of the Royal Statistical Society B 54(1), 1992; for the rule
docs/statistics.md, where it is simulated as a whole

>>> from rankproof.testing.statistics import inferred
>>> inferred("t_or_gaffke", [0.1, 0.2, 0.0, 0.4, 0.1, -0.1, 0.3, 0.2, -0.2, 0.1, 0.1, 0.3, 0.2], low=-1, high=1)
'0.131 [0.0309, 0.231] p = 0.01454'
>>> inferred("t_or_gaffke", [0.01] * 6 + [0.02] * 6 + [0.9], low=-1, high=1, alternative="greater")
'0.0831 [-0.107, inf] p = 0.1696'
>>> inferred("t_or_gaffke", [0.1, 0.2, 0.0, 0.4, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], low=-1, high=1)
'0.07 [-0.265, 0.364] p = 1'
>>> inferred("t_or_gaffke", [1] * 3 + [0] * 17, low=-1, high=1, binary=True)
'0.15 [-0.0399, 0.379] p = 0.1019'
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel import shelf
from rankproof.kernel.estimate import Answer, Estimate
from rankproof.proving.bounded_mean import RANGE_METHODS
from rankproof.proving.sampling import Sampling
from rankproof.proving.significance._skewness import ALLOWANCE, skewness_of_mean
from rankproof.proving.significance._student import by_columns
from rankproof.proving.significance.contract import (
    BY_GAFFKE,
    BY_MCNEMAR,
    SAME,
    Differences,
    Significance,
    SignificanceRequest,
)

NAME = "t_or_gaffke"
# The names of answers that are Student's own, and of those for values of 0 and 1.
STUDENT, EXACT = "t", "mcnemar"
# Fewer changed queries than this, or than this share of all, are few.
LEAST_CHANGED, LEAST_SHARE = 12, 0.5
# A two-sided interval of clustered queries: an excess of errors on one side is made up for on the other.
LEAST_CLUSTERS = 5
# The share of the weight from which on one cluster decides nearly alone.
MOST_SHARE = 0.5


def infer(differences: Differences, question: SignificanceRequest, rng: np.random.Generator) -> Answer:
    """By t, by Gaffke's bounds or by the exact test for values of 0 and 1."""
    return infer_many(differences[:, None], question, rng)[0]


def infer_many(differences: Differences, question: SignificanceRequest, rng: np.random.Generator) -> list[Answer]:
    """Columns of values that are 0 or 1 by the exact test, the others by t or by Gaffke's bounds."""
    exact = _exact_columns(differences, question)
    if not exact.any():
        return _by_t_or_gaffke(differences, question, rng)
    by_counts: Significance = shelf.find("significance", EXACT)
    noted = (_noted(answer) for answer in by_counts.many(differences[:, exact], question, rng))
    others = iter(() if exact.all() else _by_t_or_gaffke(differences[:, ~exact], question, rng))
    return [next(noted) if by_exact else next(others) for by_exact in exact.tolist()]


def _exact_columns(differences: Differences, question: SignificanceRequest) -> NDArray[np.bool_]:
    """Which columns are differences of 0 and 1, of queries drawn one by one.

    Differences of -1, 0 and 1 alone do not tell: grades, and measures that seldom have other values, have them too.
    """
    one_by_one = question.sampling is None and not question.repeated
    if not question.binary or not one_by_one or (question.low, question.high) != (-1.0, 1.0):
        return np.zeros(differences.shape[1], dtype=np.bool_)
    return np.asarray(np.isin(differences, (-1.0, 0.0, 1.0)).all(axis=0))


def _noted(answer: Answer) -> Answer:
    return replace(answer, notes=(*answer.notes, BY_MCNEMAR)) if isinstance(answer, Estimate) else answer


def _by_t_or_gaffke(differences: Differences, question: SignificanceRequest, rng: np.random.Generator) -> list[Answer]:
    """Columns with enough changed queries by t, all together; the others one by one."""
    n, sampling = len(differences), question.sampling
    bounds: Significance = shelf.find("significance", "gaffke")
    two_sided = question.alternative == "two-sided"
    degrees, skewness = np.full(differences.shape[1], n - 1.0), None
    plain = np.full(differences.shape[1], sampling is None and not question.repeated)
    if n > 1 and sampling is not None and not question.repeated:
        plain = sampling.drawn_one_by_one(differences)
    if n > 1 and not (two_sided and plain.all()):
        own = degrees_of_freedom(differences if sampling is None else sampling.scores(differences))
        degrees = np.where(plain & two_sided, degrees, own)
    if n > 1 and not plain.all():
        allowance = 1.0 if two_sided else ALLOWANCE
        skewness = np.where(plain, 0.0, allowance * skewness_of_mean(differences, sampling))
    answers = by_columns(differences, question, NAME, degrees, skewness)
    for at in np.flatnonzero(plain).tolist() if two_sided else ():
        answers[at] = replace(answers[at], method=STUDENT)
    for at, changed in enumerate(changed_queries(differences).tolist()):
        why, few = "every query changed by the same", ""
        if not enough_changed(changed, n):
            why = f"{changed} of {n} queries changed"
        elif sampling is not None and (few := few_clusters(differences[:, at], sampling, two_sided)):
            why = few
        elif isinstance(answers[at], Estimate):
            continue
        elif sampling is not None and sampling.why_no_error:
            why = f"a stratum with a single {sampling.noun}"
        found = bounds.infer(np.ascontiguousarray(differences[:, at]), question, rng)
        if isinstance(found, Estimate):
            found = replace(found, notes=(*found.notes, f"{why}{BY_GAFFKE}"))
        elif few and (math.isinf(question.low) or math.isinf(question.high)):
            found = replace(found, reason=f"{few}, and {found.reason}, which bounds of few clusters need: {REMEDY}")
        answers[at] = found
    return answers


# What can be done where few clusters tell nothing.
REMEDY = "give the range of the score (--range), or units of more clusters"


def few_clusters(differences: Differences, sampling: Sampling, two_sided: bool) -> str:
    """Why t may not be used though enough queries changed: few clusters did, or one is too large; "" where it may."""
    changed, clusters = len(np.unique(sampling.clusters[differences != 0.0])), len(sampling.sizes)
    least = LEAST_CLUSTERS if two_sided else LEAST_CHANGED
    if changed < least or changed < LEAST_SHARE * clusters:
        return f"{changed} of {clusters} clusters changed, where t needs {least} and half of them"
    largest = float(sampling.sizes.max() / sampling.sizes.sum())
    if sampling.columns.clusters and clusters < len(sampling) and largest >= MOST_SHARE - SAME:
        return f"one of {clusters} clusters has {largest:.0%} of the weight, where t needs all below {MOST_SHARE:.0%}"
    return ""


def degrees_of_freedom(differences: Differences) -> NDArray[np.float64]:
    """As many as the variance of each column has by its kurtosis, and n - 1 at most: fewer where tails are long.

    >>> np.round(degrees_of_freedom(np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 0.0], [5.0, 9.0]])), 1)
    array([4. , 2.3])
    """
    n = len(differences)
    deviations = np.square(differences - differences.mean(axis=0))
    squared = np.square(deviations.mean(axis=0))
    kurtosis = np.divide(np.square(deviations).mean(axis=0), squared, out=np.ones_like(squared), where=squared > 0)
    excess = kurtosis * (n + 1) / max(n - 1, 1) - (n - 3) / max(n - 1, 1)
    fewer: NDArray[np.float64] = np.minimum(n - 1.0, 2.0 * n / np.maximum(excess, 2.0 * n / max(n - 1, 1)))
    return fewer


def changed_queries(differences: Differences) -> NDArray[np.int64]:
    """How many rows of each column are not 0 but for rounding."""
    sizes = np.abs(differences)
    largest = sizes.max(axis=0, initial=0.0)
    return np.asarray(np.count_nonzero(sizes > SAME * largest, axis=0), dtype=np.int64)


def enough_changed(changed: int, n: int) -> bool:
    """Whether t may be used: by the number of changed queries, never by their direction."""
    return changed >= LEAST_CHANGED and changed >= LEAST_SHARE * n


def spread_tells(method: str, changed: int, n: int) -> bool:
    """Whether what a t test can find says what this method can: not where bounds come from the range or from counts."""
    return method not in RANGE_METHODS and (method != EXACT or enough_changed(changed, n))


OFFERS = (Significance(name=NAME, page=__doc__, infer=infer, infer_many=infer_many, bounded=True, sampled=True),)
