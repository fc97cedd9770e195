"""`rankproof ramp`: a change from the gate to all traffic, or back to none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator
from tests.cli.ramping import put_day, written

from rankproof.cli.shared.root import cli
from rankproof.kernel.schema_files import bundled, schema
from rankproof.online.ramp.files import RampState
from rankproof.online.ramp.policy import STARTER

STATE = "ramp.ramp.jsonl"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = written(tmp_path / "ramp")
    monkeypatch.chdir(folder)
    return folder


def ramp(*args: str) -> click.testing.Result:
    return CliRunner().invoke(cli, ["ramp", *(args or ("ramp.toml",))])


def looked() -> dict[str, Any]:
    """One look, as JSON that holds to its schema."""
    told = ramp("ramp.toml", "--json")
    document: dict[str, Any] = json.loads(told.stdout)
    assert "error" not in document, document
    faults = [error.message for error in Draft202012Validator(bundled("ramp/1")).iter_errors(document)]
    assert faults == []
    assert told.exit_code == document["exit_status"]
    return document


def followed(here: Path, *, gain: float = 0.0, slow: float = 1.0, slow_from: float = 0.0) -> list[str]:
    """Day after day, with the traffic that the ramp asks for, until it is over; the headlines."""
    said = []
    number = 0
    while True:
        found = looked()
        said.append(found["headline"])
        if found["over"]:
            return said
        number += 1
        slowed = slow if found["share"] >= slow_from else 1.0
        put_day(here, number, found["share"], gain=gain, slow=slowed)


# ---- the whole way -------------------------------------------------------------------------------


def test_a_better_ranking_goes_from_the_gate_to_all_traffic(here: Path) -> None:
    assert followed(here, gain=0.03) == [
        "Go to 1%",
        "Hold at 1%",
        "Go to 5%",
        "Hold at 5%",
        "Go to 50%",
        "Hold at 50%",
        "Commit, go to 100%",
    ]
    again = ramp()
    assert again.exit_code == 0
    assert "as decided before: the ramp is over" in again.stdout


def test_a_regression_at_5_percent_is_rolled_back_with_its_evidence(here: Path) -> None:
    """Latency is a quarter longer from 5% of traffic on, where the margin is a tenth."""
    said = followed(here, gain=0.03, slow=1.25, slow_from=0.05)
    assert said == ["Go to 1%", "Hold at 1%", "Go to 5%", "Hold at 5%", "Hold at 5%", "STOP, roll back to 0%"]
    told = ramp()
    assert told.exit_code == 1
    first, *rest = told.stdout.splitlines()
    assert first.startswith("STOP, roll back to 0%: latency at most 10% worse: latency changes by +2")
    assert "misses +10.00%." in first
    (evidence,) = (line.split() for line in rest if line.startswith("FAIL"))
    assert evidence[:3] == ["FAIL", "guardrail", "latency"]
    assert float(evidence[-2].strip("%,")) > 10  # the lower bound
    assert "gate > 1% > 5% > 50% > 100%   rolled back" in rest
    before = ramp("ramp.toml", "--status").stdout
    assert "ramp ended at 0% of traffic." in before


def test_a_gate_that_fails_lets_nothing_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(written(tmp_path / "ramp", ranked="x y r"))
    told = ramp()
    assert told.exit_code == 1
    assert told.stdout.startswith("STOP, stay at 0%:\n  The offline gate fails.\n  RR at least 0.5: ")


def test_an_undecided_gate_is_asked_again_when_more_is_judged(here: Path) -> None:
    """Five hits in five say at least 0.05 ** (1 / 5) = 0.55 at 95%, and ten in ten at least 0.74."""
    gate = Path("gate.toml").read_text().replace('basis = "point"', "").replace("at_least = 0.5", "at_least = 0.6")
    Path("gate.toml").write_text(gate)
    held = ramp()
    assert held.exit_code == 3
    assert held.stdout.startswith("Hold at 0%:\n  The offline gate is undecided.\n  RR at least 0.6: ")
    assert "as decided before: what the gate reads is the same" in ramp().stdout
    for name in ("qrels", "old.run", "new.run"):
        path = Path(name)
        path.write_text(path.read_text() + path.read_text().replace("q", "r"))
    assert ramp().stdout.startswith("Go to 1%: The offline gate passes")
    assert len(Path(STATE).read_text().splitlines()) == 2


def test_without_a_gate_it_begins_with_the_first_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(written(tmp_path / "ramp", gate=False))
    told = ramp()
    assert told.exit_code == 0
    assert told.stdout.startswith("Go to 1%: No offline gate is asked for.\n\n0% > [1%] > 5%")


# ---- one look after the other --------------------------------------------------------------------


def test_a_look_may_be_repeated_at_will(here: Path) -> None:
    first = looked()
    state = Path(STATE).read_bytes()
    second = looked()
    assert "as decided before: nothing has come to days since" in ramp().stdout
    assert (first.pop("again"), second.pop("again")) == (False, True)
    del first["observed"], second["observed"]
    assert first == second
    assert Path(STATE).read_bytes() == state


def test_files_of_the_verdict_come_with_a_look_and_with_a_repeated_one(here: Path) -> None:
    ramp()
    assert ramp("ramp.toml", "--junit", "gate.xml").exit_code == 0
    assert '<testsuite name="offline" tests="1" failures="0"' in Path("gate.xml").read_text()
    put_day(here, 1, 0.01)
    assert ramp("ramp.toml", "--junit", "day.xml", "--markdown", "day.md", "--html", "day.html").exit_code == 3
    junit = Path("day.xml").read_text()
    assert '<testsuite name="new ranking" tests="3" failures="0" errors="2"' in junit
    assert "new against old" in Path("day.md").read_text()
    assert Path("day.html").read_text().startswith("<!doctype html>")
    assert ramp("ramp.toml", "--junit", "again.xml").exit_code == 3
    assert Path("again.xml").read_text() == junit


def test_a_report_without_a_verdict_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(written(tmp_path / "ramp", gate=False))
    assert ramp("ramp.toml", "--junit", "none.xml").stdout.endswith("not written: none.xml; there is no verdict yet\n")
    assert not Path("none.xml").exists()


def test_where_it_stands_decides_nothing(here: Path) -> None:
    told = ramp("ramp.toml", "--status")
    assert told.stdout == (
        "ramp has not begun: at the first look the offline gate is asked.\n\n[gate] > 1% > 5% > 50% > 100%\n"
    )
    assert not Path(STATE).exists()
    ramp()
    put_day(here, 1, 0.01)
    assert ramp("ramp.toml", "--status").stdout.count("Go to 1%") == 2  # the day has not been looked at
    assert json.loads(ramp("ramp.toml", "--status", "--json").stdout)["share"] == 0.01


def test_every_line_of_the_state_holds_to_the_published_shape(here: Path) -> None:
    followed(here, gain=0.03)
    shape = {**bundled("ramp/1"), "$ref": "#/$defs/entry"}
    for key in ("type", "properties", "required", "additionalProperties", "$id"):
        shape.pop(key)
    assert "entry" in schema("ramp/1")["$defs"]
    for line in Path(STATE).read_text().splitlines():
        assert [error.message for error in Draft202012Validator(shape).iter_errors(json.loads(line))] == []


def test_two_at_once_are_kept_apart(here: Path) -> None:
    with RampState(STATE):
        told = ramp()
    assert told.exit_code == 2
    assert "is in use: this ramp is being decided by another process" in told.stderr


def test_the_half_line_of_a_killed_look_is_forgotten(here: Path) -> None:
    ramp()
    put_day(here, 1, 0.01)
    ramp()
    whole = Path(STATE).read_bytes()
    Path(STATE).write_bytes(whole[:-100])
    assert ramp().exit_code == 3
    again = Path(STATE).read_bytes()
    assert [line.partition(b'"observed"')[0] for line in again.splitlines()] == [
        line.partition(b'"observed"')[0] for line in whole.splitlines()
    ]


# ---- replay --------------------------------------------------------------------------------------


def test_a_replay_comes_to_the_same_decisions(here: Path) -> None:
    assert ramp("ramp.toml", "--replay").stdout == "ramp has not begun: there is nothing to replay.\n"
    followed(here, gain=0.03)
    told = ramp("ramp.toml", "--replay")
    assert (told.exit_code, told.stdout) == (
        0,
        "The same again: 7 decisions, each from its evidence on record and from the files it was made of.\n",
    )


def test_a_replay_says_which_files_are_not_what_they_were(here: Path) -> None:
    followed(here, gain=0.03)
    Path("new.run").write_text(Path("old.run").read_text())
    put_day(here, 3, 0.05, seed=1)
    told = ramp("ramp.toml", "--replay")
    assert told.exit_code == 1
    lines = told.stdout.splitlines()
    assert lines[0] == "NOT the same: 3 of 7 decisions."  # the gate, and both looks that rest on the third day
    assert lines[1:3] == [
        "entry 1, ADVANCE: decision same, evidence not there",
        "  new.run, which the offline gate read, has changed or is gone.",
    ]
    assert lines[4].endswith("2026-03-03.json has changed since this ramp used it.")


# ---- beginning -----------------------------------------------------------------------------------


def test_init_writes_a_policy_that_reads(here: Path) -> None:
    told = ramp("init", "made.toml")
    assert told.stdout.startswith("made.toml written.")
    assert Path("made.toml").read_text() == STARTER == ramp("init", "-").stdout
    assert ramp("init", "made.toml").exit_code == 2
    Path("trial.toml").write_text(Path("trial.toml").read_text())
    found = json.loads(ramp("made.toml", "--status", "--json").stdout)
    assert (found["name"], found["state"], found["false_alarm"]) == ("new ranking", "made.ramp.jsonl", 0.05)
    assert [step["share"] for step in found["steps"]] == [0.01, 0.05, 0.25, 0.5]
