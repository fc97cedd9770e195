"""Bring a change from the offline gate to all traffic, step by step: the next step as a recorded decision."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from rankproof.cli import _output
from rankproof.cli._document import document
from rankproof.cli._starting import begin, with_init
from rankproof.errors import UsageError
from rankproof.store.atomic import refuse as refuse_path

if TYPE_CHECKING:
    from rankproof.flow.ramping.looking import Look
    from rankproof.records.ramp import RampPolicy

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
    from rankproof.flow.ramping.starter import STARTER as TEXT

    begin(path, TEXT, f"Name your trial and your gate in it, then: rankproof ramp {path}")


@click.command("ramp", cls=with_init(init))
@click.argument("policy", type=click.Path())
@click.option("--status", "ask_status", is_flag=True, help="Show where the ramp stands. Nothing is decided.")
@click.option("--replay", "ask_replay", is_flag=True, help="Make every decision again and say whether it is the same.")
@click.option("--json", "as_json", is_flag=True, help="Give JSON, for programs; errors come as JSON too.")
@click.option("-o", "--output", type=click.Path(), help="Write to this file, whole or not at all.")
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

    Exit status: 0 go on or committed, 3 hold, 1 stop and roll back (or invalid input), 2 wrong usage.

    \b
    rankproof ramp init ramp.toml
    rankproof ramp ramp.toml
    rankproof ramp ramp.toml --json -o next.json --html evidence.html
    rankproof ramp ramp.toml --status
    rankproof ramp ramp.toml --replay
    """
    wanted = {name: path for name, path in files.items() if path is not None}
    _refuse(ask_status, ask_replay, wanted)
    for path in (output, *wanted.values()):
        if path is not None and path != "-":
            refuse_path(path)
    from rankproof.flow.ramping.reading import read_ramp

    began = time.perf_counter()
    read = read_ramp(policy)
    if ask_status:
        return _status(read, as_json, output)
    if ask_replay:
        return _replay(read, as_json, output, began)
    return _look(read, as_json, output, wanted, began)


def _refuse(ask_status: bool, ask_replay: bool, files: dict[str, str]) -> None:
    if ask_status and ask_replay:
        raise UsageError("--status and --replay are two questions. Ask one of them.")
    if files and (ask_status or ask_replay):
        said = f"--{next(iter(files))}"
        raise UsageError(f"{said} shows what a look rests on; --status and --replay take none. Leave {said} out.")


def _look(policy: RampPolicy, as_json: bool, output: str | None, files: dict[str, str], began: float) -> int:
    from rankproof import shelf
    from rankproof.cli import _ramp_text
    from rankproof.flow.ramping.looking import look
    from rankproof.flow.versions import now
    from rankproof.store.ramps import RampState

    reports = {name: shelf.find("reports", name) for name in files}
    with RampState(policy.state) as state:
        found = look(policy, state.entries, with_verdict=bool(files))
        if not found.again:
            state.append(replace(found.entry, observed={"time": now()}))
        entries = state.entries
    seconds = time.perf_counter() - began
    for name, path in files.items():
        if found.verdict is not None:
            _output.give(reports[name].verdict(found.verdict, observed={"seconds": round(seconds, 6)}), path)
    if as_json:
        from rankproof.cli._ramp_document import look_document

        text = document("ramp/1", look_document(policy, found), seconds)
    else:
        text = _ramp_text.shown(policy, entries, found.again)
        text += _left_out(found, files)
    _output.give(text, output)
    return found.entry.decision.exit_status


def _left_out(found: Look, files: dict[str, str]) -> str:
    if found.verdict is not None or not files:
        return ""
    return f"not written: {', '.join(files.values())}; there is no verdict yet\n"


def _status(policy: RampPolicy, as_json: bool, output: str | None) -> int:
    from rankproof.store.ramps import read_entries

    entries = read_entries(policy.state)
    if as_json:
        from rankproof.cli._ramp_document import status_document

        text = document("ramp-status/1", status_document(policy, entries))
    else:
        from rankproof.cli._ramp_text import status

        text = status(policy, entries)
    _output.give(text, output)
    return 0


def _replay(policy: RampPolicy, as_json: bool, output: str | None, began: float) -> int:
    from rankproof.flow.ramping.replaying import replay
    from rankproof.store.ramps import read_entries

    found = replay(policy, read_entries(policy.state))
    if as_json:
        from rankproof.cli._ramp_document import replay_document

        text = document("ramp-replay/1", replay_document(policy, found), time.perf_counter() - began)
    else:
        from rankproof.cli._ramp_text import replayed

        text = replayed(policy, found)
    _output.give(text, output)
    return 0 if all(entry.same for entry in found) else 1
