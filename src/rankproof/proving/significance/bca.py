"""BCa bootstrap: the spread of the mean over resampled queries, corrected for bias and skewness.

The interval's ends are quantiles of the means of resamples, moved by how much of them lies below the observed mean
(bias) and by the skewness of the differences (acceleration). The p-value is 1 minus the level at which an end of the
interval touches the tested mean. It assumes that queries are a random sample.

Its intervals are too short with few queries, where the spread over resamples is less than that over new queries: below
50 queries every answer has a note that says so. `studentized` corrects for it.

about: the mean
source: Efron, Better bootstrap confidence intervals, JASA 82, 1987; Efron and Tibshirani, An Introduction to the
Bootstrap, 1993, equations 14.9 to 14.15; the interval is that of scipy.stats.bootstrap(method="BCa")

>>> from rankproof.testing.statistics import inferred
>>> inferred("bca", [0.1, 0.2, 0.0, 0.4, 0.1, -0.1, 0.3, 0.2, -0.2, 0.0])
'0.1 [-0.01, 0.21] p = 0.08004'
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.proving.significance._answered import Some, answered
from rankproof.proving.significance._bootstrap import Resamples
from rankproof.proving.significance._together import MOST_HELD, together
from rankproof.proving.significance.contract import SAME, Differences, Significance, SignificanceRequest

NAME = "bca"
ENOUGH = 50  # queries from which the interval covers about as often as it says


def infer(differences: Differences, question: SignificanceRequest, rng: np.random.Generator) -> Answer:
    """Interval and p-value of one set of differences."""
    return infer_many(differences[:, None], question, rng)[0]


def infer_many(differences: Differences, question: SignificanceRequest, rng: np.random.Generator) -> list[Answer]:
    """The same for every column, with the same resamples for all."""

    def ask(columns: NDArray[np.float64]) -> Some:
        resamples = Resamples(len(columns), question.resamples, rng)
        size = max(1, MOST_HELD // len(resamples))
        for start in range(0, columns.shape[1], size):
            batch = columns[:, start : start + size]
            means = resamples.sums(batch / len(batch))
            answers = together(lambda d, m: _answer(d, np.sort(m), question), batch.T, means)
            yield range(start, start + len(answers)), answers

    return answered(differences, NAME, ask)


def _answer(differences: Differences, means: NDArray[np.float64], question: SignificanceRequest) -> Answer:
    """From the means of the resamples, in order."""
    from scipy.special import ndtri  # imported here: only tests need scipy

    n, drawn, value = len(differences), len(means), float(differences.mean())
    # Sums of the same numbers in another order are ties, not near misses.
    near = SAME * max(float(np.abs(differences).max()), abs(question.null))
    below = int(np.searchsorted(means, value - near)) + int(np.searchsorted(means, value + near, "right"))
    if not 0 < below < 2 * drawn:
        return NotEstimable(f"all {drawn:,} resamples have their mean on one side: draw more", NAME, n, value)
    bias = float(ndtri(below / (2 * drawn)))  # equation 14.14; a mean equal to the observed one is half below
    centered = differences - value
    # Equation 14.15: the jackknife values of a mean are the differences themselves, up to a factor.
    skew = float((centered**3).sum() / (6 * (centered**2).sum() ** 1.5))
    corrected = _Corrected(means, bias, skew, near)
    tail = (1 - question.level) / (2 if question.alternative == "two-sided" else 1)
    low = -math.inf if question.alternative == "less" else corrected.end(tail, -math.inf)
    high = math.inf if question.alternative == "greater" else corrected.end(1 - tail, math.inf)
    low, high = (question.null if abs(end - question.null) <= near else end for end in (low, high))
    notes = []
    if n < ENOUGH:
        notes.append(f"{n} queries: below {ENOUGH} BCa intervals are too short and p-values too small")
    if (question.alternative != "less" and math.isinf(low)) or (question.alternative != "greater" and math.isinf(high)):
        notes.append(f"no bound at {100 * question.level:.6g}%: the {drawn:,} random resamples are too few for it")
    greater, less = corrected.beyond(question.null)
    one_sided = {"greater": greater, "less": less, "two-sided": 2 * min(greater, less)}[question.alternative]
    return Estimate(
        value,
        low,
        high,
        min(1.0, one_sided),
        question.level,
        NAME,
        n,
        alternative=question.alternative,
        null=question.null,
        resamples=drawn,
        notes=tuple(notes),
    )


class _Corrected:
    """Equation 14.10 and its inverse: which quantile of the resamples' means is the end at a tail, and back.

    least   the smallest tail that so many resamples can estimate; further out there is no bound
    """

    def __init__(self, means: NDArray[np.float64], bias: float, skew: float, near: float) -> None:
        self._means, self._bias, self._skew, self._near = means, bias, skew, near
        self.least = 1 / (len(means) + 1)

    def end(self, tail: float, unbounded: float) -> float:
        """The end of the interval with that much on the left of it."""
        from scipy.special import ndtr, ndtri

        moved = self._bias + float(ndtri(tail))
        slope = 1 - self._skew * moved
        at = float(ndtr(self._bias + moved / slope)) if slope > 0 else float(moved > 0)
        if not self.least <= min(tail, 1 - tail) or not self.least <= at <= 1 - self.least:
            return unbounded
        place, rest = divmod(at * (len(self._means) - 1), 1)
        left, right = self._means[int(place)], self._means[min(int(place) + 1, len(self._means) - 1)]
        return float(left + rest * (right - left))

    def beyond(self, mean: float) -> tuple[float, float]:
        """The tails at which the lower and the upper end touch a mean: the p-values against greater and less."""
        from scipy.special import ndtr

        greater = ndtr(self._score(mean, int(np.searchsorted(self._means, mean + self._near, "right"))))
        less = ndtr(-self._score(mean, int(np.searchsorted(self._means, mean - self._near, "left"))))
        return max(float(greater), self.least), max(float(less), self.least)

    def _score(self, mean: float, below: int) -> float:
        """The normal score of the tail whose end is a mean that has so many of the resamples' means below it."""
        from scipy.special import ndtri

        means, last = self._means, len(self._means) - 1
        at = float(below > last)
        if 0 < below <= last:
            at = (below - 1 + (mean - means[below - 1]) / (means[below] - means[below - 1])) / last
        moved = float(ndtri(min(max(at, self.least), 1 - self.least))) - self._bias
        slope = 1 + self._skew * moved
        return moved / slope - self._bias if slope > 0 else math.copysign(math.inf, moved)


OFFERS = (
    Significance(
        name=NAME,
        page=__doc__,
        spellings=("bootstrap", "bca-bootstrap"),
        infer=infer,
        infer_many=infer_many,
        random=True,
    ),
)
