"""What methods with one-sided bounds over a known range share: both sides, the p-value, and where there is none."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.proving.significance.contract import Differences, SignificanceRequest

# A value beyond its range by less is on its end, computed in another order.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class OneSided:
    """A method's test that a mean is above a threshold, and its lower bound; `worst` and `best` end the range.

    p       values, worst, best, threshold -> p-value of "the mean is at most the threshold"
    bound   values, worst, best, level -> the lower bound of the mean
    """

    p: Callable[[Differences, float, float, float], float]
    bound: Callable[[Differences, float, float, float], float]


# Why there is no bound for a measure, or a score, of which nobody said how far its values can lie apart.
NO_RANGE = "the range of one difference is not known"


def answered_by_bounds(differences: Differences, question: SignificanceRequest, method: str, way: OneSided) -> Answer:
    """The estimate by one bound, or by two with half of the error each. Differences without spread have bounds too."""
    n = len(differences)
    if n < 2:
        count = "no query" if n == 0 else "one query only"
        value = float(differences[0]) if n else None
        return NotEstimable(f"{count}: two or more are needed to see how much queries vary", method, n, value)
    mean = float(differences.mean())
    below, above = question.alternative != "less", question.alternative != "greater"
    if (below and math.isinf(question.low)) or (above and math.isinf(question.high)):
        return NotEstimable(NO_RANGE, method, n, mean)
    least, most = float(differences.min()), float(differences.max())
    if least < question.low - ROUNDING or most > question.high + ROUNDING:
        outside = least if least < question.low else most
        reason = f"{outside:.6g} lies outside the range that is stated, {question.low:g} to {question.high:g}"
        return NotEstimable(reason, method, n, mean)
    both = question.alternative == "two-sided"
    level = 0.5 + question.level / 2 if both else question.level
    low, high, p_values = -math.inf, math.inf, []
    if below:
        low = way.bound(differences, question.low, question.high, level)
        p_values.append(way.p(differences, question.low, question.high, question.null))
    if above:
        mirrored = (np.negative(differences), -question.high, -question.low)
        high = -way.bound(*mirrored, level)
        p_values.append(way.p(*mirrored, -question.null))
    p = min(1.0, (2.0 if both else 1.0) * max(min(p_values), sys.float_info.min))
    return Estimate(mean, low, high, p, question.level, method, n, alternative=question.alternative, null=question.null)
