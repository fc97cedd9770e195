"""Presence of units: how many came back on other days, or in another variant, by the sketches of ids that days keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankproof.online.trial.days import Day
from rankproof.online.trial.unit_ids import below


@dataclass(frozen=True, slots=True)
class UnitPresence:
    """What the sketches of several days say together.

    seen       units on days that the sketches hold; with a `share` below 1 these are a sample
    share      of all units that the sketches hold
    units      distinct ones among them
    returned   of `seen`, those of units that an earlier day has too
    crossing   of `units`, those that are in two variants while the planned shares stayed the same
    spread     sum of squares of the days of a unit over their sum: by so much the variance of a mean over units on
               days is too small at most, if units are on several days (the design effect of Kish, Survey Sampling,
               1965, for days of a unit that are all alike)
    """

    seen: int
    share: float
    units: int
    returned: int
    crossing: int
    spread: float

    def scaled(self, count: int) -> int:
        """What a count of the sample comes to among all units."""
        return round(count / self.share)


def presence_of(days: Sequence[Day]) -> UnitPresence | None:
    """The presence of units on days that keep sketches; None where no two do."""
    traced = [day for day in days if day.trace is not None and day.trace.ids]
    if len(traced) < 2:
        return None
    share = min(sketch.share for day in traced if day.trace for sketch in day.trace.ids.values())
    variants = sorted({name for day in traced for name in day.shares})
    periods = sorted({tuple(sorted(day.shares.items())) for day in traced})
    hashes, marks = [], []
    for day in traced:
        assert day.trace is not None
        period = periods.index(tuple(sorted(day.shares.items())))
        for name, sketch in day.trace.ids.items():
            numbers = sketch.numbers
            kept = numbers[below(numbers, share)]
            hashes.append(kept)
            marks.append(np.full(len(kept), period * len(variants) + variants.index(name)))
    ids, mark = np.concatenate(hashes), np.concatenate(marks)
    if not len(ids):
        return None
    _, unit, times = np.unique(ids, return_inverse=True, return_counts=True)
    placed = np.unique(np.column_stack([unit, mark]), axis=0)
    of_period = np.unique(np.column_stack([placed[:, 0], placed[:, 1] // len(variants)]), axis=0, return_counts=True)
    crossing = len(np.unique(of_period[0][of_period[1] > 1][:, 0]))
    spread = float((times.astype(np.float64) ** 2).sum() / times.sum())
    return UnitPresence(len(ids), share, len(times), len(ids) - len(times), crossing, spread)
