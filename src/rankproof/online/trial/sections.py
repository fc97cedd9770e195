"""An A/B test (trial) as sections: units, variants, effects, days and segments."""

from __future__ import annotations

from rankproof.kernel.estimate import Answer, Estimate
from rankproof.kernel.sections import Section, confidence_interval, counted, p_phrase, p_text, percent, verdict_word
from rankproof.online.trial.records import Scale, effect_text
from rankproof.online.trial.results import MetricEffect, TrialReading
from rankproof.proving.records import Adjusted

NONE = "none"


def trial_sections(reading: TrialReading) -> list[Section]:
    """The parts that have something to say."""
    parts = [
        Section("Units", _units(reading)),
        Section("Data", _data(reading)),
        Section("Variants", (), _variants(reading), 2),
        Section("Effects", _effect_lines(reading), _effects(reading), 3),
        Section("Day by day", _trend_lines(reading), _days(reading), 3),
        Section("Segments", _segment_lines(reading), _segments(reading), 3),
    ]
    return [section for section in parts if section.lines or section.table]


def _units(reading: TrialReading) -> tuple[str, ...]:
    ratio = reading.sample_ratio
    counts = ", ".join(f"{name} {n:,}" for name, n in ratio.observed.items())
    total = sum(ratio.observed.values())
    lines = [
        counted(total, reading.unit) + _span(reading),
        f"{counts}; as planned by {p_phrase(ratio.p_value)} (a mismatch is below {ratio.alpha:g})",
    ]
    losses = {name: loss for name, loss in ratio.detectable.items() if loss is not None}
    if ratio.holds and losses:
        shares = ", ".join(f"{loss:.2%} of {name}" for name, loss in losses.items())
        lines.append(f"a loss of {shares} would be noticed {percent(ratio.power)} of the time")
    if len(reading.periods) > 1:
        shares = "; ".join(", ".join(f"{n} {percent(s)}" for n, s in period.items()) for period in reading.periods)
        lines.append(f"periods of different shares, compared within each: {shares}")
    lines += [f"left out: {count:,} {reason}" for reason, count in reading.dropped.items()]
    return tuple(lines)


def _data(reading: TrialReading) -> tuple[str, ...]:
    """What was checked and holds; what does not has a ruling of its own."""
    data = reading.data
    if data is None or not reading.dates:
        return ()
    names = ", ".join(check.title for check in data.checks if check.holds)
    lines = [f"checked, and so: {names}"] if names else []
    least = min(data.parts, key=lambda part: part.p_value, default=None)
    if least is not None and least.holds:
        lines.append(
            f"of {counted(len(data.parts), 'day, stratum or segment', 'days, strata and segments')} the shares of "
            f"{least.part} are furthest from the plan ({p_phrase(least.p_value)} at all looks; a mismatch is below "
            f"{least.alpha:.2g})"
        )
    return tuple(lines)


def _span(reading: TrialReading) -> str:
    """On which days units came, behind their number; "" where days are not known."""
    if not reading.dates:
        return ""
    days = len(reading.dates)
    span = reading.dates[0] if days == 1 else f"{reading.dates[0]} to {reading.dates[-1]}"
    return f" on {counted(days, 'day')}, {span}: {reading.per_day:,.0f} a day"


def _variants(reading: TrialReading) -> tuple[tuple[str, ...], ...]:
    """One row for each, where there are several."""
    if len(reading.variants) < 2:
        return ()
    rows = [
        (v.status, v.variant, ", ".join(f"{r.measure} {r.status}" for r in v.rulings if r.status != "PASS"))
        for v in reading.variants
    ]
    return ("verdict", "variant", "not passed"), *rows


def _effects(reading: TrialReading) -> tuple[tuple[str, ...], ...]:
    if not reading.effects:
        return ()
    other = reading.variants[0].variant if len(reading.variants) == 1 else "variant's"
    several = any(effect.estimated.adjusted is not None for effect in reading.effects)
    head = (
        "metric",
        "variant",
        "role",
        reading.control,
        other,
        "effect",
        confidence_interval(reading.confidence, short=True),
    )
    rows = [_effect(effect, several) for effect in reading.effects]
    return (*head, "p", *(("adjusted p",) if several else ()), "result"), *rows


