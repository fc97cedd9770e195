"""Projecting: how many more units would decide what is open, if what was seen so far is the truth.

The effect is taken to be the true one, the variance of a unit to stay, and units to come in the same shares. A look
with m times the units decides where the effect is further from the threshold than the reach of the method's own bound
plus the power's normal quantile times the standard error. For an always-valid method that is the power of one look;
looks before it only add to it.
"""

from __future__ import annotations

import math

from rankproof.flow.calls import Call
from rankproof.flow.searching import least
from rankproof.flow.trials.planning import MOST_UNITS
from rankproof.records.estimate import Estimate
from rankproof.trials._contract import Asked, Effect, Part

POWER = 0.8


def units_to_decide(
    effect: Effect, n: int, threshold: float, call: Call, level: float, power: float = POWER
) -> int | None:
    """Units of both variants, with those that came, at which a one-sided bound would decide with the power.

    None where no number does: the effect lies on the threshold, or more than MOST_UNITS would be needed.
    """
    from scipy.special import ndtri

    assert effect.value is not None
    distance = abs(effect.value - threshold)
    asked = Asked(level, "greater")

    def enough(units: int) -> bool:
        grown = _grown(effect, units / n)
        answer = call.item.answer(grown, asked, call.values)
        if not isinstance(answer, Estimate):
            return False
        return distance >= -answer.low + float(ndtri(power)) * math.sqrt(grown.variance)

    return least(enough, first=max(4, n), most=MOST_UNITS)


def _grown(effect: Effect, times: float) -> Effect:
    """An effect of 0 with as many times the units: the reach of its interval is that of any value."""
    parts = tuple(Part(part.variance / times, max(2, round(part.n * times))) for part in effect.parts)
    return Effect(0.0, parts, max(2, round(effect.n * times)))
