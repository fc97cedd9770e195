"""One look of a ramp: the offline gate and the days of a step as evidence, to a decision not yet recorded."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankproof.errors import InputError, UsageError
from rankproof.kernel.specs.calls import read_configured
from rankproof.measuring.identity import file_hash
from rankproof.online.interleaving.preference import UNITS
from rankproof.online.ramp.files import day_files, gate_files, is_same_share, the_treatment
from rankproof.online.ramp.policy import fingerprint, without_planned_looks
from rankproof.online.ramp.records import RampEntry, RampEvidence, RampPolicy, RampSignal, Role, SeenFile, percent
from rankproof.online.ramp.steps import next_step, standing
from rankproof.online.trial.data_checks import BEFORE, DATA_RULES, PARTS
from rankproof.online.trial.days import Day, read_day
from rankproof.online.trial.decide import SAMPLE_RATIO, decide
from rankproof.online.trial.design import read_design
from rankproof.online.trial.records import TrialDesign
from rankproof.proving.gate import gate
from rankproof.proving.sequential import log_evidence
from rankproof.proving.verdict import ruling_dict

if TYPE_CHECKING:
    from rankproof.kernel.verdict import Ruling
    from rankproof.proving.verdict import Verdict


def of_gate(verdict: Verdict, files: Sequence[SeenFile]) -> RampEvidence:
    """The evidence of the offline gate."""
    signs = tuple(RampSignal("gate", ruling_dict(ruling), ruling.status == "FAIL") for ruling in verdict.rulings)
    return RampEvidence(verdict.status, signs, confidence=verdict.confidence, files=tuple(files))


def of_days(
    policy: RampPolicy, design: TrialDesign, days: Sequence[Day], seen: Sequence[SeenFile] = ()
) -> tuple[RampEvidence, Verdict | None]:
    """The evidence of the days of one step, and the trial's verdict on them; None without any.

    The verdict asks for the margins of the design. A second one, with margins of 0, says what is shown to be worse at
    all; it has the same confidence and the same correction over metrics.
    """
    if not days:
        return RampEvidence(None, confidence=policy.confidence, files=tuple(seen)), None
    units = units_of(days)
    design = with_looks(policy, design, days)
    verdict = decide(design, days, confidence=policy.confidence, alarm=policy.data_alarm)
    strict = decide(without_margins(design), days, confidence=policy.confidence, alarm=policy.data_alarm)
    worse = {ruling.measure for ruling in strict.rulings if ruling.rule != SAMPLE_RATIO and ruling.status == "FAIL"}
    split = splits_as_planned(policy, design, days)
    signs = tuple(_sign(design, ruling, worse, split) for ruling in verdict.rulings)
    evidence = RampEvidence(
        verdict.status,
        signs,
        days=len({date for day in days for date in day.dates}),
        units=sum(units.values()),
        fewest=min(units.values()),
        confidence=policy.confidence,
        files=tuple(seen),
    )
    return evidence, verdict


def with_looks(policy: RampPolicy, design: TrialDesign, days: Sequence[Day]) -> TrialDesign:
    """The same design with planned looks where the step of these days has planned days.

    A step that was not looked at in time has more days than were planned: then its last look is this one.
    """
    share = days[0].shares[the_treatment(design)]
    steps = zip(policy.steps, policy.planned_days, strict=True)
    planned = next((most for step, most in steps if is_same_share(step.share, share)), None)
    if planned is None:
        return design
    seen = len({date for day in days for date in day.dates})
    return replace(design, method=f"{policy.looks}(days={max(planned, seen)})")


def without_margins(design: TrialDesign) -> TrialDesign:
    """The same design, asking whether anything is worse at all."""
    return replace(design, metrics=tuple(replace(metric, margin=0.0) for metric in design.metrics))


def units_of(days: Sequence[Day]) -> dict[str, int]:
    """By variant, of all days together."""
    return {name: sum(day.units[name] for day in days) for name in days[0].units}


def splits_as_planned(policy: RampPolicy, design: TrialDesign, days: Sequence[Day]) -> bool:
    """Whether the units of a step can have come in its shares, held against all looks together.

    The trial's own check is one test at a time: made on every day it would be wrong too often. This one is the mixture
    of likelihoods that is valid at any time, as for the share of wins in interleaving (Robbins 1970); for counts of
    units: Lindon and Malek, Anytime-valid inference for multinomial count data, NeurIPS 2022.
    """
    units, treatment = units_of(days), the_treatment(design)
    new, share = units[treatment], days[0].shares[treatment]
    counts = np.array([new]), np.array([sum(units.values()) - new])
    evidence = float(log_evidence(*counts, 1 - policy.data_alarm, UNITS, share)[0])
    return evidence < -math.log(policy.data_alarm)


def _sign(design: TrialDesign, ruling: Ruling, worse: set[str], split: bool) -> RampSignal:
    if ruling.rule == SAMPLE_RATIO:
        return RampSignal("sample_ratio", ruling_dict(ruling), not split)
    if ruling.rule in DATA_RULES:  # two of them are tested, at all looks together
        return RampSignal("sample_ratio", ruling_dict(ruling), ruling.rule in (PARTS, BEFORE))
    roles: dict[str, Role] = {metric.name: metric.role for metric in design.metrics}
    return RampSignal(roles[ruling.measure], ruling_dict(ruling), ruling.measure in worse)


Judged = tuple[RampEvidence, "Verdict | None"]


@dataclass(frozen=True, slots=True, eq=False)
class RampLook:
    """The result of one look.

    entry     the decision, as it stands or is to stand on record
    again     nothing has come since the last entry, or the ramp is over: the entry is that one, and nothing is added
    verdict   that the decision rests on; None where there was nothing to judge, or it was not requested again
    """

    entry: RampEntry
    again: bool
    verdict: Verdict | None


def look(policy: RampPolicy, entries: Sequence[RampEntry], *, with_verdict: bool = False) -> RampLook:
    """The next decision. With nothing new since the last one, that one again: a look may be repeated at will.

    with_verdict   make the verdict anew also where the decision stands already
    """
    refuse_other_rules(policy, entries)
    design = design_of(policy)
    judged = _judged_anew(policy, design, entries)
    if judged is not None:
        evidence, verdict = judged
        decision = next_step(policy, [entry.decision for entry in entries], evidence)
        before = entries[-1].seal if entries else ""
        return RampLook(RampEntry(len(entries) + 1, before, fingerprint(policy), evidence, decision), False, verdict)
    return RampLook(entries[-1], True, judged_again(policy, design, entries)[1] if with_verdict else None)


def _judged_anew(policy: RampPolicy, design: TrialDesign, entries: Sequence[RampEntry]) -> Judged | None:
    """What lies there now, judged; None where it is what the last entry saw, or nothing is to be decided any more."""
    at = standing([entry.decision for entry in entries])
    if at.over:
        return None
    seen = entries[-1].evidence.files if entries else ()
    if at.step == 0:
        judged = _judged_gate(policy, gate_files(policy))
        return None if entries and judged[0] == entries[-1].evidence else judged
    recorded = tuple(file for file in seen if file.step > 0)
    present = day_files(policy, design, at.step, recorded)
    if {(f.seen.name, f.seen.sha256) for f in present} <= {(f.name, f.sha256) for f in recorded}:
        return None
    used = [file.day for file in present if file.seen.is_of(at.step)]
    return of_days(policy, design, used, [file.seen for file in present])


def judged_again(policy: RampPolicy, design: TrialDesign, entries: Sequence[RampEntry]) -> Judged:
    """What the last of the entries saw, judged again from the same files; refused where they are not the same."""
    step = standing([entry.decision for entry in entries[:-1]]).step
    seen = entries[-1].evidence.files
    if step == 0:
        files = gate_files(policy)
        changed = [file.name for file in seen if file not in files]
        if changed:
            raise InputError(f"{changed[0]}, which the offline gate read, has changed or is gone.")
        return _judged_gate(policy, files)
    return of_days(policy, design, [_same(policy, file) for file in seen if file.is_of(step)], seen)


def refuse_other_rules(policy: RampPolicy, entries: Sequence[RampEntry]) -> None:
    """An error where the rules are not those that the ramp began with."""
    if entries and entries[0].rules != fingerprint(policy):
        gated = f", {policy.gate}" if policy.gate else ""
        if entries[0].rules == fingerprint(without_planned_looks(policy)):
            raise InputError(
                f"This ramp began with looks at any time, and {policy.source} now plans them. Keep what it began with: "
                'looks = "any_time" under [ramp].'
            )
        raise InputError(
            f"The rules have changed since this ramp began: {policy.source}, {policy.trial}{gated}. What it promises "
            f"about false alarms rests on rules that were fixed before. Bring them back; or begin another ramp, with "
            f"another state file than {policy.state}."
        )


def design_of(policy: RampPolicy) -> TrialDesign:
    """The design of the ramp's trial: one treatment, by a method that may be looked at every day."""
    design = read_design(policy.trial)
    the_treatment(design)
    open_ended = [step for step, days in zip(policy.steps, policy.planned_days, strict=True) if days is None]
    if open_ended and not read_configured("trials", design.method).item.always_valid:
        raise UsageError(
            f"{policy.trial}: a ramp looks at every day, and {design.method} does not hold at "
            f"{percent(open_ended[0].share)}, where it may be looked at without end. Plan days there with most_days, "
            'or use a method that is valid at all times, such as method = "sequence(units=20000)".'
        )
    roles = {metric.role for metric in design.metrics}
    for step in policy.steps:
        needed_role = {"guardrails": "guardrail", "pass": "decision"}.get(step.advance)
        if needed_role is not None and needed_role not in roles:
            raise UsageError(
                f'{policy.source}: the step at {percent(step.share)} has advance = "{step.advance}", and no metric of '
                f"{policy.trial} is a {needed_role}. Give one that role, or ask for no_harm."
            )
    return design


def _judged_gate(policy: RampPolicy, files: Sequence[SeenFile]) -> Judged:
    if not policy.gate:
        return RampEvidence(None), None
    verdict = gate(policy.gate)
    return of_gate(verdict, files), verdict


def _same(policy: RampPolicy, file: SeenFile) -> Day:
    """The day in a file that was used before, as it was."""
    path = os.path.join(policy.days, file.name)
    if file_hash(path) != file.sha256:
        raise InputError(f"{path} has changed since this ramp used it.")
    return read_day(path)
