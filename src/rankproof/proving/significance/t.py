"""Paired t-test: the mean difference over its standard error, against Student's distribution.

It assumes that the queries are a random sample and that the mean of their differences is near to normal, which the
central limit theorem brings about long before the differences themselves look normal. With few queries and a few very
large differences its intervals are too short on the side of the long tail. The interval is every mean that the test
does not reject.

about: the mean
source: Student, The probable error of a mean, Biometrika 6(1), 1908; for IR: Smucker, Allan and Carterette, A
comparison of statistical significance tests for information retrieval evaluation, CIKM 2007

Differences 1, 2, 3, 4: mean 2.5, standard deviation 1.2910, standard error 0.6455, t = 3.873 with 3 degrees of freedom:

>>> from rankproof.testing.statistics import inferred
>>> inferred("t", [1, 2, 3, 4])
'2.5 [0.446, 4.55] p = 0.03047'
>>> inferred("t", [0.1, 0.1, 0.1])
'not estimable: every query differs by the same 0.1: without spread nothing says what chance can do'
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.estimate import Answer, Estimate
from rankproof.proving.significance.contract import Differences, Significance, SignificanceRequest, not_estimable_rows

NAME = "t"


def infer(differences: Differences, question: SignificanceRequest, rng: np.random.Generator) -> Answer:
    """Student's test and interval of one set of differences; nothing is random."""
    return infer_many(differences[:, None], question, rng)[0]


def infer_many(differences: Differences, question: SignificanceRequest, rng: np.random.Generator) -> list[Answer]:
    """The same for every column at once."""
    return by_columns(differences, question, NAME, np.full(differences.shape[1], len(differences) - 1.0))


def by_columns(
    differences: Differences, question: SignificanceRequest, name: str, degrees: NDArray[np.float64]
) -> list[Answer]:
    """Every column against Student's distribution with its own degrees of freedom, under a method's name."""
    from scipy.special import stdtr, stdtrit  # imported here: only tests need scipy

    n = len(differences)
    rows = np.ascontiguousarray(differences.T)  # summed in one order, whatever stands beside a column
    answers: list[Answer | None] = [*not_estimable_rows(rows, name)]
    if n < 2:
        return [answer for answer in answers if answer is not None]
    sure = np.array([i for i, answer in enumerate(answers) if answer is None], dtype=np.int64)
    mean = rows.mean(axis=1)[sure]
    error = rows.std(axis=1, ddof=1)[sure] / math.sqrt(n)
    tail = (1 - question.level) / (2 if question.alternative == "two-sided" else 1)
    degrees = degrees[sure]
    reach = -stdtrit(degrees, tail)
    t = (mean - question.null) / error
    low, high = mean - reach * error, mean + reach * error
    if question.alternative == "greater":
        p, high = stdtr(degrees, -t), np.full(len(sure), math.inf)
    elif question.alternative == "less":
        p, low = stdtr(degrees, t), np.full(len(sure), -math.inf)
    else:
        p = 2 * stdtr(degrees, -np.abs(t))
    columns = (sure, mean, low, high, p)
    for i, value, least, greatest, p_value in zip(*(column.tolist() for column in columns), strict=True):
        answers[i] = Estimate(
            value, least, greatest, p_value, question.level, name, n,
            alternative=question.alternative, null=question.null,
        )  # fmt: skip
    return [answer for answer in answers if answer is not None]


OFFERS = (Significance(name=NAME, page=__doc__, infer=infer, infer_many=infer_many),)
