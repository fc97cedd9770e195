"""Power of an A/B test: units and days for an effect, effects for a number of units, units still needed.

Past units stand for those to come: the variants are taken to have their variance, and the metric its adjustment. Only
the treatment of a proportion without covariate has another, which follows from the proportion that is planned for. An
effect is shown with a power where it is the reach of the method's own interval plus the power's normal quantile times
the standard error. For an always-valid method this is the power of the last look alone; looks before it only add.

The effect is taken to be the true one, the variance of a unit to stay, and units to come in the same shares. A look
with m times the units decides where the effect is further from the threshold than the reach of the method's own bound
plus the power's normal quantile times the standard error. For an always-valid method that is the power of one look;
looks before it only add to it.
"""

from __future__ import annotations

import math

from rankproof.errors import UsageError
from rankproof.kernel.estimate import Estimate
from rankproof.kernel.least import least
from rankproof.kernel.specs.calls import Configured, read_configured
from rankproof.online.trial.effects import effect_of
from rankproof.online.trial.estimate import refuse_level
from rankproof.online.trial.moments import Moments
from rankproof.online.trial.records import Metric, Scale
from rankproof.online.trials.contract import Effect, EffectRequest, VariancePart

# More units than anybody has: beyond this the answer is "no number of units", which is None.
MOST_UNITS = 100_000_000_000
WEEK = 7
# Rounds after which the least effect on a proportion no longer moves.
SETTLING = 30


def smallest_effect(
    past: Moments,
    metric: Metric,
    units: int,
    method: str = "welch",
    *,
    scale: Scale = "absolute",
    share: float = 0.5,
    level: float = 0.95,
    power: float = 0.8,
    one_sided: bool = False,
) -> float | None:
    """The size of the least true effect that is detected with the power; None where it cannot be computed.

    units   of both variants together, of which `share` are in the treatment
    """
    _refuse(past, metric, share, power)
    request = EffectRequest(refuse_level(level), "greater" if one_sided else "two-sided")
    call = read_configured("trials", method)
    smallest = _shown(past, metric, units, call, scale, share, request, power, 0.0)
    for _ in range(SETTLING):  # a greater proportion varies more, which takes a greater effect to show
        if smallest is not None:
            smallest = _shown(past, metric, units, call, scale, share, request, power, smallest)
    return smallest


def units_needed(
    past: Moments,
    metric: Metric,
    effect: float,
    method: str = "welch",
    *,
    scale: Scale = "absolute",
    share: float = 0.5,
    level: float = 0.95,
    power: float = 0.8,
    one_sided: bool = False,
) -> int | None:
    """The least number of units, of both variants together, that detects a true effect with the power.

    None where no number does: an effect of 0, or one so small that more than MOST_UNITS would be needed.
    """
    _refuse(past, metric, share, power)
    request = EffectRequest(refuse_level(level), "greater" if one_sided else "two-sided")
    call = read_configured("trials", method)

    def enough(units: int) -> bool:
        shown = _shown(past, metric, units, call, scale, share, request, power, effect)
        return shown is not None and shown <= abs(effect)

    return least(enough, first=4, most=MOST_UNITS)


def days_needed(units: int, per_day: float, *, whole_weeks: bool = True) -> int:
    """Days until that many units have come; whole weeks, so that every day of the week counts alike.

    >>> days_needed(10_000, 1_200)  # 8.3 days
    14
    """
    if not per_day > 0:
        raise UsageError(f"Units per day must be above 0; got {per_day:g}.")
    days = math.ceil(units / per_day)
    return math.ceil(days / WEEK) * WEEK if whole_weeks else days


def _shown(
    past: Moments,
    metric: Metric,
    units: int,
    call: Configured,
    scale: Scale,
    share: float,
    request: EffectRequest,
    power: float,
    true: float,
) -> float | None:
    """The least effect that is detected, where the variances are those of the effect `true`."""
    from scipy.special import ndtri

    treated = round(units * share)
    moved = _moved(past, true, scale) if metric.kind == "proportion" and not metric.covariate else past
    made = effect_of(_resized(past, units - treated), _resized(moved, treated), metric, scale)
    if made.value is None:
        return None
    # The interval of a value of 0: whatever the value, its reach is the same.
    answer = call.item.answer(Effect(0.0, made.parts, made.n), request, call.values)
    if not isinstance(answer, Estimate):
        return None
    return -answer.low + float(ndtri(power)) * math.sqrt(made.variance)


def _moved(past: Moments, true: float, scale: Scale) -> Moments:
    """Units of 0 and 1 after an effect, as far as a proportion can go."""
    before, below, covariate = past.means
    share = min(1.0, max(0.0, before + true * (before if scale == "relative" else 1.0)))
    return Moments(past.n, (share, below, covariate), (past.n * share * (1 - share), 0.0, 0.0, 0.0, 0.0, 0.0))


def _resized(past: Moments, n: int) -> Moments:
    """As many units with the means and variances of the past."""
    if n < 2:
        return Moments()
    yy, dd, xx, yd, yx, dx = (product * ((n - 1) / (past.n - 1)) for product in past.products)
    return Moments(n, past.means, (yy, dd, xx, yd, yx, dx))


def _refuse(past: Moments, metric: Metric, share: float, power: float) -> None:
    if metric.kind == "quantile":
        raise UsageError("A quantile cannot be planned from moments. Plan with a mean or a proportion.")
    if past.n < 2:
        raise UsageError("Planning takes two past units or more, to see how much they vary.")
    if not 0 < share < 1:
        raise UsageError(f"The treatment's share of units must lie between 0 and 1; got {share:g}.")
    if not 0.5 <= power < 1:
        raise UsageError(f"A power must lie between 0.5 and 1, such as 0.8; got {power:g}.")


POWER = 0.8


def units_to_decide(
    effect: Effect, n: int, threshold: float, call: Configured, level: float, power: float = POWER
) -> int | None:
    """Units of both variants, with those that came, at which a one-sided bound would decide with the power.

    None where no number does: the effect lies on the threshold, or more than MOST_UNITS would be needed.
    """
    from scipy.special import ndtri

    assert effect.value is not None
    distance = abs(effect.value - threshold)
    request = EffectRequest(level, "greater")

    def enough(units: int) -> bool:
        grown = _grown(effect, units / n)
        answer = call.item.answer(grown, request, call.values)
        if not isinstance(answer, Estimate):
            return False
        return distance >= -answer.low + float(ndtri(power)) * math.sqrt(grown.variance)

    return least(enough, first=max(4, n), most=MOST_UNITS)


def _grown(effect: Effect, times: float) -> Effect:
    """An effect of 0 with as many times the units: the reach of its interval is that of any value."""
    parts = tuple(VariancePart(part.variance / times, max(2, round(part.n * times))) for part in effect.parts)
    return Effect(0.0, parts, max(2, round(effect.n * times)))
