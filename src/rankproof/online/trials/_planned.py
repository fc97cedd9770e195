"""Interval and p-value at a planned look: repeated ones, which hold at all planned looks together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

from rankproof.kernel.estimate import Answer, NotEstimable
from rankproof.kernel.specs.kinds import REQUIRED, Param, Whole
from rankproof.online.trials._bounded import bounded
from rankproof.online.trials.contract import Effect, EffectRequest
from rankproof.proving.group_sequential import SPENDING, limits

# Levels at which limits are known, by the size of an effect that a fixed test finds at them; p-values lie between.
LADDER = tuple(0.25 * step for step in range(1, 24))
# Digits that fractions of a trial are rounded to: metrics whose units come alike then share their limits.
DIGITS = 4
# (fraction of the trial, share of the information of the last of them) at each look so far.
Looks = tuple[tuple[float, float], ...]

DAYS = Param("days", Whole(1), REQUIRED, "planned days, with a look after each; the last look spends all that is left")
UNITS = Param("units", Whole(0), 0, "planned units of both variants, to spend the error by; 0: by days")


def answer(kind: str, effect: Effect, request: EffectRequest, values: Mapping[str, float]) -> Answer:
    """The repeated confidence interval and p-value of the look that the effect is of."""
    days, units = int(values["days"]), int(values["units"])
    if len(effect.looks) > days:
        return NotEstimable(
            f"the last planned look was after {days} days, and {len(effect.looks)} days are given: what it said stands",
            kind, effect.n, effect.value,
        )  # fmt: skip
    came = next((day for day, look in enumerate(effect.looks, 1) if units and look.units >= units), days)
    if len(effect.looks) > came:
        return NotEstimable(
            f"the planned {units:,} units had come after {came} days, and {len(effect.looks)} days are given: what the "
            "look then said stands",
            kind, effect.n, effect.value,
        )  # fmt: skip
    looks = looks_of(effect, days, units)
    two_sided = request.alternative == "two-sided"
    error = math.sqrt(effect.variance)
    limit = limit_at(kind, 1 - request.level, looks, two_sided)

    def p_value(distance: float) -> float:
        return _p_value(kind, distance / error, looks, two_sided, 1 - request.level)

    return bounded(effect, request, kind, limit * error, p_value)


def looks_of(effect: Effect, days: int, units: int) -> Looks:
    """The looks so far. An effect without any is looked at once, at the end."""
    if not effect.looks:
        return ((1.0, 1.0),)
    most = effect.looks[-1].information
    found = []
    for day, look in enumerate(effect.looks, start=1):
        spent = min(1.0, look.units / units if units else day / days) if day < days else 1.0
        found.append((round(spent, DIGITS), round(look.information / most, DIGITS)))
    # Days on which nothing was there to be seen are looks that were missed.
    return tuple(look for look in found if look[1] > 0)


@lru_cache(4096)
def limit_at(kind: str, error: float, looks: Looks, two_sided: bool) -> float:
    """The limit of the last of the looks, where so much error is allowed in all."""
    allowed = error / (2 if two_sided else 1)
    spent = [SPENDING[kind](allowed, time) if time > 0 else 0.0 for time, _ in looks]
    return limits(spent, [information for _, information in looks], two_sided=two_sided)[-1]


def _p_value(kind: str, size: float, looks: Looks, two_sided: bool, level: float) -> float:
    """The least error at which the look passes its limit, between levels of the ladder; exact at the level asked for.

    Such repeated p-values are never below what the level says: an effect passes its limit where p is at most that.
    """
    from scipy.special import ndtr, ndtri

    sides = 2 if two_sided else 1
    rungs = sorted({*LADDER, -float(ndtri(level / sides))}, reverse=True)
    rungs = [rung for rung in rungs if rung > 0]

    def at(rung: float) -> float:
        return limit_at(kind, level if rung == -float(ndtri(level / sides)) else sides * float(ndtr(-rung)), looks,
                        two_sided)  # fmt: skip

    # Limits fall with the rungs; the first that is passed is sought by halving.
    low, high = 0, len(rungs)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if at(rungs[middle]) <= size else (middle + 1, high)
    if low == len(rungs):
        return 1.0
    passed = rungs[low]
    if low and math.isfinite(at(rungs[low - 1])):
        beyond, here = at(rungs[low - 1]), at(passed)
        passed += (rungs[low - 1] - passed) * (size - here) / (beyond - here)
    return min(1.0, sides * float(ndtr(-passed)))
