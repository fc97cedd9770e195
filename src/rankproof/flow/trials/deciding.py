"""Deciding: may the variant have all traffic? One verdict from the days of a trial, by its design.

The sample ratio comes first: where it fails, the trial fails as evidence and every metric is withheld. Then each metric
that decides is asked about each variant by one-sided bounds. With several variants and a correction each bound is at
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
from rankproof.flow.calls import read_call
from rankproof.flow.gate import reasons, settle
from rankproof.flow.trials.days import periods, refuse_days
from rankproof.flow.trials.estimating import refuse_level
from rankproof.flow.trials.pooling import Pooled, pooled_effect
from rankproof.flow.trials.ruling import Look, decides, look_at, metric_ruling, ratio_ruling, withheld
from rankproof.flow.trials.sampleratio import sample_ratio_over
from rankproof.records.day import TWO_VARIANTS, Day
from rankproof.records.trial import SampleRatio
from rankproof.records.trialdesign import TrialDesign
from rankproof.records.verdict import Ruling, Status, Verdict

ORDER = ("PASS", "UNDECIDED", "FAIL")


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """One look at a trial: what every variant comes to.

    effects    by variant and metric; empty where the sample ratio fails
    rulings    by variant, settled, that on the sample ratio first
    leading    the variant that the verdict is of
    """

    ratio: SampleRatio
    look: Look
    effects: Mapping[tuple[str, str], Pooled]
    statuses: Mapping[str, Status]
    rulings: Mapping[str, tuple[Ruling, ...]]
    leading: str


def decide(
    design: TrialDesign, days: Sequence[Day], *, confidence: float | None = None, variant: str | None = None
) -> Verdict:
    """The verdict. `variant` asks about that one, also where another is further."""
    return verdict_of(design, days, judge(design, days, confidence=confidence, variant=variant))


def verdict_of(design: TrialDesign, days: Sequence[Day], judged: Judged) -> Verdict:
    """The verdict of one look."""
    status, rulings = judged.statuses[judged.leading], judged.rulings[judged.leading]
    return Verdict(
        status=status,
        rulings=rulings,
        policy=design.name,
        candidate=judged.leading,
        baseline=design.control,
        reasons=reasons(status, rulings),
        notes=tuple(notes(design, days, judged)),
        source=design.source,
        confidence=judged.look.level,
        significance=judged.look.call.text,
    )


def judge(
    design: TrialDesign, days: Sequence[Day], *, confidence: float | None = None, variant: str | None = None
) -> Judged:
    """Every variant asked."""
    if variant is not None and variant not in design.treatments:
        raise UnknownName("variant with a treatment", variant, design.treatments)
    refuse_days(design, days)
    ratio = sample_ratio_over(periods(days))
    level = refuse_level(design.confidence if confidence is None else confidence)
    if design.correction != "none":
        level = 1 - (1 - level) / len(design.treatments)
    look = look_at(days, read_call("trials", design.method), level, design.unit, design.units)
    first = ratio_ruling(ratio)
    effects: dict[tuple[str, str], Pooled] = {}
    statuses: dict[str, Status] = {}
    rulings: dict[str, tuple[Ruling, ...]] = {}
    for name in design.treatments:
        asked = [metric for metric in design.metrics if metric.role != "watch"]
        if ratio.holds:
            effects.update(
                ((name, metric.name), pooled_effect(days, metric, design.control, name)) for metric in design.metrics
            )
            found = [metric_ruling(metric, effects[name, metric.name], look) for metric in asked]
        else:
            found = [withheld(metric, look) for metric in asked]
        statuses[name], settled = settle([first, *found])
        rulings[name] = tuple(
            _reopened(design, ruling, before, effects, name, look)
            for ruling, before in zip(settled, [first, *found], strict=True)
        )
    leading = variant or min(design.treatments, key=lambda name: _place(design, name, statuses, effects))
    return Judged(ratio, look, effects, statuses, rulings, leading)


def _reopened(
    design: TrialDesign,
    ruling: Ruling,
    before: Ruling,
    effects: Mapping[tuple[str, str], Pooled],
    variant: str,
    look: Look,
) -> Ruling:
    """A failure that the correction did not keep, with what would decide it in units of the trial."""
    if ruling.status == before.status:
        return ruling
    metric = next(metric for metric in design.metrics if metric.name == ruling.measure)
    return replace(ruling, decides=decides(metric, effects[variant, metric.name], look))


def _place(
    design: TrialDesign, variant: str, statuses: Mapping[str, Status], effects: Mapping[tuple[str, str], Pooled]
) -> tuple[int, float]:
    first = next(metric for metric in design.metrics if metric.role != "watch")
    found = effects.get((variant, first.name))
    gain = 0.0
    if found is not None and found.effect.value is not None and found.effect.variance > 0:
        sign = 1 if first.metric.better == "higher" else -1
        gain = sign * found.effect.value / math.sqrt(found.effect.variance)
    return ORDER.index(statuses[variant]), -gain


def notes(design: TrialDesign, days: Sequence[Day], judged: Judged) -> list[str]:
    """What the verdict takes for granted, and what was left out."""
    said = []
    if len(design.treatments) > 1:
        how = f"each bound at {judged.look.level:.6g}" if design.correction != "none" else "not corrected for"
        said.append(f"variants: {len(design.treatments)} against {design.control}, {how}")
    if judged.look.planned is not None and judged.look.came >= judged.look.planned:
        said.append(f"look: {judged.look.call.item.name} takes one; this is it, and whatever it says stands")
    most = max((pooled.periods for pooled in judged.effects.values()), default=1)
    if most > 1:
        said.append(f"periods: shares of traffic changed; variants are compared within each of {most} periods")
    left = sum(pooled.left_out for (name, _), pooled in judged.effects.items() if name == judged.leading)
    if left:
        said.append("left out: periods in which a variant has fewer than two units")
    if design.enter == "every_day":
        said.append(
            f"units: a {design.unit} counts anew on every day; one who comes back is not independent of the day "
            "before, so intervals are too narrow if many do"
        )
    elif not design.columns.entered:
        said.append(f"units: each {design.unit} is taken to be in the file of one day only; the files cannot show it")
    twice = sum(day.dropped.get(TWO_VARIANTS, 0) for day in days)
    if twice:
        said.append(f"left out: {twice:,} {design.unit}s seen in two variants on one day")
    told = [note for ruling in judged.rulings[judged.leading] if ruling.answer is not None for note in ruling.notes]
    return [*said, *dict.fromkeys(told)]
