"""Planning: how many units and days a trial takes to show an effect, and which effect a number of units shows.

Past units stand for those to come: the variants are taken to have their variance, and the metric its adjustment. Only
the treatment of a proportion without covariate has another, which follows from the proportion that is planned for. An
effect is shown with a power where it is the reach of the method's own interval plus the power's normal quantile times
the standard error. For an always-valid method this is the power of the last look alone; looks before it only add.
"""

from __future__ import annotations

import math

from rankproof.errors import UsageError
from rankproof.flow.calls import Call, read_call
from rankproof.flow.searching import least
from rankproof.flow.trials.effects import effect_of
from rankproof.flow.trials.estimating import refuse_level
from rankproof.records.estimate import Estimate
from rankproof.records.metric import Metric
from rankproof.records.moments import Moments
from rankproof.records.trial import Scale
from rankproof.trials._contract import Asked, Effect

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
    """The size of the least true effect that is shown with the power; None where nothing can be said.

    units   of both variants together, of which `share` are in the treatment
    """
    _refuse(past, metric, share, power)
    asked = Asked(refuse_level(level), "greater" if one_sided else "two-sided")
    call = read_call("trials", method)
    found = _shown(past, metric, units, call, scale, share, asked, power, 0.0)
    for _ in range(SETTLING):  # a greater proportion varies more, which takes a greater effect to show
        if found is not None:
            found = _shown(past, metric, units, call, scale, share, asked, power, found)
    return found


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
    """The least number of units, of both variants together, that shows a true effect with the power.

    None where no number does: an effect of 0, or one so small that more than MOST_UNITS would be needed.
    """
    _refuse(past, metric, share, power)
    asked = Asked(refuse_level(level), "greater" if one_sided else "two-sided")
    call = read_call("trials", method)

    def enough(units: int) -> bool:
        shown = _shown(past, metric, units, call, scale, share, asked, power, effect)
        return shown is not None and shown <= abs(effect)

    return least(enough, first=4, most=MOST_UNITS)


def days_needed(units: int, per_day: float, *, whole_weeks: bool = True) -> int:
    """Days until that many units have come; whole weeks, so that every day of the week counts alike.

    >>> days_needed(10_000, 1_200)  # 8.3 days
    14
    """
    if not per_day > 0:
        raise UsageError(f"Units come at a rate above 0 a day; {per_day:g} came.")
    days = math.ceil(units / per_day)
    return math.ceil(days / WEEK) * WEEK if whole_weeks else days


def _shown(
    past: Moments,
    metric: Metric,
    units: int,
    call: Call,
    scale: Scale,
    share: float,
    asked: Asked,
    power: float,
    true: float,
) -> float | None:
    """The least effect that is shown, where the variances are those of the effect `true`."""
    from scipy.special import ndtri

    treated = round(units * share)
    moved = _moved(past, true, scale) if metric.kind == "proportion" and not metric.covariate else past
    made = effect_of(_resized(past, units - treated), _resized(moved, treated), metric, scale)
    if made.value is None:
        return None
    # The interval of a value of 0: whatever the value, its reach is the same.
    answer = call.item.answer(Effect(0.0, made.parts, made.n), asked, call.values)
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
        raise UsageError("Moments say nothing about a quantile: plan with a mean or a proportion.")
    if past.n < 2:
        raise UsageError("Planning takes two past units or more, to see how much they vary.")
    if not 0 < share < 1:
        raise UsageError(f"The treatment's share of units lies between 0 and 1; {share:g} came.")
    if not 0.5 <= power < 1:
        raise UsageError(f"A power lies between 0.5 and 1, such as 0.8; {power:g} came.")
