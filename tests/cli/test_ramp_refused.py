"""What `rankproof ramp` refuses: evidence that is not what it was, traffic that runs ahead, rules that change."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from tests.cli.ramping import drawn, put_day, written

from rankproof.cli.shared.root import cli
from rankproof.online.trial.days import seal_of

STATE = Path("ramp.ramp.jsonl")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ramp with one day at 1% on record."""
    folder = written(tmp_path / "ramp")
    monkeypatch.chdir(folder)
    assert ramp().exit_code == 0
    put_day(folder, 1, 0.01)
    assert ramp().exit_code == 3
    return folder


def ramp(*more: str) -> click.testing.Result:
    return CliRunner().invoke(cli, ["ramp", "ramp.toml", *more])


def refused(status: int = 2) -> str:
    """What it says when it refuses; nothing is added to the state then."""
    before = STATE.read_bytes()
    told = ramp()
    assert told.exit_code == status, told.output
    assert told.stdout == ""
    assert STATE.read_bytes() == before
    return told.stderr


def edited(path: str, before: str, after: str) -> None:
    text = Path(path).read_text()
    assert before in text
    Path(path).write_text(text.replace(before, after))


def test_a_day_that_changed_after_it_was_used(here: Path) -> None:
    put_day(here, 1, 0.01, seed=1)
    said = refused()
    assert re.search(r"2026-03-01.json has changed since this ramp used it: it was [0-9a-f]{12}, and is", said)
    assert "Bring back what it was." in said


def test_a_day_that_is_gone(here: Path) -> None:
    (here / "days" / "2026-03-01.json").unlink()
    assert "2026-03-01.json was used by this ramp and is gone. Bring it back: a decision at 1%" in refused()


def test_traffic_that_runs_ahead(here: Path) -> None:
    put_day(here, 2, 0.05)
    said = refused()
    assert "2026-03-02.json carries 5%, and the ramp stands at 1%: a step is entered only when it is on record." in said


