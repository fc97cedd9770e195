"""Reading: one look at a trial from its days, for people: the verdict, and everything that stands beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rankproof.flow.trials.days import left_out, periods
from rankproof.flow.trials.deciding import Judged, judge, verdict_of
from rankproof.flow.trials.effects import variance_kept
from rankproof.flow.trials.estimating import infer_family
from rankproof.flow.trials.novelty import by_day
from rankproof.flow.trials.pooling import Pooled, pooled_effect
from rankproof.flow.trials.projecting import POWER, units_to_decide
from rankproof.records.comparison import Adjusted
from rankproof.records.day import WHOLE, Day
from rankproof.records.estimate import Answer
from rankproof.records.moments import merged
from rankproof.records.trial import VariantEffect
from rankproof.records.trialdesign import TrialDesign, TrialMetric
from rankproof.records.trialreading import DayEffect, MetricEffect, Projection, Trend, TrialReading, VariantStatus
from rankproof.records.verdict import Verdict


def read_trial(
    design: TrialDesign, days: Sequence[Day], *, confidence: float | None = None, variant: str | None = None
) -> Verdict:
    """The verdict with its reading."""
    judged = judge(design, days, confidence=confidence, variant=variant)
    level = design.confidence if confidence is None else confidence
    verdict = verdict_of(design, days, judged)
    return replace(verdict, trial=_reading(design, days, judged, level))


def _reading(design: TrialDesign, days: Sequence[Day], judged: Judged, level: float) -> TrialReading:
    look = judged.look
    early = look.planned is not None and look.came < look.planned
    withheld = (
        "units did not come in the planned shares"
        if not judged.ratio.holds
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
    )
    if withheld:
        return reading
    segments, family = _segments(design, days, level)
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


def _effects(design: TrialDesign, days: Sequence[Day], judged: Judged, level: float) -> tuple[MetricEffect, ...]:
    """Every metric and variant; of one metric all variants are corrected together."""
    found = []
    for metric in design.metrics:
        pooled = {name: judged.effects[name, metric.name] for name in design.treatments}
        answers, adjusted = infer_family(
            [p.effect for p in pooled.values()], design.method, level=level, correction=design.correction
        )
        for name, answer, also in zip(design.treatments, answers, adjusted, strict=True):
            kept = _kept(days, metric, design.control, name) if metric.metric.covariate else None
            found.append(_told(metric, name, pooled[name], answer, also, variance_kept=kept))
    return tuple(found)


def _segments(design: TrialDesign, days: Sequence[Day], level: float) -> tuple[tuple[MetricEffect, ...], int]:
    """Decision metrics by segment, corrected as one family of their own."""
    names = sorted({cell.segment for day in days for cell in (*day.moments, *day.tallies)} - {WHOLE})
    asked = [
        (metric, name, segment, pooled_effect(days, metric, design.control, name, segment))
        for metric in design.metrics
        if metric.role == "decision"
        for name in design.treatments
        for segment in names
    ]
    answers, adjusted = infer_family(
        [pooled.effect for *_, pooled in asked], design.method, level=level, correction=design.correction
    )
    found = tuple(
        _told(metric, name, pooled, answer, also, segment=segment)
        for (metric, name, segment, pooled), answer, also in zip(asked, answers, adjusted, strict=True)
    )
    return found, len(found)


def _told(
    metric: TrialMetric,
    variant: str,
    pooled: Pooled,
    answer: Answer,
    adjusted: Adjusted | None,
    *,
    segment: str = "",
    variance_kept: float | None = None,
) -> MetricEffect:
    effect = VariantEffect(metric.metric, variant, metric.scale, replace(answer, n=pooled.n), adjusted)
    return MetricEffect(effect, metric.role, segment, pooled.control, pooled.treatment, variance_kept)


def _kept(days: Sequence[Day], metric: TrialMetric, control: str, variant: str) -> float | None:
    """Of the variance, what the covariate leaves among all units together."""
    arms = [
        merged(
            found
            for day in days
            for cell, found in day.moments.items()
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
            found, line = by_day(days, metric, design.control, name, level)
            daily += found
            trends.append(line)
    return tuple(daily), tuple(trends)


def _projections(design: TrialDesign, judged: Judged) -> tuple[Projection, ...]:
    """For every open ruling on a metric that has an effect."""
    metrics = {metric.name: metric for metric in design.metrics}
    found = []
    for name in design.treatments:
        for ruling in judged.rulings[name]:
            pooled = judged.effects.get((name, ruling.measure))
            if ruling.status != "UNDECIDED" or pooled is None or pooled.effect.value is None or pooled.effect.reason:
                continue
            look, metric = judged.look, metrics[ruling.measure]
            units = units_to_decide(pooled.effect, pooled.n, metric.threshold, look.call, look.level)
            more = None if units is None else max(0, units - pooled.n)
            rate = max(1, round(look.per_day * pooled.n / look.came))
            days = None if more is None else -(-more // rate)
            found.append(Projection(metric.name, name, POWER, units, more, days))
    return tuple(found)
