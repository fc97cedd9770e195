"""A ramp as text: the decision first, then where the ramp stands and what the decision rests on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankproof.flow.ramping.replaying import Replayed
from rankproof.flow.ramping.stepping import standing
from rankproof.records.ramp import RampPolicy, percent
from rankproof.records.ramp_entry import RampDecision, RampEntry, RampEvidence, Sign
from rankproof.records.show import number
from rankproof.records.trial import shown as effect
from rankproof.records.words import percent as level
from rankproof.records.words import signed
from rankproof.reports._align import aligned, printable
from rankproof.reports._verdict import CHANGES

HEADER = ("verdict", "role", "asked", "seen", "one-sided bounds")
ROLES = {"sample_ratio": "sample ratio"}
# Columns of the evidence that are text: verdict, role and what is asked.
NAMES = 3


def headline(decision: RampDecision) -> str:
    """What to do, in a few words."""
    share = percent(decision.share)
    if decision.action == "ADVANCE":
        return f"Go to {share}"
    if decision.action == "COMMIT":
        return f"Commit, go to {share}"
    if decision.action == "HOLD":
        return f"Hold at {share}"
    return f"STOP, roll back to {share}" if decision.before else f"STOP, stay at {share}"


def told(decision: RampDecision) -> list[str]:
    """What to do and why; several reasons stand below each other."""
    if len(decision.reasons) == 1:
        return [printable(f"{headline(decision)}: {decision.reasons[0]}")]
    return [f"{headline(decision)}:", *(printable(f"  {reason}") for reason in decision.reasons)]


def shown(policy: RampPolicy, entries: Sequence[RampEntry], again: bool) -> str:
    """The answer of one look, which is the last of the entries."""
    entry = entries[-1]
    over = standing([entry.decision]).over
    notes = []
    if again:
        since = "the ramp is over" if over else f"nothing has come to {policy.days} since"
        if not entry.decision.step and entry.decision.action == "HOLD":
            since = "what the gate reads is the same"
        notes.append(f"as decided before: {since}")
    confidence = entry.evidence.confidence
    if entry.decision.step and confidence is not None:
        notes.append(
            f"bounds: {level(confidence)} at all looks of this step together; over {len(policy.steps)} "
            f"steps a harmless change is rolled back in {percent(policy.false_alarm)} of ramps at most"
        )
    late = [file.name for file in entry.evidence.files if file.late]
    if late:
        notes.append(f"late: {', '.join(late)} came after its step was left, and decides nothing")
    notes.append(f"entry {entry.n} of {policy.state}")
    parts = [told(entry.decision), [path_line(policy, entries)], _evidence(entry.evidence), map(printable, notes)]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def path_line(policy: RampPolicy, entries: Sequence[RampEntry]) -> str:
    """All the ramp's stations, with brackets around the one where it stands."""
    at = standing([entry.decision for entry in entries])
    names = ["gate" if policy.gate else "0%", *(percent(step.share) for step in policy.steps), "100%"]
    here = at.step
    if at.over:
        here = len(names) - 1 if at.share == 1.0 else -1
    line = " > ".join(f"[{name}]" if i == here else name for i, name in enumerate(names))
    return f"{line}   rolled back" if here < 0 else line


def status(policy: RampPolicy, entries: Sequence[RampEntry]) -> str:
    """Where the ramp stands, and every decision so far."""
    at = standing([entry.decision for entry in entries])
    if not entries:
        first = "the offline gate is asked" if policy.gate else f"it goes to {percent(policy.steps[0].share)}"
        return f"{printable(policy.name)} has not begun: at the first look {first}.\n\n{path_line(policy, entries)}\n"
    where = f"{'ended' if at.over else 'stands'} at {percent(at.share)} of traffic"
    rows = [("entry", "time", "decision", "days", "units"), *map(_row, entries)]
    parts = [
        [printable(f"{policy.name} {where}.")],
        [path_line(policy, entries)],
        aligned(rows, NAMES),
        ["the last decision:", *told(entries[-1].decision)],
    ]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def replayed(policy: RampPolicy, found: Sequence[Replayed]) -> str:
    """What came out the same, and what did not."""
    wrong = [entry for entry in found if not entry.same]
    if not found:
        return f"{printable(policy.name)} has not begun: there is nothing to replay.\n"
    count = "1 decision" if len(found) == 1 else f"{len(found)} decisions"
    if not wrong:
        return f"The same again: {count}, each from its evidence on record and from the files it was made of.\n"
    lines = [f"NOT the same: {len(wrong)} of {count}."]
    for entry in wrong:
        lines.append(f"entry {entry.n}, {entry.action}: decision {entry.decision}, evidence {entry.evidence}")
        lines.append(printable(f"  {entry.note}"))
    return "\n".join(lines) + "\n"


# ---- the evidence --------------------------------------------------------------------------------


def _evidence(evidence: RampEvidence) -> list[str]:
    if not evidence.signs:
        return []
    return aligned([HEADER, *map(_cells, evidence.signs)], NAMES)


def _cells(sign: Sign) -> tuple[str, ...]:
    ruling = sign.ruling
    bounds = ruling["bounds"]
    ends = "" if bounds is None else ", ".join(_end(ruling, bounds[side]) for side in ("lower", "upper"))
    seen = "" if ruling["observed"] is None else _amount(ruling, ruling["observed"])
    return sign.status, ROLES.get(sign.role, sign.role), ruling["title"], seen, ends


def _end(ruling: Any, at: float | None) -> str:
    return "none" if at is None else _amount(ruling, at)


def _amount(ruling: Any, at: float) -> str:
    """A number of a ruling in its unit; effects have their sign."""
    if ruling["unit"] == "share":
        return effect(at, "relative")
    if ruling["unit"] == "ms":
        return f"{at:,.6g} ms"
    if ruling["rule"] in ("better", "not_worse"):
        return effect(at, "absolute")
    return signed(at) if ruling["rule"] in CHANGES else number(at)


def _row(entry: RampEntry) -> tuple[str, ...]:
    seen = entry.evidence
    return (
        str(entry.n),
        str(entry.observed.get("time", "")),
        headline(entry.decision),
        str(seen.days) if entry.decision.step else "",
        f"{seen.units:,}" if entry.decision.step else "",
    )
