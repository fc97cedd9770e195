"""Interval and p-value of an always-valid method, both from one rule: a reach around the effect."""

from __future__ import annotations

import math
from collections.abc import Callable

from rankproof.kernel.estimate import Estimate
from rankproof.online.trials.contract import Effect, EffectRequest

# Below this many units in a variant, what is proved for ever more units says little.
FEW = 100
FEW_NOTE = f"fewer than {FEW} units in a variant: the guarantee is for many units, so do not stop here"


def bounded(
    effect: Effect, request: EffectRequest, method: str, reach: float, p_value: Callable[[float], float]
) -> Estimate:
    """The estimate. `p_value` is called with the distance from the null on the side that counts; elsewhere p is 1."""
    assert effect.value is not None
    low, high = effect.value - reach, effect.value + reach
    distance = effect.value - request.null
    if request.alternative == "two-sided":
        distance = abs(distance)
    elif request.alternative == "greater":
        high = math.inf
    else:
        low, distance = -math.inf, -distance
    notes = (FEW_NOTE,) if min(part.n for part in effect.parts) < FEW else ()
    p = p_value(distance) if distance > 0 else 1.0
    return Estimate(
        effect.value, low, high, p, request.level, method, effect.n, alternative=request.alternative, null=request.null,
        notes=notes,
    )  # fmt: skip
