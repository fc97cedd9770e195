"""Read: one look at an A/B test from its days: the verdict, everything beside it, and novelty effects.

Days are weighed by the inverse of their variance; the slope of the weighted line has the variance 1 / sum(w (x - x̄)^2),
and a normal distribution for many units a day. One look only: it is no sequential test, and it decides nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.trial.days import WHOLE, Day, left_out, periods
from rankproof.online.trial.decide import TrialLook, effect_at, judge_variants, verdict_of
from rankproof.online.trial.effects import variance_kept
from rankproof.online.trial.estimate import infer_family
from rankproof.online.trial.moments import merged
from rankproof.online.trial.pooled_effect import PooledEffect, pooled_effect
from rankproof.online.trial.power import POWER, units_to_decide
from rankproof.online.trial.records import TrialDesign, TrialMetric, VariantEffect
from rankproof.online.trial.results import DayEffect, MetricEffect, Projection, Trend, TrialReading, VariantStatus
from rankproof.online.trials.contract import Effect, EffectRequest
from rankproof.proving.records import Adjusted
from rankproof.proving.verdict import Verdict

# Two days always lie on a line.
LEAST_DAYS = 3


def by_day(
    days: Sequence[Day], metric: TrialMetric, control: str, variant: str, level: float
) -> tuple[list[DayEffect], Trend]:
    """The effect on every date, each by itself with Welch's interval, and how it changes from day to day."""
    call = read_configured("trials", "welch")
    dates = sorted({date for day in days for date in day.dates if len(day.dates) == 1})
    daily, effects = [], []
    for date in dates:
        here = [day for day in days if day.dates == (date,)]
        effect = pooled_effect(here, metric, control, variant).effect
        effects.append(effect)
        daily.append(DayEffect(metric.name, variant, date, call.item.answer(effect, EffectRequest(level), call.values)))
    slope = trend(_day_numbers(dates), effects, level)
    return daily, Trend(metric.name, variant, len(dates), slope)


def trend(at: Sequence[float], effects: Sequence[Effect], level: float) -> Answer:
    """The change of the effect a day."""
    from scipy.special import ndtr, ndtri

    known = [
        (x, e.value, e.variance) for x, e in zip(at, effects, strict=True) if e.value is not None and e.variance > 0
    ]
    n = sum(effect.n for effect in effects)
    if len({x for x, _, _ in known}) < LEAST_DAYS:
        return NotEstimable(f"a trend takes {LEAST_DAYS} days with an effect or more", "weighted line", n)
    x, y, variance = (np.array(column, dtype=np.float64) for column in zip(*known, strict=True))
    weight = 1 / variance
    away = x - np.average(x, weights=weight)
    spread = float((weight * away * away).sum())
    slope, error = float((weight * away * y).sum()) / spread, 1 / math.sqrt(spread)
    reach = float(-ndtri((1 - level) / 2)) * error
    p = 2 * float(ndtr(-abs(slope) / error))
    return Estimate(slope, slope - reach, slope + reach, p, level, "weighted line", n)


def _day_numbers(dates: Sequence[str]) -> list[float]:
    """Days since the first, so that days without a file keep their place."""
    from datetime import date

    ordinals = [date.fromisoformat(day).toordinal() for day in dates]
    return [float(day - min(ordinals)) for day in ordinals]


def read_trial(
    design: TrialDesign, days: Sequence[Day], *, confidence: float | None = None, variant: str | None = None
) -> Verdict:
    """The verdict with its reading."""
    judged = judge_variants(design, days, confidence=confidence, variant=variant)
    level = design.confidence if confidence is None else confidence
    return replace(verdict_of(design, judged), trial=_reading(design, judged, level))


def _reading(design: TrialDesign, judged: TrialLook, level: float) -> TrialReading:
    look, days = judged.look, judged.days
    early = look.planned is not None and look.units_seen < look.planned
    withheld = (
        judged.unsound
        if judged.unsound
        else f"{look.call.item.name} takes one look, at {look.planned:,} {look.unit}s"
        if early
        else ""
    )
    reading = TrialReading(
        name=design.name,
        unit=design.unit,
        control=design.control,
        method=look.call.text,
        confidence=level,
        correction=design.correction,
        enter=design.enter,
        planned=design.units,
        dates=tuple(sorted({date for day in days for date in day.dates})),
        units=judged.ratio.observed,
        per_day=look.per_day,
        dropped=left_out(days),
        sample_ratio=judged.ratio,
        periods=tuple(shares for _, shares in periods(days)),
        variants=tuple(VariantStatus(name, judged.statuses[name], judged.rulings[name]) for name in design.treatments),
        withheld=withheld,
        data=judged.data,
    )
    if withheld:
        return reading
    segments, family = _segments(design, judged, level)
    daily, trends = _novelty(design, days, level)
    return replace(
        reading,
        effects=_effects(design, days, judged, level),
        segments=segments,
        family=family,
        by_day=daily,
        trends=trends,
        projections=_projections(design, judged),
    )


