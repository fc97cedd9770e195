"""A ramp's policy from its file: what is said, what holds when nothing is said, and what makes it another ramp."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.cli.ramping import written

from rankproof.online.ramp.policy import STARTER, fingerprint, read_ramp
from rankproof.online.ramp.records import RampStep, StopRules


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return written(tmp_path / "ramp")


def test_files_are_named_from_the_folder_of_the_policy(here: Path) -> None:
    policy = read_ramp(here / "ramp.toml")
    assert (policy.name, policy.false_alarm, policy.stops) == ("ramp", 0.05, StopRules())
    named = {"trial": "trial.toml", "gate": "gate.toml", "days": "days", "state": "ramp.ramp.jsonl"}
    assert {key: getattr(policy, key) for key in named} == {key: str(here / name) for key, name in named.items()}
    assert policy.steps == (
        RampStep(0.01, 2, 10_000),
        RampStep(0.05, 2),
        RampStep(0.5, 2, most_days=5, advance="pass"),
    )


def test_the_starter_says_every_default_aloud(here: Path) -> None:
    (here / "made.toml").write_text(STARTER)
    policy = read_ramp(here / "made.toml")
    assert policy.stops == StopRules()
    assert [step.advance for step in policy.steps] == ["no_harm", "no_harm", "guardrails", "pass"]


def test_another_folder_name_or_comment_is_the_same_ramp(here: Path) -> None:
    before = fingerprint(read_ramp(here / "ramp.toml"))
    moved = shutil.copytree(here, here.parent / "moved")
    text = (moved / "ramp.toml").read_text()
    (moved / "ramp.toml").write_text("# Moved.\n" + text.replace("[ramp]\n", '[ramp]\nname = "other"\ndays = "more"\n'))
    assert fingerprint(read_ramp(moved / "ramp.toml")) == before


@pytest.mark.parametrize(
    ("file", "added"),
    [
        ("ramp.toml", '\n[stop]\nharm = "any"\n'),
        ("trial.toml", '\n[[metric]]\nready = "abandonment"\nrole = "watch"\n'),
        ("gate.toml", "\n[evaluate]\ncomplete = true\n"),
        ("trial.toml", "began = 2026-03-01T08:00:00Z\n"),  # nothing a design has, and no reason to break
    ],
)
def test_other_rules_have_another_fingerprint(here: Path, file: str, added: str) -> None:
    before = fingerprint(read_ramp(here / "ramp.toml"))
    with (here / file).open("a") as opened:
        opened.write(added)
    assert fingerprint(read_ramp(here / "ramp.toml")) != before
