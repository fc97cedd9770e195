"""Effects on quantiles, such as the 95th percentile of latency, where every unit has one value.

With q n units below it, random variation moves the rank of the quantile by sqrt(n q (1 - q)): the values at 1.96 such
steps on both sides are 2 x 1.96 standard errors apart (Woodruff, Confidence intervals for medians and other position
measures, Journal of the American Statistical Association 47, 1952; for trials: Deng, Knoblich and Lu, KDD 2018). No
density has to be estimated. Values of one user that depend on each other would make it too narrow: take one value for
each unit.

With strata the share of units at or below a value is the weighted mean of the strata's shares, and its variance the sum
of w^2 F (1 - F) / n with F the share in the stratum; the rest is the same.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Mapping, Sequence
from itertools import accumulate

from rankproof.online.trial.effects import NO_UNITS, between, weights_for
from rankproof.online.trial.moments import Tally
from rankproof.online.trial.records import Metric, Scale
from rankproof.online.trials.contract import Effect, VariancePart

STEPS = 1.959963984540054
# Shares are sums of floats: this near to a step is on it.
HAIR = 1e-12


def quantile_effect(control: Tally, treatment: Tally, metric: Metric, scale: Scale = "absolute") -> Effect:
    """The effect of the treatment on a quantile."""
    return stratified_quantile_effect({"": control}, {"": treatment}, metric, scale)


def stratified_quantile_effect(
    control: Mapping[str, Tally],
    treatment: Mapping[str, Tally],
    metric: Metric,
    scale: Scale = "absolute",
    weights_of: Mapping[str, float] | None = None,
) -> Effect:
    """The same of units in strata, weighed by their share of all units unless the caller says otherwise."""
    assert metric.at is not None  # a metric that is a quantile has one
    sizes = {name: sum(arm[name].n for arm in (control, treatment) if name in arm) for name in (*control, *treatment)}
    names = [name for name, size in sizes.items() if size]
    n = sum(sizes.values())
    arms = [[arm.get(name, Tally()) for name in names] for arm in (control, treatment)]
    if not names or not all(part.n for arm in arms for part in arm):
        return Effect(None, (), n, NO_UNITS)
    weights = weights_for(names, sizes, weights_of)
    (low, of_control), (high, of_treatment) = (_quantile(arm, weights, metric.at) for arm in arms)
    if of_control is None or of_treatment is None:
        return Effect(None, (), n, f"a variant has too few units for its {metric.at:g} quantile")
    if of_control.variance == 0 or of_treatment.variance == 0:
        reason = f"too many units share the value at the {metric.at:g} quantile: round values less"
        return Effect(high - low, (), n, reason)
    return between(low, [of_control], high, [of_treatment], n, metric, scale)


def quantile_of(parts: Sequence[Tally], weights: Sequence[float], at: float) -> float:
    """The least value that a share `at` of the units does not exceed; weights are in any unit."""
    whole = math.fsum(weights)
    return _Steps(parts, [weight / whole for weight in weights]).at(at)


def _quantile(parts: Sequence[Tally], weights: Sequence[float], at: float) -> tuple[float, VariancePart | None]:
    """The least value that a share `at` of the units does not exceed; None where its interval leaves the data."""
    if len(parts) == 1:
        return _by_ranks(parts[0], at)
    steps = _Steps(parts, weights)
    value = steps.at(at)
    shares = [_share(part, value) for part in parts]
    reach = STEPS * math.sqrt(
        math.fsum(w * w * share * (1 - share) / part.n for w, share, part in zip(weights, shares, parts, strict=True))
    )
    if at - reach < steps.first or at + reach > 1:
        return 0.0, None
    spread = (steps.at(at + reach) - steps.at(at - reach)) / (2 * STEPS)
    return value, VariancePart(spread * spread, sum(part.n for part in parts))


def _by_ranks(arm: Tally, at: float) -> tuple[float, VariancePart | None]:
    """The same where there are no strata: whole ranks, the outer ones."""
    n = arm.n
    step = STEPS * math.sqrt(n * at * (1 - at))
    below, above = math.floor(n * at - step), math.ceil(n * at + step)
    if below < 1 or above > n:
        return 0.0, None
    # A hair below: 0.95 x 20 in floats may be more than 19.
    low, value, high = arm.ranked((below, math.ceil(n * at - 1e-9), above))
    return value, VariancePart(((high - low) / (2 * STEPS)) ** 2, n)


class _Steps:
    """The weighted share of units at or below each value."""

    def __init__(self, parts: Sequence[Tally], weights: Sequence[float]) -> None:
        jumps: dict[float, float] = {}
        for part, weight in zip(parts, weights, strict=True):
            n = part.n
            for value, count in zip(part.values, part.counts, strict=True):
                jumps[value] = jumps.get(value, 0.0) + weight * count / n
        self.values = sorted(jumps)
        self.shares = list(accumulate(jumps[value] for value in self.values))

    @property
    def first(self) -> float:
        """The share at the least value: nothing lies below it."""
        return self.shares[0]

    def at(self, share: float) -> float:
        """The least value that the share of units does not exceed."""
        return self.values[min(bisect.bisect_left(self.shares, share - HAIR), len(self.values) - 1)]


def _share(part: Tally, value: float) -> float:
    """Of one stratum, the share at or below a value."""
    return sum(part.counts[: bisect.bisect_right(part.values, value)]) / part.n
