"""Presence of units: how many came back on other days, or in another variant, by the sketches of ids that days keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankproof.errors import InputError
from rankproof.kernel.sections import percent
from rankproof.online.trial.days import Day
from rankproof.online.trial.records import TrialDesign
from rankproof.online.trial.row_digests import LEAST, same_rows
from rankproof.online.trial.unit_ids import below

# So many units on days may be of units that counted before; they widen no interval by more than two percent.
MOST_RETURNING = 0.01


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


def told_beside(design: TrialDesign, days: Sequence[Day], others: Sequence[Day]) -> list[str]:
    """What both show together; an error where days have the same rows, or units in two variants.

    Days of another A/B test, or of other rules, are none of these.
    """
    others = [day for day in others if day.trace is not None and day.trial == design.name]
    digests = {day.trace.digest: day for day in others if day.trace is not None and day.trace.rows >= LEAST}
    for day in days:
        if day.trace is not None and day.trace.digest in digests:
            raise same_rows(day.label, digests[day.trace.digest].label, day.trace.rows)
    if not others:
        return []
    presence = presence_of([*days, *others])
    if presence is None:
        return []
    if presence.crossing > max(1.0, design.exclude.crossing * presence.units):
        raise InputError(
            f"{presence.scaled(presence.crossing):,} of {presence.scaled(presence.units):,} {design.unit}s "
            f"({percent(round(presence.crossing / presence.units, 4))}) are in another variant in a day that is in the "
            f"folder already; the design allows {percent(design.exclude.crossing)}. Mend the assignment; or, if "
            f"those days "
            "are of another trial, collect into a folder of their own."
        )
    if design.enter == "first_day" and presence.returned > MOST_RETURNING * presence.seen:
        return [
            f"returning: {presence.scaled(presence.returned):,} {design.unit}s are in several days of the folder, "
            f"and a trial "
            "of these days fails as evidence: collect all rows together, or name the column of entry ([columns] "
            "entered)"
        ]
    return []
