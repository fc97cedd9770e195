"""Decide: one verdict from the days of an A/B test, from its sample ratio and the rulings of its metrics.

The sample ratio comes first: where it fails, the trial fails as evidence and every metric is withheld. Then each metric
that decides is tested for each variant by one-sided bounds. With several variants and a correction each bound is at
1 - (1 - confidence) / variants, so that choosing among variants is paid for. Within a variant `settle` makes one
verdict, as it does of the rules of a gate: all must pass; a failure is corrected by Holm over the metrics.

The verdict is of the variant that is furthest: one that passes before one that is open before one that fails, and among
equals the one with the greatest gain in the first metric, in standard errors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rankproof.errors import UnknownName
from rankproof.kernel.estimate import Estimate, NotEstimable
from rankproof.kernel.sections import counted, p_phrase, percent
from rankproof.kernel.specs.calls import Configured, read_configured
from rankproof.kernel.verdict import Ruling, Status
from rankproof.online.trial.data_checks import TrialData, check_data
from rankproof.online.trial.days import TWO_VARIANTS, WHOLE, Day, periods, refuse_days, whole_days
from rankproof.online.trial.estimate import refuse_level
from rankproof.online.trial.part_ratios import ALARM
from rankproof.online.trial.pooled_effect import PooledEffect, looked_at, pooled_effect, widened
from rankproof.online.trial.power import POWER, units_to_decide
from rankproof.online.trial.records import TrialDesign, TrialMetric, effect_text
from rankproof.online.trials.contract import EffectRequest
from rankproof.proving.mean_rule import decided
from rankproof.proving.sample_ratio import SampleRatio, sample_ratio_over
from rankproof.proving.settle import reasons, settle
from rankproof.proving.verdict import Verdict

SAMPLE_RATIO = "sample_ratio"
UNPLANNED = "units did not come in the planned shares"
SHARE = "share"  # the unit of relative effects


@dataclass(frozen=True, slots=True)
class RulingContext:
    """What every ruling of one look at a trial shares.

    level      of each one-sided bound
    per_day    units that came on an average day; 0 where days are not known
    unit       as a word: "user"
    planned    units at which a method of one look may look; None for always-valid methods
    came       units so far
    """

    call: Configured
    level: float
    per_day: float
    unit: str
    planned: int | None
    units_seen: int


def look_at(days: Sequence[Day], call: Configured, level: float, unit: str, planned: int | None) -> RulingContext:
    """What the days say of how units come."""
    units_seen = sum(sum(day.units.values()) for day in days)
    dates = {date for day in days for date in day.dates}
    return RulingContext(
        call,
        level,
        units_seen / len(dates) if dates else 0.0,
        unit,
        None if call.item.always_valid or call.item.planned_looks else planned,
        units_seen,
    )


def effect_at(
    call: Configured,
    days: Sequence[Day],
    metric: TrialMetric,
    control: str,
    variant: str,
    segment: str = WHOLE,
    *,
    spread: float = 1.0,
) -> PooledEffect:
    """The effect of all days, with the looks before where the method asks for them, widened by the spread."""
    pooled = looked_at if call.item.planned_looks else pooled_effect
    return widened(pooled(days, metric, control, variant, segment), spread)


def ratio_ruling(ratio: SampleRatio) -> Ruling:
    """Whether units came as planned. Where they did not, the trial fails as evidence, whatever its metrics say."""
    counts = ", ".join(f"{name} {n:,} (planned {ratio.expected[name]:,.0f})" for name, n in ratio.observed.items())
    title = "units come in the planned shares"
    if ratio.holds:
        return Ruling(SAMPLE_RATIO, title, "PASS", f"{counts}: {p_phrase(ratio.p_value)}.", measure=SAMPLE_RATIO)
    reason = (
        f"{counts}: {p_phrase(ratio.p_value)}, below {ratio.alpha:g}. Units get lost or are counted twice in some "
        "variant, so no number of this trial can be trusted, and every other ruling is withheld. This says nothing "
        "about the variants themselves."
    )
    decides = "Find where units get lost (assignment, logging, joins, filters on behavior), mend it, and begin anew."
    return Ruling(SAMPLE_RATIO, title, "FAIL", reason, decides=decides, measure=SAMPLE_RATIO)


def metric_ruling(metric: TrialMetric, pooled: PooledEffect, look: RulingContext) -> Ruling:
    """What one metric says, by one-sided bounds of its effect: they meet the requirement, miss it, or neither."""
    ruling = Ruling(
        metric.goal,
        title(metric),
        "UNDECIDED",
        "",
        threshold=metric.threshold,
        observed=pooled.effect.value,
        basis="interval",
        measure=metric.name,
        better=metric.metric.better,
        unit=SHARE if metric.scale == "relative" else "",
        confidence=look.level,
    )
    above = look.call.item.answer(
        pooled.effect, EffectRequest(look.level, "greater", metric.threshold), look.call.values
    )
    below = look.call.item.answer(pooled.effect, EffectRequest(look.level, "less", metric.threshold), look.call.values)
    if isinstance(above, NotEstimable) or isinstance(below, NotEstimable):
        unsure = above if isinstance(above, NotEstimable) else below
        return replace(
            ruling,
            reason=f"No effect can be told: {unsure.reason}.",
            decides="The days up to the last planned look decide it."
            if look.call.item.planned_looks and pooled.effect.variance > 0
            else f"More {look.unit}s would decide it.",
            answer=replace(unsure, n=pooled.n),
        )
    assert isinstance(above, Estimate)
    assert isinstance(below, Estimate)
    low, high = above.low, below.high
    against = below if metric.metric.better == "higher" else above
    notes = tuple(dict.fromkeys((*above.notes, *below.notes)))
    answer = replace(against, low=low, high=high, n=pooled.n, notes=notes)
    ruling = replace(ruling, answer=answer, notes=notes)
    if look.planned is not None and look.units_seen < look.planned:
        return _too_early(ruling, look)
    status = decided(low, high, metric.threshold, metric.metric.better)
    ruling = replace(ruling, status=status, p_fail=against.p_value, reason=_reason(status, metric, answer, look))
    return ruling if status != "UNDECIDED" else replace(ruling, decides=decides(metric, pooled, look))


def withheld(metric: TrialMetric, look: RulingContext, why: str) -> Ruling:
    """The ruling of a metric in a trial whose data are no evidence."""
    return Ruling(
        metric.goal,
        title(metric),
        "UNDECIDED",
        f"Withheld: {why}.",
        decides="A trial whose units come as planned would decide it.",
        threshold=metric.threshold,
        basis="interval",
        measure=metric.name,
        better=metric.metric.better,
        unit=SHARE if metric.scale == "relative" else "",
        confidence=look.level,
    )


def title(metric: TrialMetric) -> str:
    """The requirement, in a few words."""
    margin = f"{100 * metric.margin:.6g}%" if metric.scale == "relative" else f"{metric.margin:g}"
    if metric.goal == "not_worse":
        return f"{metric.name} at most {margin} worse"
    return f"{metric.name} better" + (f" by {margin} at least" if metric.margin else "")


def decides(metric: TrialMetric, pooled: PooledEffect, look: RulingContext) -> str:
    """How many units would decide it if what was seen is the truth, and when they would be there."""
    value = pooled.effect.value
    assert value is not None
    needed = units_to_decide(pooled.effect, pooled.n, metric.threshold, look.call, look.level)
    if needed is None:
        return f"What was seen lies on the threshold, where no number of {look.unit}s decides."
    way = "pass" if (value > metric.threshold) == (metric.metric.better == "higher") else "fail"
    more = max(0, needed - pooled.n)
    return (
        f"If what was seen is the truth, about {needed:,} {look.unit}s ({more:,} more"
        f"{_days(more, look.per_day * pooled.n / look.units_seen)}) would make it {way} {POWER:.0%} of the time."
    )


def _days(units: int, per_day: float) -> str:
    """How many days so many units take, behind a comma; "" where days are not known."""
    if not per_day:
        return ""
    days = -(-units // max(1, round(per_day)))
    return f", {days:,} more {'day' if days == 1 else 'days'} at this rate"


def _too_early(ruling: Ruling, look: RulingContext) -> Ruling:
    assert look.planned is not None
    missing = look.planned - look.units_seen
    return replace(
        ruling,
        status="UNDECIDED",
        answer=None,
        observed=None,
        reason=f"{look.call.item.name} takes one look, at {look.planned:,} {look.unit}s; {look.units_seen:,} came "
        "so far. A "
        "look before that is not lawful: who looks often finds effects that are not there.",
        decides=f"{missing:,} more {look.unit}s{_days(missing, look.per_day)}.",
    )


def _reason(status: Status, metric: TrialMetric, answer: Estimate, look: RulingContext) -> str:
    seen = f"{metric.name} changes by {effect_text(answer.value, metric.scale)}"
    low, high, goal = (effect_text(at, metric.scale) for at in (answer.low, answer.high, metric.threshold))
    sure = f"one-sided {percent(look.level)}"
    if status == "UNDECIDED":
        return f"{seen}; its {sure} bounds {low} and {high} lie on both sides of {goal}."
    higher = metric.metric.better == "higher"
    side, bound = ("lower", low) if higher == (status == "PASS") else ("upper", high)
    return f"{seen}; its {sure} {side} bound {bound} {'meets' if status == 'PASS' else 'misses'} {goal}."


ORDER = ("PASS", "UNDECIDED", "FAIL")


@dataclass(frozen=True, slots=True, eq=False)
class TrialLook:
    """One look at a trial: what every variant comes to.

    days       that were read: those whose window is over
    data       whether they can be trusted
    effects    by variant and metric; empty where the sample ratio or another check of the data fails
    rulings    by variant, settled, that on the sample ratio first
    leading    the variant that the verdict is of
    """

    days: Sequence[Day]
    data: TrialData
    ratio: SampleRatio
    look: RulingContext
    effects: Mapping[tuple[str, str], PooledEffect]
    statuses: Mapping[str, Status]
    rulings: Mapping[str, tuple[Ruling, ...]]
    leading: str

    @property
    def unsound(self) -> str:
        """Why no effect is shown; "" where the data can be trusted."""
        if not self.ratio.holds:
            return UNPLANNED
        return next((f"not so: {check.title}" for check in self.data.checks if not check.holds), "")


def decide(
    design: TrialDesign,
    days: Sequence[Day],
    *,
    confidence: float | None = None,
    variant: str | None = None,
    alarm: float = ALARM,
) -> Verdict:
    """The verdict. `variant` asks about that one, also where another is further; `alarm` as `check_data` takes it."""
    return verdict_of(design, judge_variants(design, days, confidence=confidence, variant=variant, alarm=alarm))


def verdict_of(design: TrialDesign, judged: TrialLook) -> Verdict:
    """The verdict of one look."""
    status, rulings = judged.statuses[judged.leading], judged.rulings[judged.leading]
    return Verdict(
        status=status,
        rulings=rulings,
        policy=design.name,
        candidate=judged.leading,
        baseline=design.control,
        reasons=reasons(status, rulings),
        notes=tuple(notes(design, judged)),
        warnings=judged.data.warnings,
        source=design.source,
        confidence=judged.look.level,
        significance=judged.look.call.text,
    )


def judge_variants(
    design: TrialDesign,
    days: Sequence[Day],
    *,
    confidence: float | None = None,
    variant: str | None = None,
    alarm: float = ALARM,
) -> TrialLook:
    """The rulings on every variant."""
    if variant is not None and variant not in design.treatments:
        raise UnknownName("variant with a treatment", variant, design.treatments)
    refuse_days(design, days)
    days, waiting = whole_days(design, days)
    data = check_data(design, days, waiting, alarm)
    ratio = _ratio(days, data.spread)
    level = refuse_level(design.confidence if confidence is None else confidence)
    if design.correction != "none":
        level = 1 - (1 - level) / len(design.treatments)
    look = look_at(days, read_configured("trials", design.method), level, design.unit, design.units)
    first = [ratio_ruling(ratio), *(check.ruling for check in data.checks if not check.holds)]
    unsound = TrialLook(days, data, ratio, look, {}, {}, {}, "").unsound
    effects: dict[tuple[str, str], PooledEffect] = {}
    statuses: dict[str, Status] = {}
    rulings: dict[str, tuple[Ruling, ...]] = {}
    for name in design.treatments:
        deciding = [metric for metric in design.metrics if metric.role != "watch"]
        if not unsound:
            effects.update(
                ((name, metric.name), effect_at(look.call, days, metric, design.control, name, spread=data.spread))
                for metric in design.metrics
            )
            metric_rulings = [metric_ruling(metric, effects[name, metric.name], look) for metric in deciding]
        else:
            metric_rulings = [withheld(metric, look, unsound) for metric in deciding]
        statuses[name], settled = settle([*first, *metric_rulings])
        rulings[name] = tuple(
            _reopened(design, ruling, before, effects, name, look)
            for ruling, before in zip(settled, [*first, *metric_rulings], strict=True)
        )
    leading = variant or min(design.treatments, key=lambda name: _place(design, name, statuses, effects))
    return TrialLook(days, data, ratio, look, effects, statuses, rulings, leading)


def _ratio(days: Sequence[Day], spread: float) -> SampleRatio:
    """The sample ratio of all units. Of units that count on several days it is tested as if they were fewer."""
    ratio = sample_ratio_over(periods(days))
    if spread == 1:
        return ratio
    fewer = sample_ratio_over(
        [({name: round(n / spread) for name, n in counts.items()}, shares) for counts, shares in periods(days)]
    )
    return replace(fewer, observed=ratio.observed, expected=ratio.expected)


def _reopened(
    design: TrialDesign,
    ruling: Ruling,
    before: Ruling,
    effects: Mapping[tuple[str, str], PooledEffect],
    variant: str,
    look: RulingContext,
) -> Ruling:
    """A failure that the correction did not keep, with what would decide it in units of the trial."""
    if ruling.status == before.status:
        return ruling
    metric = next(metric for metric in design.metrics if metric.name == ruling.measure)
    return replace(ruling, decides=decides(metric, effects[variant, metric.name], look))


def _place(
    design: TrialDesign, variant: str, statuses: Mapping[str, Status], effects: Mapping[tuple[str, str], PooledEffect]
) -> tuple[int, float]:
    first = next(metric for metric in design.metrics if metric.role != "watch")
    pooled = effects.get((variant, first.name))
    gain = 0.0
    if pooled is not None and pooled.effect.value is not None and pooled.effect.variance > 0:
        sign = 1 if first.metric.better == "higher" else -1
        gain = sign * pooled.effect.value / math.sqrt(pooled.effect.variance)
    return ORDER.index(statuses[variant]), -gain


def notes(design: TrialDesign, judged: TrialLook) -> list[str]:
    """What the verdict takes for granted, and what was left out."""
    lines, days = [], judged.days
    if len(design.treatments) > 1:
        how = f"each bound at {judged.look.level:.6g}" if design.correction != "none" else "not corrected for"
        lines.append(f"variants: {len(design.treatments)} against {design.control}, {how}")
    if judged.look.planned is not None and judged.look.units_seen >= judged.look.planned:
        lines.append(f"look: {judged.look.call.item.name} takes one; this is it, and whatever it says stands")
    if judged.look.call.item.planned_looks:
        seen = len({date for day in days for date in day.dates}) or 1
        lines.append(f"looks: one after each of {judged.look.call.values['days']} planned days; {seen} came so far")
    most = max((pooled.periods for pooled in judged.effects.values()), default=1)
    if most > 1:
        lines.append(f"periods: shares of traffic changed; variants are compared within each of {most} periods")
    left = sum(pooled.left_out for (name, _), pooled in judged.effects.items() if name == judged.leading)
    if left:
        lines.append("left out: periods in which a variant has fewer than two units")
    dated = {date for day in days for date in day.dates}
    if len(dated) > 1 and judged.effects:
        lines.append(f"days: variants are compared within each of {len(dated)} days, which are strata")
    blind = sum(day.trace is None for day in days)
    if design.enter == "every_day":
        lines.append(f"units: a {design.unit} counts anew on every day")
    if blind and any(day.dates for day in days):
        lines.append(
            f"units: {counted(blind, 'file')} of days cannot show which {design.unit}s came back: each is taken to "
            f"be on one "
            "day only"
        )
    twice = sum(day.dropped.get(TWO_VARIANTS, 0) for day in days)
    if twice:
        when = " on one day" if any(day.dates for day in days) else ""
        lines.append(f"left out: {twice:,} {design.unit}s seen in two variants{when}")
    method_notes = [
        note for ruling in judged.rulings[judged.leading] if ruling.answer is not None for note in ruling.notes
    ]
    return [*lines, *dict.fromkeys(method_notes)]
