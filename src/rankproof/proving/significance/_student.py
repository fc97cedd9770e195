"""Student's distribution for many sets of differences at once: what the methods that rest on it share."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.estimate import Answer, Estimate
from rankproof.proving.significance.contract import Differences, SignificanceRequest, not_estimable_rows


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
