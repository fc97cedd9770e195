"""Rulings of a trial: its sample ratio, and what each metric that decides says of one variant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rankproof.flow.calls import Call
from rankproof.flow.trials.pooling import Pooled
from rankproof.flow.trials.projecting import POWER, units_to_decide
from rankproof.records.day import Day
from rankproof.records.estimate import Estimate, NotEstimable
from rankproof.records.trial import SampleRatio, shown
from rankproof.records.trialdesign import TrialMetric
from rankproof.records.verdict import Ruling, Status
from rankproof.records.words import p_phrase, percent
from rankproof.rules._mean import decided
from rankproof.trials._contract import Asked

SAMPLE_RATIO = "sample_ratio"
SHARE = "share"  # the unit of relative effects


@dataclass(frozen=True, slots=True)
class Look:
    """What every ruling of one look at a trial shares.

    level      of each one-sided bound
    per_day    units that came on an average day
    unit       as a word: "user"
    planned    units at which a method of one look may look; None for always-valid methods
    came       units so far
    """

    call: Call
    level: float
    per_day: float
    unit: str
    planned: int | None
    came: int


def look_at(days: Sequence[Day], call: Call, level: float, unit: str, planned: int | None) -> Look:
    """What the days say of how units come."""
    came = sum(sum(day.units.values()) for day in days)
    dates = {date for day in days for date in day.dates}
    return Look(call, level, came / len(dates), unit, None if call.item.always_valid else planned, came)


def ratio_ruling(ratio: SampleRatio) -> Ruling:
    """Whether units came as planned. Where they did not, the trial fails as evidence, whatever its metrics say."""
    came = ", ".join(f"{name} {n:,} (planned {ratio.expected[name]:,.0f})" for name, n in ratio.observed.items())
    title = "units come in the planned shares"
    if ratio.holds:
        return Ruling(SAMPLE_RATIO, title, "PASS", f"{came}: {p_phrase(ratio.p_value)}.", measure=SAMPLE_RATIO)
    reason = (
        f"{came}: {p_phrase(ratio.p_value)}, below {ratio.alpha:g}. Units get lost or are counted twice in some "
        "variant, so no number of this trial can be trusted, and every other ruling is withheld. This says nothing "
        "about the variants themselves."
    )
    decides = "Find where units get lost (assignment, logging, joins, filters on behavior), mend it, and begin anew."
    return Ruling(SAMPLE_RATIO, title, "FAIL", reason, decides=decides, measure=SAMPLE_RATIO)


def metric_ruling(metric: TrialMetric, pooled: Pooled, look: Look) -> Ruling:
    """What one metric says, by one-sided bounds of its effect: they meet what is asked, miss it, or neither."""
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
    above = look.call.item.answer(pooled.effect, Asked(look.level, "greater", metric.threshold), look.call.values)
    below = look.call.item.answer(pooled.effect, Asked(look.level, "less", metric.threshold), look.call.values)
    if isinstance(above, NotEstimable) or isinstance(below, NotEstimable):
        unsure = above if isinstance(above, NotEstimable) else below
        return replace(
            ruling,
            reason=f"No effect can be told: {unsure.reason}.",
            decides=f"More {look.unit}s would decide it.",
            answer=replace(unsure, n=pooled.n),
        )
    assert isinstance(above, Estimate)
    assert isinstance(below, Estimate)
    low, high = above.low, below.high
    against = below if metric.metric.better == "higher" else above
    notes = tuple(dict.fromkeys((*above.notes, *below.notes)))
    answer = replace(against, low=low, high=high, n=pooled.n, notes=notes)
    ruling = replace(ruling, answer=answer, notes=notes)
    if look.planned is not None and look.came < look.planned:
        return _too_early(ruling, look)
    status = decided(low, high, metric.threshold, metric.metric.better)
    ruling = replace(ruling, status=status, p_fail=against.p_value, reason=_reason(status, metric, answer, look))
    return ruling if status != "UNDECIDED" else replace(ruling, decides=decides(metric, pooled, look))


def withheld(metric: TrialMetric, look: Look) -> Ruling:
    """The ruling of a metric in a trial whose units did not come as planned."""
    return Ruling(
        metric.goal,
        title(metric),
        "UNDECIDED",
        "Withheld: units did not come in the planned shares.",
        decides="A trial whose units come as planned would decide it.",
        threshold=metric.threshold,
        basis="interval",
        measure=metric.name,
        better=metric.metric.better,
        unit=SHARE if metric.scale == "relative" else "",
        confidence=look.level,
    )


def title(metric: TrialMetric) -> str:
    """What is asked, in a few words."""
    margin = f"{100 * metric.margin:.6g}%" if metric.scale == "relative" else f"{metric.margin:g}"
    if metric.goal == "not_worse":
        return f"{metric.name} at most {margin} worse"
    return f"{metric.name} better" + (f" by {margin} at least" if metric.margin else "")


def decides(metric: TrialMetric, pooled: Pooled, look: Look) -> str:
    """How many units would decide it if what was seen is the truth, and when they would be there."""
    value = pooled.effect.value
    assert value is not None
    needed = units_to_decide(pooled.effect, pooled.n, metric.threshold, look.call, look.level)
    if needed is None:
        return f"What was seen lies on the threshold, where no number of {look.unit}s decides."
    way = "pass" if (value > metric.threshold) == (metric.metric.better == "higher") else "fail"
    more = max(0, needed - pooled.n)
    days = -(-more // max(1, round(look.per_day * pooled.n / look.came)))
    return (
        f"If what was seen is the truth, about {needed:,} {look.unit}s ({more:,} more, {days:,} more "
        f"{'day' if days == 1 else 'days'} at this rate) would make it {way} {POWER:.0%} of the time."
    )


def _too_early(ruling: Ruling, look: Look) -> Ruling:
    assert look.planned is not None
    missing = look.planned - look.came
    days = -(-missing // max(1, round(look.per_day)))
    return replace(
        ruling,
        status="UNDECIDED",
        answer=None,
        observed=None,
        reason=f"{look.call.item.name} takes one look, at {look.planned:,} {look.unit}s; {look.came:,} came so far. A "
        "look before that is not lawful: who looks often finds effects that are not there.",
        decides=f"{missing:,} more {look.unit}s, {days:,} more {'day' if days == 1 else 'days'} at this rate.",
    )


def _reason(status: Status, metric: TrialMetric, answer: Estimate, look: Look) -> str:
    seen = f"{metric.name} changes by {shown(answer.value, metric.scale)}"
    low, high, goal = (shown(at, metric.scale) for at in (answer.low, answer.high, metric.threshold))
    sure = f"one-sided {percent(look.level)}"
    if status == "UNDECIDED":
        return f"{seen}; its {sure} bounds {low} and {high} lie on both sides of {goal}."
    higher = metric.metric.better == "higher"
    side, bound = ("lower", low) if higher == (status == "PASS") else ("upper", high)
    return f"{seen}; its {sure} {side} bound {bound} {'meets' if status == 'PASS' else 'misses'} {goal}."
