"""Novelty: does the effect wear off, or take time to come? The effect of each day, and a line through them.

Days are weighed by the inverse of their variance; the slope of the weighted line has the variance 1 / sum(w (x - x̄)^2),
and a normal distribution for many units a day. One look only: it is no sequential test, and it decides nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rankproof.flow.calls import read_call
from rankproof.flow.trials.pooling import pooled_effect
from rankproof.records.day import Day
from rankproof.records.estimate import Answer, Estimate, NotEstimable
from rankproof.records.trialdesign import TrialMetric
from rankproof.records.trialreading import DayEffect, Trend
from rankproof.trials._contract import Asked, Effect

# Two days always lie on a line.
LEAST_DAYS = 3


def by_day(
    days: Sequence[Day], metric: TrialMetric, control: str, variant: str, level: float
) -> tuple[list[DayEffect], Trend]:
    """The effect on every date, each by itself with Welch's interval, and how it changes from day to day."""
    call = read_call("trials", "welch")
    dates = sorted({date for day in days for date in day.dates if len(day.dates) == 1})
    found, effects = [], []
    for date in dates:
        here = [day for day in days if day.dates == (date,)]
        effect = pooled_effect(here, metric, control, variant).effect
        effects.append(effect)
        found.append(DayEffect(metric.name, variant, date, call.item.answer(effect, Asked(level), call.values)))
    slope = trend(_day_numbers(dates), effects, level)
    return found, Trend(metric.name, variant, len(dates), slope)


def trend(at: Sequence[float], effects: Sequence[Effect], level: float) -> Answer:
    """The change of the effect a day."""
    from scipy.special import ndtr, ndtri

    known = [
        (x, e.value, e.variance) for x, e in zip(at, effects, strict=True) if e.value is not None and e.variance > 0
    ]
    n = sum(effect.n for effect in effects)
    if len({x for x, _, _ in known}) < LEAST_DAYS:
        return NotEstimable(f"a trend takes {LEAST_DAYS} days with an effect or more", "weighted line", n)
    x, y, variance = (np.array(column, dtype=np.float64) for column in zip(*known, strict=True))
    weight = 1 / variance
    away = x - np.average(x, weights=weight)
    spread = float((weight * away * away).sum())
    slope, error = float((weight * away * y).sum()) / spread, 1 / math.sqrt(spread)
    reach = float(-ndtri((1 - level) / 2)) * error
    p = 2 * float(ndtr(-abs(slope) / error))
    return Estimate(slope, slope - reach, slope + reach, p, level, "weighted line", n)


def _day_numbers(dates: Sequence[str]) -> list[float]:
    """Days since the first, so that days without a file keep their place."""
    from datetime import date

    found = [date.fromisoformat(day).toordinal() for day in dates]
    return [float(day - found[0]) for day in found]
