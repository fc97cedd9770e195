"""Pooling: one effect from many days, without mixing days on which variants had different shares.

Days on which the treatment has the same planned share beside the control form a period. Days are strata, within which
variants are compared, and so are the strata of the design within each day. Within a period a stratum counts by its
share of the units; periods are weighed by what they know, n_c n_t / (n_c + n_t): the inverse of the variance, where
units vary alike (as Mantel and Haenszel weigh tables, Journal of the National Cancer Institute 22, 1959). Pooling all
units would mislead: if a treatment has more of the traffic on better days, by plan or by a fault, it looks better
without any effect (Simpson's paradox).

Always-valid methods count time by units. With several periods it is counted by what is known, 4 n_c n_t / (n_c + n_t)
units, so that their time runs with the inverse of the variance; for two halves this is the number of units.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from rankproof.online.trial.days import WHOLE, Day, DayCell
from rankproof.online.trial.effects import NO_UNITS, stratified_effect
from rankproof.online.trial.estimate import refuse_other_kind
from rankproof.online.trial.moments import DENOMINATOR, NUMERATOR, Moments, Tally, merged
from rankproof.online.trial.quantiles import quantile_of, stratified_quantile_effect
from rankproof.online.trial.records import Metric, Scale, TrialMetric
from rankproof.online.trials.contract import Effect, EffectLook, times

Statistic = TypeVar("Statistic", Moments, Tally)
# A stratum with fewer units in a variant does not say how much its units vary: it is added to others of its period.
LEAST = 2
THIN = "strata of few units"


@dataclass(frozen=True, slots=True)
class PooledEffect:
    """The effect of one variant on one metric.

    n             units of both variants that it rests on
    information   4 n_c n_t / (n_c + n_t), over periods: the units of two equal halves that would know as much
    periods       of different shares
    left_out      units of periods in which a variant has fewer than two
    control       the metric in the control and in the variant, both by the same weights and before any adjustment
    """

    effect: Effect
    n: int
    periods: int
    left_out: int = 0
    control: float | None = None
    treatment: float | None = None
    information: float = 0.0


def looked_at(
    days: Sequence[Day],
    metric: TrialMetric,
    control: str,
    variant: str,
    segment: str = WHOLE,
) -> PooledEffect:
    """The same with the looks that were possible so far: one after each date, with what had come by then."""
    whole = pooled_effect(days, metric, control, variant, segment)
    if whole.effect.value is None:
        return whole
    dates = sorted({day.dates[-1] for day in days if day.dates})
    so_far = [
        pooled_effect([day for day in days if day.dates and day.dates[-1] <= date], metric, control, variant, segment)
        for date in dates[:-1]
    ]
    looks = tuple(EffectLook(look.n, look.information) for look in (*so_far, whole))
    return replace(whole, effect=replace(whole.effect, looks=looks))


def pooled_effect(
    days: Sequence[Day], metric: TrialMetric, control: str, variant: str, segment: str = WHOLE
) -> PooledEffect:
    """The effect of a variant over all days on which it had traffic."""
    periods: dict[str, list[Day]] = {}
    for day in days:
        if variant in day.shares and control in day.shares:
            periods.setdefault(f"{day.shares[variant] / day.shares[control]:.9g}", []).append(day)
    cells = [DayCell(metric.name, name, segment=segment) for name in (control, variant)]
    if metric.metric.kind == "quantile":
        tallied = _arranged([[day.tallies for day in period] for period in periods.values()], cells, _tallied)
        return _pooled(tallied, metric, stratified_quantile_effect, _quantile_of)
    summed = _arranged([[day.moments for day in period] for period in periods.values()], cells, merged)
    for units in (*summed.control.values(), *summed.treatment.values()):
        refuse_other_kind(units, metric.metric)
    return _pooled(summed, metric, _larger, _ratio_of)


def _larger(
    control: Mapping[str, Moments],
    treatment: Mapping[str, Moments],
    metric: Metric,
    scale: Scale,
    weights: Mapping[str, float],
) -> Effect:
    return stratified_effect(control, treatment, metric, scale, weights, "larger")


@dataclass(slots=True)
class _Arms(Generic[Statistic]):
    """Both variants by stratum, where a stratum lies within one period; `known` is n_c n_t / (n_c + n_t) of all."""

    control: dict[str, Statistic] = field(default_factory=dict)
    treatment: dict[str, Statistic] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)
    known: float = 0.0
    periods: int = 0
    left_out: int = 0


def _arranged(
    periods: Sequence[Sequence[Mapping[DayCell, Statistic]]],
    cells: Sequence[DayCell],
    add: Callable[[Iterable[Statistic]], Statistic],
) -> _Arms[Statistic]:
    arms: _Arms[Statistic] = _Arms()
    for number, days in enumerate(periods):
        before, after = (_by_stratum(days, cell) for cell in cells)
        control, treatment = _thick(before, after, add)
        sizes = [sum(part.n for part in arm.values()) for arm in (control, treatment)]
        if min(sizes) < LEAST:
            arms.left_out += sum(sizes)
            continue
        known = sizes[0] * sizes[1] / sum(sizes)
        arms.known += known
        arms.periods += 1
        for stratum, part in control.items():
            key = f"{number}|{stratum}"
            arms.control[key], arms.treatment[key] = part, treatment[stratum]
            # Within a period strata count by their share of its units: post-stratification.
            arms.weights[key] = known * (part.n + treatment[stratum].n) / sum(sizes)
    return arms


def widened(pooled: PooledEffect, spread: float) -> PooledEffect:
    """The same with a variance that is so many times as large, as of units that count on several days."""
    if spread == 1:
        return pooled
    effect = pooled.effect
    relative = None if effect.relative is None else effect.relative.times(spread)
    return replace(pooled, effect=replace(effect, parts=times(effect.parts, spread), relative=relative))


def _pooled(
    arms: _Arms[Statistic],
    metric: TrialMetric,
    effect_of: Callable[..., Effect],
    value_of: Callable[[Mapping[str, Statistic], Mapping[str, float], TrialMetric], float | None],
) -> PooledEffect:
    if not arms.periods:
        return PooledEffect(Effect(None, (), 0, NO_UNITS), 0, 0, arms.left_out)
    effect = effect_of(arms.control, arms.treatment, metric.metric, metric.scale, arms.weights)
    n = effect.n
    if arms.periods > 1:
        effect = replace(effect, n=round(4 * arms.known))
    control, treatment = (value_of(arm, arms.weights, metric) for arm in (arms.control, arms.treatment))
    return PooledEffect(effect, n, arms.periods, arms.left_out, control, treatment, 4 * arms.known)


def _ratio_of(arm: Mapping[str, Moments], weights: Mapping[str, float], metric: TrialMetric) -> float | None:
    above, below = (
        math.fsum(weights[name] * part.means[quantity] for name, part in arm.items())
        for quantity in (NUMERATOR, DENOMINATOR)
    )
    return above / below if below else None


def _quantile_of(arm: Mapping[str, Tally], weights: Mapping[str, float], metric: TrialMetric) -> float | None:
    assert metric.metric.at is not None
    return quantile_of(list(arm.values()), [weights[name] for name in arm], metric.metric.at)


def _by_stratum(days: Sequence[Mapping[DayCell, Statistic]], cell: DayCell) -> dict[str, Statistic]:
    """The units of a cell by day and stratum."""
    return {
        f"{at}|{here.stratum}": statistic
        for at, day in enumerate(days)
        for here, statistic in sorted(day.items(), key=lambda item: item[0])
        if (here.metric, here.variant, here.segment) == (cell.metric, cell.variant, cell.segment)
    }


def _thick(
    control: dict[str, Statistic],
    treatment: dict[str, Statistic],
    add: Callable[[Iterable[Statistic]], Statistic],
) -> tuple[dict[str, Statistic], dict[str, Statistic]]:
    """The same strata in both variants, each with two units or more; planned shares are one, so adding some is fair."""
    names = list(dict.fromkeys((*control, *treatment)))
    thin = [name for name in names if any(name not in arm or arm[name].n < LEAST for arm in (control, treatment))]
    large = [name for name in names if name not in thin]
    if not thin:
        return control, treatment
    if large and any(sum(arm[name].n for name in thin if name in arm) < LEAST for arm in (control, treatment)):
        # Together they are too few still: the greatest of the others takes them in.
        greatest = max(large, key=lambda name: control[name].n + treatment[name].n)
        large.remove(greatest)
        thin.append(greatest)
    both = []
    for arm in (control, treatment):
        rest = add([arm[name] for name in thin if name in arm])
        both.append({**{name: arm[name] for name in large}, THIN: rest})
    return both[0], both[1]


def _tallied(parts: Iterable[Tally]) -> Tally:
    return sum(parts, Tally())
