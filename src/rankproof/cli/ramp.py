"""Bring a change from the gate to all traffic, step by step."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.groups import begin, with_init
from rankproof.cli.shared.options import answer_options, refuse_outputs
from rankproof.cli.shared.output import document
from rankproof.errors import UsageError
from rankproof.kernel.sections import aligned, number, printable, signed
from rankproof.kernel.sections import percent as level
from rankproof.online.ramp.look import RampLook
from rankproof.online.ramp.records import RampDecision, RampEntry, RampEvidence, RampPolicy, RampSignal, percent
from rankproof.online.ramp.replay import ReplayedEntry
from rankproof.online.ramp.steps import standing
from rankproof.online.trial.records import effect_text as effect
from rankproof.reports.verdict_sections import CHANGES

if TYPE_CHECKING:
    from rankproof.online.ramp.look import RampLook
    from rankproof.online.ramp.records import RampPolicy


STARTER = "ramp.toml"
# Forms of the verdict that a look rests on, each with its option.
FORMS = ("html", "junit", "markdown")


@click.command("init")
@click.argument("path", type=click.Path(), default=STARTER)
def init(path: str) -> None:
    """Write a commented policy to PATH, to begin with. A file that is there already is left alone.

    \b
    rankproof ramp init
    rankproof ramp init ramps/new-ranking.toml
    """
    from rankproof.online.ramp.policy import STARTER as TEXT

    begin(path, TEXT, f"Name your trial and your gate in it, then: rankproof ramp {path}")


@click.command("ramp", cls=with_init(init))
@click.argument("policy", type=click.Path())
@click.option("--status", "ask_status", is_flag=True, help="Show where the ramp stands. Nothing is decided.")
@click.option("--replay", "ask_replay", is_flag=True, help="Make every decision again and say whether it is the same.")
@answer_options
@click.option("--html", type=click.Path(), help="Write the verdict that the decision rests on to this file, as HTML.")
@click.option("--junit", type=click.Path(), help="Write it to this file too, as JUnit XML.")
@click.option("--markdown", type=click.Path(), help="Write it to this file too, as Markdown.")
def command(
    policy: str,
    ask_status: bool,
    ask_replay: bool,
    as_json: bool,
    output: str | None,
    **files: str | None,
) -> int:
    """Take one look at the ramp of POLICY, a TOML file, and print the next step. `rankproof ramp init` writes one.

    A look reads the day files that have come, decides, and records the decision in the state file before it prints it.
    Killed at any moment, it is simply called again. What sets the traffic is your system: --json gives it the share.

    Exit status: 0 go on or committed, 3 hold, 1 stop and roll back, 2 wrong usage or unusable data.

    \b
    rankproof ramp init ramp.toml
    rankproof ramp ramp.toml
    rankproof ramp ramp.toml --json -o next.json --html evidence.html
    rankproof ramp ramp.toml --status
    rankproof ramp ramp.toml --replay
    """
    written = {name: path for name, path in files.items() if path is not None}
    _refuse(ask_status, ask_replay, written)
    refuse_outputs(output, *written.values())
    from rankproof.online.ramp.policy import read_ramp

    began = time.perf_counter()
    with _output.unusable_is_2():
        read = read_ramp(policy)
        if ask_status:
            return _status(read, as_json, output)
        if ask_replay:
            return _replay(read, as_json, output, began)
        return _look(read, as_json, output, written, began)


def _refuse(ask_status: bool, ask_replay: bool, files: dict[str, str]) -> None:
    if ask_status and ask_replay:
        raise UsageError("--status and --replay are two questions. Ask one of them.")
    if files and (ask_status or ask_replay):
        option = f"--{next(iter(files))}"
        raise UsageError(f"{option} shows what a look rests on; --status and --replay take none. Leave {option} out.")


def _look(policy: RampPolicy, as_json: bool, output: str | None, files: dict[str, str], began: float) -> int:
    from rankproof.kernel import shelf
    from rankproof.kernel.documents import now
    from rankproof.online.ramp.files import RampState
    from rankproof.online.ramp.look import look

    reports = {name: shelf.find("reports", name) for name in files}
    with RampState(policy.state) as state:
        result = look(policy, state.entries, with_verdict=bool(files))
        if not result.again:
            state.append(replace(result.entry, observed={"time": now()}))
        entries = state.entries
    seconds = time.perf_counter() - began
    for name, path in files.items():
        if result.verdict is not None:
            _output.give(reports[name].verdict(result.verdict, observed={"seconds": round(seconds, 6)}), path)
    if as_json:
        text = document("ramp/1", look_document(policy, result), seconds)
    else:
        text = shown(policy, entries, result.again)
        text += _left_out(result, files)
    _output.give(text, output)
    return result.entry.decision.exit_status


def _left_out(result: RampLook, files: dict[str, str]) -> str:
    if result.verdict is not None or not files:
        return ""
    return f"not written: {', '.join(files.values())}; there is no verdict yet\n"


def _status(policy: RampPolicy, as_json: bool, output: str | None) -> int:
    from rankproof.online.ramp.files import read_entries

    entries = read_entries(policy.state)
    text = document("ramp-status/1", status_document(policy, entries)) if as_json else status(policy, entries)
    _output.give(text, output)
    return 0


def _replay(policy: RampPolicy, as_json: bool, output: str | None, began: float) -> int:
    from rankproof.online.ramp.files import read_entries
    from rankproof.online.ramp.replay import replay

    entries = replay(policy, read_entries(policy.state))
    if as_json:
        text = document("ramp-replay/1", replay_document(policy, entries), time.perf_counter() - began)
    else:
        text = replay_text(policy, entries)
    _output.give(text, output)
    return 0 if all(entry.same for entry in entries) else 1


HEADER = ("verdict", "role", "asked", "seen", "one-sided bounds")
ROLES = {"sample_ratio": "sample ratio"}
# Columns of the evidence that are text: verdict, role and requirement.
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


def decision_lines(decision: RampDecision) -> list[str]:
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
    parts = [
        decision_lines(entry.decision),
        [path_line(policy, entries)],
        _evidence(entry.evidence),
        map(printable, notes),
    ]
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
        ["the last decision:", *decision_lines(entries[-1].decision)],
    ]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def replay_text(policy: RampPolicy, entries: Sequence[ReplayedEntry]) -> str:
    """What came out the same, and what did not."""
    wrong = [entry for entry in entries if not entry.same]
    if not entries:
        return f"{printable(policy.name)} has not begun: there is nothing to replay.\n"
    count = "1 decision" if len(entries) == 1 else f"{len(entries)} decisions"
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


def _cells(sign: RampSignal) -> tuple[str, ...]:
    ruling = sign.ruling
    bounds = ruling["bounds"]
    ends = "" if bounds is None else ", ".join(_end(ruling, bounds[side]) for side in ("lower", "upper"))
    seen = "" if ruling["observed"] is None else _amount(ruling, ruling["observed"])
    return sign.status, ROLES.get(sign.role, sign.role), ruling["title"], seen, ends


def _end(ruling: Mapping[str, Any], at: float | None) -> str:
    return "none" if at is None else _amount(ruling, at)


def _amount(ruling: Mapping[str, Any], at: float) -> str:
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


def look_document(policy: RampPolicy, result: RampLook) -> dict[str, object]:
    """`ramp/1`: what to do now, with all that it rests on."""
    decision = result.entry.decision
    return {
        **_ramp(policy),
        "action": decision.action,
        "share": decision.share,
        "headline": headline(decision),
        "reasons": list(decision.reasons),
        "exit_status": decision.exit_status,
        "again": result.again,
        "over": standing([decision]).over,
        "entry": _entry(result.entry),
    }


def status_document(policy: RampPolicy, entries: Sequence[RampEntry]) -> dict[str, object]:
    """`ramp-status/1`: where the ramp stands, with every entry."""
    at = standing([entry.decision for entry in entries])
    return {
        **_ramp(policy),
        "step": at.step,
        "share": at.share,
        "over": at.over,
        "entries": [entry.to_dict() for entry in entries],
    }


def replay_document(policy: RampPolicy, entries: Sequence[ReplayedEntry]) -> dict[str, object]:
    """`ramp-replay/1`: whether every decision came out the same."""
    return {
        **_ramp(policy),
        "same": all(entry.same for entry in entries),
        "entries": [entry.to_dict() for entry in entries],
    }


def _ramp(policy: RampPolicy) -> dict[str, object]:
    return {
        "name": policy.name,
        "policy": policy.source,
        "state": policy.state,
        "steps": [asdict(step) for step in policy.steps],
        "false_alarm": policy.false_alarm,
    }


def _entry(entry: RampEntry) -> dict[str, object]:
    """Without its time, which differs from one ramp to the next."""
    return {key: value for key, value in entry.to_dict().items() if key != "observed"}
