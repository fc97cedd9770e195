"""Student's distribution for many sets of differences at once: what the methods that rest on it share."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.proving.sampling import Sampling
from rankproof.proving.significance.contract import Differences, SignificanceRequest, not_estimable_rows


def by_columns(
    differences: Differences, question: SignificanceRequest, name: str, most: NDArray[np.float64]
) -> list[Answer]:
    """Every column against Student's distribution, under a method's name.

    Each has its own degrees of freedom, `most` at most: fewer where the queries are no simple random sample.
    """
    from scipy.special import stdtr, stdtrit  # imported here: only tests need scipy

    n = len(differences)
    rows = np.ascontiguousarray(differences.T)  # summed in one order, whatever stands beside a column
    answers: list[Answer | None] = [*not_estimable_rows(rows, name)]
    sampling = question.sampling
    if n > 1 and sampling is not None and (why := sampling.why_no_error):
        means = (sampling.mean(row) for row in rows)
        return [answer or NotEstimable(why, name, n, mean) for answer, mean in zip(answers, means, strict=True)]
    if n < 2:
        return [answer for answer in answers if answer is not None]
    sure = np.array([i for i, answer in enumerate(answers) if answer is None], dtype=np.int64)
    degrees = most[sure]
    notes: list[tuple[str, ...]] = [()] * len(sure)
    if sampling is None:
        mean = rows.mean(axis=1)[sure]
        error = rows.std(axis=1, ddof=1)[sure] / math.sqrt(n)
    else:
        sampled = sampling.means(differences[:, sure])
        mean, error, degrees = sampled.mean, sampled.error, np.minimum(degrees, sampled.degrees)
        notes = [(design_note(sampling, effect),) for effect in sampled.effect.tolist()]
    tail = (1 - question.level) / (2 if question.alternative == "two-sided" else 1)
    reach = -stdtrit(degrees, tail)
    t = (mean - question.null) / error
    low, high = mean - reach * error, mean + reach * error
    if question.alternative == "greater":
        p, high = stdtr(degrees, -t), np.full(len(sure), math.inf)
    elif question.alternative == "less":
        p, low = stdtr(degrees, t), np.full(len(sure), -math.inf)
    else:
        p = 2 * stdtr(degrees, -np.abs(t))
    columns = (column.tolist() for column in (sure, mean, low, high, p))
    for i, value, least, greatest, p_value, told in zip(*columns, notes, strict=True):
        answers[i] = Estimate(
            value, least, greatest, p_value, question.level, name, n,
            alternative=question.alternative, null=question.null, notes=told,
        )  # fmt: skip
    return [answer for answer in answers if answer is not None]


# How the note on what a design does to the number of queries begins.
DESIGN_EFFECT = "design effect"


def design_note(sampling: Sampling, effect: float) -> str:
    """What the design effect means for the number of queries."""
    n = len(sampling)
    alike = f": {n} queries tell as much as {n / effect:.0f} drawn one by one" if effect >= 1.0 else ""
    return f"{DESIGN_EFFECT} {effect:.2f} ({sampling}){alike}"
