"""Estimate: a difference with its interval and p-value; or NotEstimable, which says why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Alternative = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its confidence interval. Interval and p-value come from one method, so they never contradict.

    value        the mean that was observed (of differences: candidate minus baseline)
    low, high    the interval at `level`; an end is infinite where `alternative` is one-sided
    p_value      of the hypothesis that the mean is `null`, against `alternative`
    level        the confidence of the interval, as 0.95
    alternative  "two-sided", or the side on which the mean would lie: "greater" or "less"
    null         the mean that the hypothesis names, 0 for a difference
    method       the item of the significance shelf that gave it
    n            how many queries it rests on
    resamples    how many random resamples were drawn; None when nothing was random
    notes        what a reader must know: warnings of the literature, few queries
    """

    value: float
    low: float
    high: float
    p_value: float
    level: float
    method: str
    n: int
    alternative: Alternative = "two-sided"
    null: float = 0.0
    resamples: int | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotEstimable:
    """No interval and no p-value. `value` is the mean where there is one.

    reason   why, as a sentence goes on after a colon
    """

    reason: str
    method: str
    n: int
    value: float | None = None


Answer = Estimate | NotEstimable
