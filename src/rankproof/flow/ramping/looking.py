"""Looking: one look of a ramp. What is on record and what lies there now, to a decision that is not yet recorded."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankproof.errors import InputError, UsageError
from rankproof.flow.calls import read_call
from rankproof.flow.gate import gate
from rankproof.flow.identity import file_hash
from rankproof.flow.ramping.evidence import of_days, of_gate
from rankproof.flow.ramping.files import day_files, gate_files, the_treatment
from rankproof.flow.ramping.reading import fingerprint
from rankproof.flow.ramping.stepping import next_step, standing
from rankproof.flow.trials.days import read_day
from rankproof.flow.trials.designing import read_design
from rankproof.records.day import Day
from rankproof.records.ramp import RampPolicy, percent
from rankproof.records.ramp_entry import RampEntry, RampEvidence, SeenFile
from rankproof.records.trialdesign import TrialDesign

if TYPE_CHECKING:
    from rankproof.records.verdict import Verdict

Judged = tuple[RampEvidence, "Verdict | None"]


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """What one look came to.

    entry     the decision, as it stands or is to stand on record
    again     nothing has come since the last entry, or the ramp is over: the entry is that one, and nothing is added
    verdict   that the decision rests on; None where there was nothing to judge, or nobody asked for it again
    """

    entry: RampEntry
    again: bool
    verdict: Verdict | None


def look(policy: RampPolicy, entries: Sequence[RampEntry], *, with_verdict: bool = False) -> Look:
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
        return Look(RampEntry(len(entries) + 1, before, fingerprint(policy), evidence, decision), False, verdict)
    return Look(entries[-1], True, judged_again(policy, design, entries)[1] if with_verdict else None)


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
    found = day_files(policy, design, at.step, recorded)
    if {(f.seen.name, f.seen.sha256) for f in found} <= {(f.name, f.sha256) for f in recorded}:
        return None
    used = [file.day for file in found if file.seen.is_of(at.step)]
    return of_days(policy, design, used, [file.seen for file in found])


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
        raise InputError(
            f"The rules have changed since this ramp began: {policy.source}, {policy.trial}{gated}. What it promises "
            f"about false alarms rests on rules that were fixed before. Bring them back; or begin another ramp, with "
            f"another state file than {policy.state}."
        )


def design_of(policy: RampPolicy) -> TrialDesign:
    """The design of the ramp's trial: one treatment, by a method that may be looked at every day."""
    design = read_design(policy.trial)
    the_treatment(design)
    if not read_call("trials", design.method).item.always_valid:
        raise UsageError(
            f"{policy.trial}: a ramp looks at every day, and {design.method} allows one look at a size fixed before. "
            'Use a method that is valid at all times, such as method = "sequence(units=20000)".'
        )
    roles = {metric.role for metric in design.metrics}
    for step in policy.steps:
        wanted = {"guardrails": "guardrail", "pass": "decision"}.get(step.advance)
        if wanted is not None and wanted not in roles:
            raise UsageError(
                f'{policy.source}: the step at {percent(step.share)} has advance = "{step.advance}", and no metric of '
                f"{policy.trial} is a {wanted}. Give one that role, or ask for no_harm."
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
