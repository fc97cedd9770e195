"""Effects on quantiles, such as the 95th percentile of latency, where every unit has one value.

With q n units below it, chance moves the rank of the quantile by sqrt(n q (1 - q)): the values at 1.96 such steps on
both sides are 2 x 1.96 standard errors apart (Woodruff, Confidence intervals for medians and other position measures,
Journal of the American Statistical Association 47, 1952; for trials: Deng, Knoblich and Lu, KDD 2018). No density has
to be estimated. Values of one user that depend on each other would make it too narrow: take one value for each unit.
"""

from __future__ import annotations

import math

from rankproof.flow.trials.effects import between
from rankproof.records.metric import Metric
from rankproof.records.tally import Tally
from rankproof.records.trial import Scale
from rankproof.trials._contract import Effect, Part

STEPS = 1.959963984540054


def quantile_effect(control: Tally, treatment: Tally, metric: Metric, scale: Scale = "absolute") -> Effect:
    """The effect of the treatment on a quantile."""
    assert metric.at is not None  # a metric that is a quantile has one
    n = control.n + treatment.n
    found = [_quantile(arm, metric.at) for arm in (control, treatment)]
    (low, of_control), (high, of_treatment) = found
    if of_control is None or of_treatment is None:
        return Effect(None, (), n, f"a variant has too few units for its {metric.at:g} quantile")
    if of_control.variance == 0 or of_treatment.variance == 0:
        reason = f"too many units share the value at the {metric.at:g} quantile: round values less"
        return Effect(high - low, (), n, reason)
    return between(low, [of_control], high, [of_treatment], n, metric, scale)


def _quantile(arm: Tally, at: float) -> tuple[float, Part | None]:
    """The least value that a share `at` of the units does not exceed; None where its interval leaves the data."""
    n = arm.n
    step = STEPS * math.sqrt(n * at * (1 - at))
    below, above = math.floor(n * at - step), math.ceil(n * at + step)
    if below < 1 or above > n:
        return 0.0, None
    # A hair below: 0.95 x 20 in floats may be more than 19.
    low, value, high = arm.ranked((below, math.ceil(n * at - 1e-9), above))
    return value, Part(((high - low) / (2 * STEPS)) ** 2, n)
