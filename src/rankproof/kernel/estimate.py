"""Estimate: a difference with its interval and p-value; or NotEstimable, which says why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Alternative = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its confidence interval. Interval and p-value come from one method, so they never contradict.

    Attributes:
        value: the mean that was observed (of differences: candidate minus baseline)
        low: the lower end of the interval at `level`; infinite where `alternative` is one-sided
        high: the upper end of it
        p_value: of the hypothesis that the mean is `null`, against `alternative`
        level: the confidence level of the interval, such as 0.95
        method: the item of the significance shelf that gave it
        n: how many queries it rests on
        alternative: "two-sided", or the side that a one-sided test looks at
        null: the mean under the null hypothesis
        resamples: how many random resamples were drawn; None when nothing was random
        notes: what a reader must know: warnings of the literature, few queries
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
    """No interval and no p-value, with the reason.

    Attributes:
        reason: why, as a sentence goes on after a colon
        method: the item of the significance shelf that was asked
        n: how many queries there are
        value: the mean, where there is one
    """

    reason: str
    method: str
    n: int
    value: float | None = None


Answer = Estimate | NotEstimable