def test_days_before_the_gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are looked at when the gate has passed, at the second look."""
    folder = written(tmp_path / "ramp")
    monkeypatch.chdir(folder)
    put_day(folder, 1, 0.05)
    assert ramp().stdout.startswith("Go to 1%")
    assert "carries 5%, and the ramp stands at 1%" in refused()


def test_a_share_that_is_no_step(here: Path) -> None:
    put_day(here, 2, 0.02)
    said = refused()
    assert "carries 2% of new, which is no step of the ramp: 1%, 5%, 50%." in said


def test_a_date_twice(here: Path) -> None:
    day = drawn(here, "2026-03-01", 0.01, seed=3)
    Path("days/other.json").write_text(json.dumps(day.to_dict()))
    assert "2026-03-01 is in 2026-03-01.json and in other.json, at the same share" in refused()


def test_a_file_that_is_no_day_and_what_is_no_file_of_days(here: Path) -> None:
    Path("days/notes.txt").write_text("hello")
    Path("days/.hidden.json").write_text("{}")
    Path("days/2026-03-02.json.123-ab.part").write_text("{")
    assert ramp().exit_code == 3
    Path("days/odd.json").write_text("{}")
    assert "odd.json is not a day" in refused()


def test_a_day_of_another_trial(here: Path) -> None:
    document = drawn(here, "2026-03-02", 0.01).to_dict()
    document["shares"], document["units"] = {"a": 0.5, "b": 0.5}, {"a": 1, "b": 1}
    Path("days/2026-03-02.json").write_text(json.dumps({**document, "seal": seal_of(document)}))
    assert "2026-03-02.json has the variants a, b; the ramp brings up new." in refused()


def test_a_day_that_comes_late_is_on_record_and_decides_nothing(here: Path) -> None:
    put_day(here, 2, 0.01)
    assert ramp().stdout.startswith("Go to 5%")
    put_day(here, 3, 0.01, slow=3.0)
    told = ramp()
    assert told.exit_code == 3
    assert told.stdout.startswith("Hold at 5%: 0 of 2 days.")
    assert "late: 2026-03-03.json came after its step was left, and decides nothing" in told.stdout
    last = json.loads(STATE.read_text().splitlines()[-1])
    assert [file["late"] for file in last["evidence"]["files"]] == [False, False, True]
    assert ramp("--replay").exit_code == 0


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("ramp.toml", "least_days = 2", "least_days = 1"),
        ("trial.toml", "margin = 0.1", "margin = 0.5"),
        ("gate.toml", "at_least = 0.5", "at_least = 0.1"),
    ],
)
def test_rules_that_change_on_the_way(here: Path, file: str, before: str, after: str) -> None:
    edited(file, before, after)
    said = refused()
    assert "The rules have changed since this ramp began: ramp.toml, trial.toml, gate.toml." in said
    assert ramp("--replay").exit_code == 2


def test_a_comment_is_no_rule(here: Path) -> None:
    edited("ramp.toml", "[ramp]", "# Carefully.\n[ramp]\nname = 'another name'")
    assert ramp().exit_code == 3


def test_a_state_that_was_edited(here: Path) -> None:
    edited(STATE.name, '"days": 1', '"days": 2')
    assert "line 2: the entry is not what was written: its seal does not fit." in refused()


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('"sequence(units=20000)"', '"welch"\nunits = 5000', "a ramp looks at every day, and welch does not hold at"),
        (
            "{old = 0.5, new = 0.5}",
            "{old = 0.5, new = 0.3, b = 0.2}",
            "brings up one variant, and the trial new ranking",
        ),
        ('ready = "success"', 'ready = "success"\nrole = "watch"', "no metric of trial.toml is a decision"),
    ],
)
def test_a_trial_that_cannot_ramp(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, after: str, said: str
) -> None:
    monkeypatch.chdir(written(tmp_path / "ramp"))
    edited("trial.toml", before, after)
    told = ramp()
    assert told.exit_code == 2
    assert said in told.stderr


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("[ramp]", "[ramps]", "No table of ramp.toml is called 'ramps'. Did you mean 'ramp'?"),
        (
            "least_units",
            "least_unit",
            "No key of ramp.toml, step 1 is called 'least_unit'. Did you mean 'least_units'?",
        ),
        ("share = 0.05", "share = 5", "ramp.toml, step 2: share must be a number above 0 below 1; got 5."),
        ("share = 0.05", "", "ramp.toml, step 2: share is missing: of units that get the change."),
        ("share = 0.05", "share = 0.001", "ramp.toml: Each step must have a greater share"),
        ('trial = "trial.toml"', "", "ramp.toml, [ramp]: trial is missing"),
        ('advance = "pass"', 'advance = "hope"', "ramp.toml, step 3: advance must be one of 'no_harm', 'guardrails'"),
        ("[[step]]", "[[steps]]", "No table of ramp.toml is called 'steps'. Did you mean 'step'?"),
        ("[[step]]", "[step]", "ramp.toml is not TOML"),
    ],
)
def test_a_policy_with_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, after: str, said: str
) -> None:
    monkeypatch.chdir(written(tmp_path / "ramp"))
    edited("ramp.toml", before, after)
    told = ramp()
    assert told.exit_code in (1, 2)
    assert said in told.stderr


def test_options_that_contradict_each_other(here: Path) -> None:
    assert ramp("--status", "--replay").exit_code == 2
    told = ramp("--replay", "--html", "page.html")
    assert "--html shows what a look rests on" in told.stderr


def test_nothing_is_decided_where_the_answer_cannot_be_written(here: Path) -> None:
    put_day(here, 2, 0.01)
    before = STATE.read_bytes()
    assert ramp("-o", "nowhere/next.json").exit_code == 2
    assert STATE.read_bytes() == before
