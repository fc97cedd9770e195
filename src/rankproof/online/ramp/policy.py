"""Policy of a ramp from TOML, every value checked; and a commented one to begin with."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import date, datetime, time
from hashlib import sha256
from typing import Any, get_args

from rankproof.errors import UsageError
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.specs.kinds import REQUIRED, Choice, Number, Param, Path, Text, Whole
from rankproof.kernel.specs.tables import check_tables, read_table, with_defaults
from rankproof.online.ramp.records import Looks, RampPolicy, RampStep, StopRules
from rankproof.reading.source import read_toml

HOW_TO_START = "`rankproof ramp init` writes one to begin with."
ENDING = ".ramp.jsonl"
_SHARE = Number(0, 1, open_low=True, open_high=True)
# The keys of each table of the file, in the order in which they are written.
RAMP = (
    Param("name", Text(), "", "what the ramp is called; the name of its file by default"),
    Param("trial", Path(), REQUIRED, "the file of the trial's design"),
    Param("gate", Path(), "", "the policy of the offline gate that comes first; none when left out"),
    Param("days", Path(), "days", "the folder that the trial's day files are put into"),
    Param("state", Path(), "", f"the file that keeps every decision; NAME{ENDING} by default"),
    Param("false_alarm", _SHARE, 0.05, "how probable a roll-back of a harmless change may be, over the whole ramp"),
    Param("looks", Choice(get_args(Looks)), "pocock", "at steps with most_days: planned looks, or the trial's method"),
)
STEP = (
    Param("share", _SHARE, REQUIRED, "of units that get the change"),
    Param("least_days", Whole(1), 1, "days at this share before it may be left"),
    Param("least_units", Whole(0), 0, "units of all variants at this share before it may be left"),
    Param("most_days", Whole(1), None, "days after which the ramp stops where the step was not left"),
    Param("advance", Choice(("no_harm", "guardrails", "pass")), "no_harm", "what must be shown to leave it"),
)
STOP = (
    Param("harm", Choice(("margin", "any")), "margin", "shown beyond a metric's margin stops, or shown at all"),
    Param("decision", Choice(("stop", "hold")), "stop", "what follows when a deciding metric is shown worse"),
    Param("sample_ratio", Choice(("stop", "hold")), "stop", "what follows when units came in other shares"),
    Param("least_units", Whole(0), 100, "units in each variant before a metric may stop the ramp"),
)
TABLES = ("ramp", "step", "stop")


def read_ramp(path: str | os.PathLike[str]) -> RampPolicy:
    """The policy in a file. Files that it names are looked for from its own folder."""
    source = os.fspath(path)
    document = toml(source, HOW_TO_START)
    folder = os.path.dirname(source)
    check_tables(document, TABLES, source)
    head = _table(document.get("ramp", {}), RAMP, f"{source}, [ramp]")
    stem = os.path.splitext(os.path.basename(source))[0]
    head["state"] = head["state"] or f"{stem}{ENDING}"
    named = ("trial", "gate", "days", "state")
    paths: dict[str, Any] = {key: os.path.join(folder, head[key]) if head[key] else "" for key in named}
    entries = document.get("step", [])
    if not isinstance(entries, list) or not entries:
        raise UsageError(f"{source} has no [[step]]: no share of traffic is named. {HOW_TO_START}")
    steps = [_table(entry, STEP, f"{source}, step {i}") for i, entry in enumerate(entries, start=1)]
    stops = _table(document.get("stop", {}), STOP, f"{source}, [stop]")
    try:
        policy = RampPolicy(
            name=head["name"] or stem,
            steps=tuple(RampStep(**step) for step in steps),
            stops=StopRules(**stops),
            false_alarm=head["false_alarm"],
            looks=head["looks"],
            source=source,
            **paths,
        )
    except UsageError as error:
        raise UsageError(f"{source}: {error}") from None
    # What is not planned is not named: a ramp that began before there were planned looks keeps its rules without them.
    looks = {"looks": policy.looks} if any(policy.planned_days) else {}
    rules = {
        "ramp": {"false_alarm": head["false_alarm"], "steps": steps, "stops": stops, **looks},
        "trial": toml(policy.trial, "`rankproof trial init` writes one to begin with."),
        "gate": toml(policy.gate, "`rankproof gate init` writes one to begin with.") if policy.gate else None,
    }
    return replace(policy, rules=rules)


def fingerprint(policy: RampPolicy) -> str:
    """Of the rules, as they were read: a comment or another folder changes nothing."""
    return sha256(to_json(policy.rules).encode()).hexdigest()


def without_planned_looks(policy: RampPolicy) -> RampPolicy:
    """The same policy as it was written before there were planned looks."""
    ramp = policy.rules.get("ramp")
    assert isinstance(ramp, dict)
    return replace(policy, rules={**policy.rules, "ramp": {k: v for k, v in ramp.items() if k != "looks"}})


def toml(path: str, remedy: str) -> dict[str, Any]:
    """A file of TOML as plain values; times of it as texts."""
    return {key: _plain(value) for key, value in read_toml(path, remedy).items()}


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value.isoformat() if isinstance(value, date | datetime | time) else value


def _table(table: object, params: tuple[Param, ...], place: str) -> dict[str, Any]:
    """A value for every key of a table: the one it gives, or the default."""
    return with_defaults(read_table(table, {param.name: param.kind for param in params}, place), params, place)


STARTER = """\
# How a change goes from the offline gate to all traffic: rankproof ramp THIS-FILE
# One call is one look: it reads the day files that have come, decides, records the decision and prints it. Call it as
# often as you like; with nothing new it says the same again. Your own system sets the traffic, by what it says.
# Exit status: 0 go on (or committed), 3 hold, 1 stop and roll back (2: this file or the command line is wrong).
#
# These rules hold from the first look to the last. Other rules are another ramp, with another state file.

[ramp]
name = "new ranking"
trial = "trial.toml"              # the design of the trial: `rankproof trial init` writes one
gate = "gate.toml"                # the offline gate that comes first: `rankproof gate init`; leave it out for none
days = "days"                     # the folder for day files: rankproof trial collect ... -o days/DATE.json
# state = "ramp.ramp.jsonl"       # keeps every decision; beside this file, and named after it, by default
false_alarm = 0.05                # how probable a roll-back of a harmless change may be, over all steps and looks
# looks = "pocock"                # steps with most_days: a planned look after each day. "obrien_fleming" needs less
                                  # traffic in all and sees harm later; "any_time" uses the trial's own method

# ---- The steps: a share of traffic and what it takes to leave it ----------------------------------
# least_days, least_units    evidence at this share before it may be left; units of all variants together
# most_days                  days after which the ramp stops where the step was not left; without it, it holds on
# advance                    "no_harm": nothing is shown to be worse
#                            "guardrails": every guardrail is shown to hold, within its margin
#                            "pass": the trial's whole verdict is PASS

[[step]]
share = 0.01
least_days = 1
least_units = 1000

[[step]]
share = 0.05
least_days = 2
least_units = 5000

[[step]]
share = 0.25
least_days = 3
most_days = 14
advance = "guardrails"

[[step]]
share = 0.50
least_days = 7                    # every day of the week
most_days = 28
advance = "pass"

# ---- What stops it and rolls it back to 0% --------------------------------------------------------

[stop]
harm = "margin"                   # a metric may be worse by the margin of the design; "any": not at all
decision = "stop"                 # a deciding metric is shown to miss its goal; "hold" leaves it to a person
sample_ratio = "stop"             # units did not come in the planned shares: no number can be trusted; or "hold"
least_units = 100                 # in each variant, before a metric may stop it: bounds hold for many units
"""
