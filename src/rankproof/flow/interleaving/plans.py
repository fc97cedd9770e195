"""Plan: what several shares of wins take, or what a number of units shows of them, with one look and with many."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rankproof.errors import UsageError
from rankproof.flow.interleaving.pacing import LOOKS, power_anytime, units_needed_anytime
from rankproof.flow.interleaving.sizing import check_plan, power_at, units_needed
from rankproof.records.interleaving import UnitsNeeded
from rankproof.records.interleaving_plan import InterleavingPlan, PlannedShare

# Decided units beyond which every share of interest is shown, and sums take long.
MOST_UNITS = 1_000_000


def plan(
    shares: Sequence[float],
    decided: float = 1.0,
    units: int | None = None,
    per_day: int | None = None,
    power: float = 0.8,
    level: float = 0.95,
    looks: int = LOOKS,
) -> InterleavingPlan:
    """For each share the units it takes; with `units` the power that they have instead."""
    for share in shares:
        check_plan(share, decided, power, level)
    rows = []
    if units is None:
        for share in shares:
            fixed = units_needed(share, decided, power, level)
            anytime = units_needed_anytime(share, decided, power, level, looks)
            rows.append(PlannedShare(share, fixed, anytime, _days(fixed.units, per_day), _days(anytime.units, per_day)))
    else:
        there = math.floor(round(units * decided, 6))
        if not 1 <= there <= MOST_UNITS:
            raise UsageError(
                f"{units:,} units of which {decided:g} are decided are {there:,} decided ones; 1 to {MOST_UNITS:,} "
                "can be planned with."
            )
        for share in shares:
            once = float(power_at(np.array([there]), share, level)[0])
            often, average = power_anytime(there, share, level, looks)
            fixed = UnitsNeeded(share, there, units, once, True)
            rows.append(PlannedShare(share, fixed, UnitsNeeded(share, there, units, often, True, looks, average)))
    return InterleavingPlan(tuple(rows), decided, units, per_day, power, level, looks)


def _days(units: int, per_day: int | None) -> int | None:
    return None if per_day is None else math.ceil(units / per_day)