def _effects(design: TrialDesign, days: Sequence[Day], judged: TrialLook, level: float) -> tuple[MetricEffect, ...]:
    """Every metric and variant; of one metric all variants are corrected together."""
    results = []
    for metric in design.metrics:
        pooled = {name: judged.effects[name, metric.name] for name in design.treatments}
        answers, adjusted = infer_family(
            [p.effect for p in pooled.values()], design.method, level=level, correction=design.correction
        )
        for name, answer, also in zip(design.treatments, answers, adjusted, strict=True):
            share_left = _variance_left(days, metric, design.control, name) if metric.metric.covariate else None
            results.append(_metric_effect(metric, name, pooled[name], answer, also, variance_kept=share_left))
    return tuple(results)


def _segments(design: TrialDesign, judged: TrialLook, level: float) -> tuple[tuple[MetricEffect, ...], int]:
    """Decision metrics by segment, corrected as one family of their own."""
    call = judged.look.call
    days, spread = judged.days, judged.data.spread
    names = sorted({cell.segment for day in days for cell in (*day.moments, *day.tallies)} - {WHOLE})
    cells = [
        (metric, name, segment, effect_at(call, days, metric, design.control, name, segment, spread=spread))
        for metric in design.metrics
        if metric.role == "decision"
        for name in design.treatments
        for segment in names
    ]
    answers, adjusted = infer_family(
        [pooled.effect for *_, pooled in cells], design.method, level=level, correction=design.correction
    )
    results = tuple(
        _metric_effect(metric, name, pooled, answer, also, segment=segment)
        for (metric, name, segment, pooled), answer, also in zip(cells, answers, adjusted, strict=True)
    )
    return results, len(results)


def _metric_effect(
    metric: TrialMetric,
    variant: str,
    pooled: PooledEffect,
    answer: Answer,
    adjusted: Adjusted | None,
    *,
    segment: str = "",
    variance_kept: float | None = None,
) -> MetricEffect:
    effect = VariantEffect(metric.metric, variant, metric.scale, replace(answer, n=pooled.n), adjusted)
    return MetricEffect(effect, metric.role, segment, pooled.control, pooled.treatment, variance_kept)


def _variance_left(days: Sequence[Day], metric: TrialMetric, control: str, variant: str) -> float | None:
    """Of the variance, what the covariate leaves among all units together."""
    arms = [
        merged(
            moments
            for day in days
            for cell, moments in day.moments.items()
            if (cell.metric, cell.variant, cell.segment) == (metric.name, name, WHOLE)
        )
        for name in (control, variant)
    ]
    return variance_kept(arms[0], arms[1])


def _novelty(design: TrialDesign, days: Sequence[Day], level: float) -> tuple[tuple[DayEffect, ...], tuple[Trend, ...]]:
    daily: list[DayEffect] = []
    trends: list[Trend] = []
    for metric in design.metrics:
        if metric.role != "decision":
            continue
        for name in design.treatments:
            by_date, line = by_day(days, metric, design.control, name, level)
            daily += by_date
            trends.append(line)
    return tuple(daily), tuple(trends)


def _projections(design: TrialDesign, judged: TrialLook) -> tuple[Projection, ...]:
    """For every open ruling on a metric that has an effect."""
    metrics = {metric.name: metric for metric in design.metrics}
    projections = []
    for name in design.treatments:
        for ruling in judged.rulings[name]:
            pooled = judged.effects.get((name, ruling.measure))
            if ruling.status != "UNDECIDED" or pooled is None or pooled.effect.value is None or pooled.effect.reason:
                continue
            look, metric = judged.look, metrics[ruling.measure]
            units = units_to_decide(pooled.effect, pooled.n, metric.threshold, look.call, look.level)
            more = None if units is None else max(0, units - pooled.n)
            rate = max(1, round(look.per_day * pooled.n / look.units_seen))
            days = None if more is None or not look.per_day else -(-more // rate)
            projections.append(Projection(metric.name, name, POWER, units, more, days))
    return tuple(projections)
