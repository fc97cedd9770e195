"""An interval by leaving out one query at a time: pairs of one query are not independent, queries are.

Every statistic of agreement here is a function of sums over pairs (a confusion matrix, a matrix of coincidences).
The sums are kept by query; the jackknife leaves out one query after the other, and Student's t with one degree of
freedom less than there are queries makes an interval of its standard error, on a scale where the statistic is closer
to normal: Fisher's z for kappa and alpha, the logit for a share. docs/model-judges.md has the coverage that was seen,
and what intervals that take pairs for independent cover.

source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 11; Bell and McCaffrey, Bias reduction in
    standard errors for linear regression with multi-stage samples, Survey Methodology 28(2), 2002
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.records.agreement import Figure, Found
from rankproof.records.estimate import NotEstimable

Sums = NDArray[Any]  # by query along the first axis
Value = Callable[[Sums], NDArray[np.float64]]  # of many sums at once; nan where the statistic is undefined
Scale = Literal["plain", "fisher", "logit"]

METHOD = "jackknife over queries"
# What differs by less is the same number, computed otherwise.
ROUNDING = 1e-12
ALIKE = "no query differs from another, so nothing says how much others would"


@dataclass(frozen=True, slots=True)
class Spread:
    """A statistic on the scale of its interval: where it lies, its standard error, and its degrees of freedom."""

    value: float
    center: float
    error: float
    freedom: int
    scale: Scale

    def low_high(self, tail: float) -> tuple[float, float]:
        """Both ends, each missed with probability `tail`."""
        from scipy.special import stdtrit

        reach = float(stdtrit(self.freedom, 1 - tail)) * self.error
        return _back(self.center - reach, self.scale), _back(self.center + reach, self.scale)

    def p_below(self, threshold: float) -> float:
        """The p-value of "it is at least the threshold", against "it is below"."""
        from scipy.special import stdtr

        return float(stdtr(self.freedom, (self.center - _onto(threshold, self.scale)) / self.error))


def spread(sums: Sums, value: Value, scale: Scale, undefined: str, pairs: int) -> Spread | NotEstimable:
    """The statistic of all queries, and how it moves when one is left out; `undefined` says why it may have none."""
    kept = sums[np.abs(sums).sum(axis=tuple(range(1, sums.ndim))) > 0]
    total = kept.sum(axis=0, keepdims=True)
    whole = float(value(total)[0]) if len(kept) else math.nan
    if not math.isfinite(whole):
        return NotEstimable(undefined, METHOD, pairs)
    queries = len(kept)
    if queries < 2:
        return NotEstimable("all pairs belong to one query, and queries differ", METHOD, pairs, whole)
    left = value(total - kept)
    if not np.isfinite(left).all():
        return NotEstimable("without one of its queries it has no value", METHOD, pairs, whole)
    error = math.sqrt((queries - 1) / queries * float(((left - left.mean()) ** 2).sum()))
    if error < ROUNDING or _at_an_end(whole, scale):
        return NotEstimable(ALIKE, METHOD, pairs, whole)
    # The delta method: the standard error times the slope of the scale.
    slope = 1 / (1 - whole**2) if scale == "fisher" else 1 / (whole * (1 - whole)) if scale == "logit" else 1.0
    return Spread(whole, _onto(whole, scale), error * slope, queries - 1, scale)


def figure(sums: Sums, value: Value, scale: Scale, undefined: str, pairs: int, level: float) -> Found:
    """The statistic with its two-sided interval."""
    found = spread(sums, value, scale, undefined, pairs)
    if isinstance(found, NotEstimable):
        return found
    low, high = found.low_high((1 - level) / 2)
    return Figure(found.value, low, high, level, METHOD, pairs, found.freedom + 1)


def divided(top: Sums, bottom: Sums) -> NDArray[np.float64]:
    """One over the other; nan where there is nothing to divide by."""
    whole = np.asarray(bottom, dtype=np.float64)
    return np.asarray(np.divide(top, whole, out=np.full_like(whole, np.nan), where=whole > 1e-12))


def mean(sums: Sums) -> NDArray[np.float64]:
    """Of sums with a count first and a total second: the mean."""
    return divided(sums[:, 1], sums[:, 0])


def by_query(queries: NDArray[np.int64], rows: Sums) -> Sums:
    """Rows added up by query."""
    found = np.zeros((int(queries.max()) + 1 if len(queries) else 0, *rows.shape[1:]))
    np.add.at(found, queries, rows)
    return found


def _at_an_end(value: float, scale: Scale) -> bool:
    """Whether the scale has no place for the value: perfect agreement, or none at all."""
    least = {"plain": -math.inf, "fisher": -1.0, "logit": 0.0}[scale]
    return scale != "plain" and not least + ROUNDING < value < 1 - ROUNDING


def _onto(value: float, scale: Scale) -> float:
    if scale == "fisher":
        return math.atanh(min(max(value, -1 + ROUNDING), 1 - ROUNDING))
    if scale == "logit":
        inside = min(max(value, ROUNDING), 1 - ROUNDING)
        return math.log(inside / (1 - inside))
    return value


def _back(value: float, scale: Scale) -> float:
    if scale == "fisher":
        return math.tanh(value)
    return 1 / (1 + math.exp(-value)) if scale == "logit" else value
