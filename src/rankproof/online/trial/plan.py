"""Plan an A/B test (trial): the units and days it needs, at a fixed horizon and with always-valid methods.

The sequence is planned with `units` at the size that it needs itself, where its interval is tightest; mSPRT with
`effect` at the effect to detect. Planned looks take as many times the units of a fixed test as their limits say, with a
look after each of the days that these units take; where days are not known, after each of two weeks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rankproof.errors import InputError, UsageError
from rankproof.kernel.least import least
from rankproof.kernel.sections import counted
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.trial.days import WHOLE, Day, refuse_days
from rankproof.online.trial.effects import variance_kept
from rankproof.online.trial.moments import DENOMINATOR, NUMERATOR, Moments, from_counts, merged
from rankproof.online.trial.power import MOST_UNITS, days_needed, smallest_effect, units_needed
from rankproof.online.trial.records import Metric, Scale, TrialDesign
from rankproof.online.trial.results import MethodPlan, MetricPlan, TrialPlan
from rankproof.proving.group_sequential import SPENDING, inflation

# Past units that a rate or a mean and a standard deviation stand for: how many does not matter, only how they vary.
STANDING_FOR = 1_000_000
# Looks where days are not known, and more than which nobody makes; rounds after which looks and days agree.
FORTNIGHT, MOST_LOOKS, SETTLING = 14, 56, 3


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """The request for a plan, the same for all metrics.

    units      of both variants, to compute the effect they detect; `per_day` of both variants
    """

    scale: Scale = "relative"
    share: float = 0.5
    level: float = 0.95
    power: float = 0.8
    one_sided: bool = True
    units: int | None = None
    per_day: float | None = None


def plan_numbers(
    *,
    rate: float | None = None,
    mean: float | None = None,
    sd: float | None = None,
    effect: float | None,
    size: PlanRequest,
) -> TrialPlan:
    """A plan from a rate, or from a mean and a standard deviation, that are known from elsewhere."""
    if (rate is None) == (mean is None and sd is None):
        raise UsageError("Plan with --rate, or with --mean and --sd, or with a design and --past; give one of them.")
    if rate is not None:
        if not 0 < rate < 1:
            raise UsageError(f"A rate must lie between 0 and 1, such as 0.31; got {rate:g}.")
        past, metric = from_counts(round(rate * STANDING_FOR), STANDING_FOR), Metric("rate", "proportion")
    else:
        if mean is None or sd is None or not (math.isfinite(mean) and math.isfinite(sd) and sd > 0):
            raise UsageError("Give both --mean and --sd; the standard deviation must be greater than 0.")
        metric = Metric("mean")
        products = (sd * sd * (STANDING_FOR - 1), 0.0, 0.0, 0.0, 0.0, 0.0)
        past = Moments(STANDING_FOR, (mean, 1.0, 0.0), products)
    return _plan("unit", size, (_metric(past, metric, effect, "an effect", size, None),))


def plan_design(design: TrialDesign, past: Sequence[Day], *, effect: float | None, size: PlanRequest) -> TrialPlan:
    """A plan for the metrics that decide, from days of the past: what the control's units were like."""
    refuse_days(design, past)
    treatment = min(design.treatments, key=lambda name: design.shares[name])
    pair = design.shares[design.control] + design.shares[treatment]
    level = size.level
    if design.correction != "none":
        level = 1 - (1 - level) / len(design.treatments)
    plans = []
    for planned in design.metrics:
        if planned.role == "watch" or planned.metric.kind == "quantile":
            continue
        units = merged(
            moments
            for day in past
            for cell, moments in day.moments.items()
            if (cell.metric, cell.variant, cell.segment) == (planned.name, design.control, WHOLE)
        )
        if units.n < 2:
            raise InputError(
                f"The past has {counted(units.n, 'unit')} of {design.control} with {planned.name}; two or more are "
                "needed."
            )
        here = PlanRequest(
            planned.scale, design.shares[treatment] / pair, level, size.power, True, size.units, size.per_day
        )
        margin = planned.goal == "not_worse"
        goal = planned.margin if margin else None if effect is None else effect - planned.margin
        if goal is not None and goal <= 0:
            raise UsageError(
                f"{planned.name} must be better by {planned.margin:g} at least: plan for a greater effect."
            )
        plans.append(_metric(units, planned.metric, goal, "a margin" if margin else "an effect", here, units.n))
    if not plans:
        raise UsageError("The design decides by quantiles only, and a plan needs a mean, a proportion or a ratio.")
    size = PlanRequest(size.scale, design.shares[treatment] / pair, level, size.power, True, size.units, size.per_day)
    return _plan(design.unit, size, tuple(plans))


