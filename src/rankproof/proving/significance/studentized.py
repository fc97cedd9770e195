"""Studentized bootstrap (bootstrap-t): the t statistic against its own distribution over resampled queries.

Each resample gives t* = (its mean - the observed mean) / its standard error. The interval is the observed mean minus
the standard error times the tail quantiles of t*, so it is longer on the side of the longer tail, where Student's is
not. The p-value of a mean is the share of t* at least as far out as the observed t, with the observed one counted in
and the two-sided one twice the smaller: the interval is every mean that is not rejected. It assumes that queries are a
random sample.

A resample whose differences are all equal has no standard error: its t* is taken as infinite. With very few queries, or
very few that differ, such resamples are many and the interval is open; the notes say so.

about: the mean
source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 12.5; Davison and Hinkley, Bootstrap
Methods and their Application, 1997, sections 2.4 and 4.4

>>> from rankproof.testing.statistics import inferred
>>> inferred("studentized", [0.1, 0.2, 0.0, 0.4, 0.1, -0.1, 0.3, 0.2, -0.2, 0.0])
'0.1 [-0.0318, 0.232] p = 0.1178'
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.estimate import Answer
from rankproof.proving.significance import _typical
from rankproof.proving.significance._answered import Some, answered
from rankproof.proving.significance._bootstrap import Resamples
from rankproof.proving.significance._together import MOST_HELD, together
from rankproof.proving.significance.contract import SAME, Differences, Significance, SignificanceRequest

NAME = "studentized"


def infer(differences: Differences, question: SignificanceRequest, rng: np.random.Generator) -> Answer:
    """Test and interval of one set of differences."""
    return infer_many(differences[:, None], question, rng)[0]


def infer_many(differences: Differences, question: SignificanceRequest, rng: np.random.Generator) -> list[Answer]:
    """The same for every column, with the same resamples for all."""

    def ask(columns: NDArray[np.float64]) -> Some:
        resamples = Resamples(len(columns), question.resamples, rng)
        size = max(1, MOST_HELD // (2 * len(resamples)))
        for start in range(0, columns.shape[1], size):
            batch = columns[:, start : start + size]
            centered = batch - batch.mean(axis=0)
            sums, squares = np.split(resamples.sums(np.hstack([centered, centered**2])), 2)
            answers = together(lambda d, s, q: _answer(d, s, q, question), batch.T, sums, squares)
            yield range(start, start + len(answers)), answers

    return answered(differences, NAME, ask)


def _answer(
    differences: Differences,
    sums: NDArray[np.float64],
    squares: NDArray[np.float64],
    question: SignificanceRequest,
) -> Answer:
    """From the sums of (d - mean) and of their squares over each resample."""
    n = len(differences)
    scatter = squares - sums**2 / n
    flat = scatter <= SAME * squares
    none = np.abs(sums) <= SAME * n * float(np.abs(differences).max())
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (sums / n) / np.sqrt(scatter / (n * (n - 1)))
    t[flat] = np.where(none[flat], 0.0, np.copysign(math.inf, sums[flat]))
    mean, error = float(differences.mean()), float(differences.std(ddof=1)) / math.sqrt(n)
    # The mean at which the observed t is t*.
    typical = mean - error * t
    drawn = len(sums)
    result = _typical.answer(differences, typical, _typical.ResampleCount(drawn + 1, 1, drawn), question, NAME)
    sides = {"two-sided": (result.low, result.high), "greater": (result.low,), "less": (result.high,)}
    if not result.notes and any(map(math.isinf, sides[question.alternative])):
        share = 100 * np.count_nonzero(flat) / drawn
        note = f"open interval: in {share:.3g}% of the resamples all differences are equal; too few queries differ"
        result = replace(result, notes=(note,))
    return result


OFFERS = (
    Significance(name=NAME, page=__doc__, spellings=("bootstrap-t",), infer=infer, infer_many=infer_many, random=True),
)