def _effect(effect: MetricEffect, several: bool) -> tuple[str, ...]:
    answer = effect.estimated
    cells = (
        answer.metric.name,
        answer.variant,
        effect.role,
        _level(effect.control),
        _level(effect.treatment),
        *_answer(answer.effect, answer.scale),
    )
    return (*cells, *((_adjusted(answer.adjusted),) if several else ()), verdict_word(answer.direction))


def _effect_lines(reading: TrialReading) -> tuple[str, ...]:
    if reading.withheld:
        return (f"withheld: {reading.withheld}",)
    lines = [
        f"{e.estimated.metric.name}, {e.estimated.variant}: {e.estimated.metric.covariate} leaves "
        f"{e.variance_kept:.0%} of "
        "the variance (CUPED)"
        for e in reading.effects
        if e.variance_kept is not None
    ]
    lines += [
        f"{e.estimated.metric.name}, {e.estimated.variant}: the effect cannot be estimated: {e.estimated.effect.reason}"
        for e in reading.effects
        if not isinstance(e.estimated.effect, Estimate)
    ]
    return tuple(lines)


def _days(reading: TrialReading) -> tuple[tuple[str, ...], ...]:
    if len({day.date for day in reading.by_day}) < 2:
        return ()
    scales = _scales(reading)
    rows = [(day.date, day.metric, day.variant, *_answer(day.effect, scales[day.metric])[:2]) for day in reading.by_day]
    return ("day", "metric", "variant", "effect", confidence_interval(reading.confidence, short=True)), *rows


def _trend_lines(reading: TrialReading) -> tuple[str, ...]:
    scales = _scales(reading)
    lines = [
        f"{t.metric}, {t.variant}: the effect changes by {effect_text(t.slope.value, scales[t.metric])} a day "
        f"({_ends(t.slope, scales[t.metric])}, {p_phrase(t.slope.p_value)})"
        for t in reading.trends
        if isinstance(t.slope, Estimate)
    ]
    if lines:
        lines.append("each day by itself, by Welch's confidence interval; neither days nor the trend decide anything")
    return tuple(lines)


def _segments(reading: TrialReading) -> tuple[tuple[str, ...], ...]:
    if not reading.segments:
        return ()
    rows = [
        (
            effect.segment,
            effect.estimated.metric.name,
            effect.estimated.variant,
            *_answer(effect.estimated.effect, effect.estimated.scale),
            _adjusted(effect.estimated.adjusted),
            verdict_word(effect.estimated.direction),
        )
        for effect in reading.segments
    ]
    head = (
        "segment",
        "metric",
        "variant",
        "effect",
        confidence_interval(reading.confidence, short=True),
        "p",
        "adjusted p",
        "result",
    )
    return head, *rows


def _segment_lines(reading: TrialReading) -> tuple[str, ...]:
    if not reading.segments:
        return ()
    how = f"corrected by {reading.correction}" if reading.correction != "none" else "not corrected"
    return (f"a family of their own of {reading.family}, {how}; segments decide nothing",)


def _scales(reading: TrialReading) -> dict[str, Scale]:
    return {effect.estimated.metric.name: effect.estimated.scale for effect in reading.effects}


def _answer(answer: Answer, scale: Scale) -> tuple[str, str, str]:
    """Effect, interval and p-value as texts."""
    if not isinstance(answer, Estimate):
        return (NONE if answer.value is None else effect_text(answer.value, scale), NONE, NONE)
    return effect_text(answer.value, scale), _ends(answer, scale), p_text(answer.p_value)


def _ends(answer: Estimate, scale: Scale) -> str:
    return f"{effect_text(answer.low, scale)} to {effect_text(answer.high, scale)}"


def _adjusted(adjusted: Adjusted | None) -> str:
    return "" if adjusted is None else p_text(adjusted.p_value)


def _level(value: float | None) -> str:
    return NONE if value is None else f"{value:.4g}"