def _plan(unit: str, size: PlanRequest, metrics: tuple[MetricPlan, ...]) -> TrialPlan:
    return TrialPlan(unit, size.share, size.level, size.one_sided, size.power, size.units, size.per_day, metrics)


def _metric(
    past: Moments, metric: Metric, effect: float | None, asks: str, size: PlanRequest, past_units: int | None
) -> MetricPlan:
    if effect is None and size.units is None:
        raise UsageError("Give --effect, the true effect to detect, or --units, to learn which effect they detect.")
    if effect is not None and not (math.isfinite(effect) and effect != 0):
        raise UsageError(f"An effect to plan for must be a number other than 0; got {effect:g}.")
    share_left = variance_kept(past, Moments()) if metric.covariate else None
    below = past.means[DENOMINATOR]
    return MetricPlan(
        metric=metric.name,
        asks="a margin" if asks == "a margin" else "an effect",
        effect=effect,
        scale=size.scale,
        mean=past.means[NUMERATOR] / below,
        sd=_sd(past) * math.sqrt(1.0 if share_left is None else share_left),
        past_units=past_units,
        variance_kept=share_left,
        methods=_methods(past, metric, effect, size),
    )


def _methods(past: Moments, metric: Metric, effect: float | None, size: PlanRequest) -> tuple[MethodPlan, ...]:
    """At a fixed horizon first, then those that may be looked at any time."""

    def shows(units: int | None, method: str) -> float | None:
        if units is None:
            return None
        return smallest_effect(
            past, metric, units, method, scale=size.scale, share=size.share, level=size.level, power=size.power,
            one_sided=size.one_sided,
        )  # fmt: skip

    def needs(method: str) -> int | None:
        if effect is None:
            return None
        return units_needed(
            past, metric, effect, method, scale=size.scale, share=size.share, level=size.level, power=size.power,
            one_sided=size.one_sided,
        )  # fmt: skip

    def enough(units: int) -> bool:
        shown = shows(units, f"sequence(units={units})")
        return effect is not None and shown is not None and shown <= abs(effect)

    fixed = shows(size.units, "welch")
    once = needs("welch")
    methods = [_method("welch", once, fixed, size), *_planned_looks(once, fixed, size)]
    always = None if effect is None else least(enough, first=4, most=MOST_UNITS)
    if always or size.units:
        text = f"sequence(units={always or size.units})"
        methods.append(_method(text, always, shows(size.units, text), size))
    mixing = fixed if effect is None else abs(effect)
    if mixing:
        text = f"msprt(effect={mixing:.6g})"
        methods.append(_method(text, needs(text), shows(size.units, text), size))
    return tuple(methods)


def _planned_looks(once: int | None, fixed: float | None, size: PlanRequest) -> list[MethodPlan]:
    """By each spending of error: more traffic than a fixed test has, and no more than this."""
    plans = []
    for kind in SPENDING:
        looks, times = FORTNIGHT, 1.0
        for _ in range(SETTLING):  # more looks take more days, which are more looks
            times = inflation(kind, looks, size.level, size.power, not size.one_sided)
            of = size.units if once is None else once * times
            if of is None or size.per_day is None or (days := days_needed(math.ceil(of), size.per_day)) == looks:
                break
            looks = min(days, MOST_LOOKS)
        units = None if once is None else math.ceil(once * times)
        smallest = None if fixed is None else fixed * math.sqrt(times)
        plans.append(replace(_method(f"{kind}(days={looks})", units, smallest, size), looks=looks))
    return plans


def _method(text: str, units: int | None, smallest: float | None, size: PlanRequest) -> MethodPlan:
    days = None if units is None or size.per_day is None else days_needed(units, size.per_day)
    item = read_configured("trials", text).item
    return MethodPlan(text, item.always_valid, units, days, smallest, None if item.always_valid else 1)


def _sd(past: Moments) -> float:
    """Of a unit's part of the metric, by the delta method: of plain means the standard deviation."""
    below = past.means[DENOMINATOR]
    ratio = past.means[NUMERATOR] / below
    variance = (
        past.covariance(NUMERATOR, NUMERATOR)
        - 2 * ratio * past.covariance(NUMERATOR, DENOMINATOR)
        + ratio * ratio * past.covariance(DENOMINATOR, DENOMINATOR)
    )
    return math.sqrt(max(0.0, variance)) / below
