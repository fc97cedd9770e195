"""`rankproof trial`: from a design and rows to days, a verdict and its exit status."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner

from rankproof.cli.shared.root import cli
from rankproof.online.trial.days import read_day
from rankproof.online.trial.design import read_design
from rankproof.online.trial.example import example_rows

DESIGN = """
[trial]
name = "t"
control = "old"
shares = {old = 0.5, new = 0.5}
method = "sequence(units=1000)"
[columns]
day = "day"
[[metric]]
ready = "success"
"""


def trial(*args: str) -> click.testing.Result:
    return CliRunner().invoke(cli, ["trial", *args])


def users(path: Path, likely: dict[str, float], *, day: str = "2026-11-01", n: int = 600, lost: float = 0.0) -> None:
    """Users of a day, half of them in each variant; of the new one a share gets lost."""
    rng = np.random.default_rng(0)
    lines = ["user_id,variant,day,success"]
    for unit in range(n):
        variant = ("old", "new")[unit % 2]
        if variant == "new" and rng.random() < lost:
            continue
        lines.append(f"u{day}-{unit},{variant},{day},{int(rng.random() < likely[variant])}")
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("trial.toml").write_text(DESIGN)
    return tmp_path


def collected(here: Path, likely: dict[str, float], **how: float) -> None:
    users(here / "rows.csv", likely, **how)
    told = trial("collect", "trial.toml", "rows.csv", "-o", "day.json")
    assert told.exit_code == 0, told.output


@pytest.mark.parametrize(
    ("new", "lost", "status", "word"),
    [(0.7, 0.0, 0, "PASS"), (0.05, 0.0, 1, "FAIL"), (0.31, 0.0, 3, "UNDECIDED"), (0.7, 0.5, 1, "FAIL")],
    ids=["better", "worse", "open", "units lost"],
)
def test_the_verdict_and_its_exit_status(here: Path, new: float, lost: float, status: int, word: str) -> None:
    collected(here, {"old": 0.3, "new": new}, lost=lost)
    told = trial("read", "trial.toml", "day.json")
    assert (told.exit_code, told.exception) == (status, None) or isinstance(told.exception, SystemExit), told.output
    assert told.exit_code == status
    assert told.stdout.startswith(f"{word}: t, new against old")
    if lost:
        assert "no number of this trial can be trusted" in told.stdout
        assert "withheld: units did not come in the planned shares" in told.stdout
        assert "success changes" not in told.stdout


def test_reports_are_written_beside_the_answer(here: Path) -> None:
    collected(here, {"old": 0.3, "new": 0.7})
    told = trial(
        "read", "trial.toml", "day.json", "--html", "t.html", "--junit", "t.xml", "--markdown", "t.md", "--json"
    )
    assert told.exit_code == 0, told.output
    document = json.loads(told.stdout)
    assert (document["schema"], document["status"], document["trial"]["unit"]) == ("trial/1", "PASS", "user")
    assert "<h2" in Path("t.html").read_text()
    assert 'name="success better"' in Path("t.xml").read_text()
    assert Path("t.md").read_text().startswith("## ✅ PASS")


def test_the_same_rows_give_the_same_bytes(here: Path) -> None:
    collected(here, {"old": 0.3, "new": 0.7})
    first = Path("day.json").read_bytes()
    collected(here, {"old": 0.3, "new": 0.7})
    assert Path("day.json").read_bytes() == first
    assert b"u2026-11-01-5" not in first  # no id is kept
    assert trial("read", "trial.toml", "day.json").stdout == trial("read", "trial.toml", "day.json").stdout


def test_days_in_a_folder(here: Path) -> None:
    os.mkdir("days")
    for i in (1, 2):
        users(here / f"{i}.csv", {"old": 0.3, "new": 0.5}, day=f"2026-11-0{i}")
    told = trial("collect", "trial.toml", "1.csv", "2.csv", "--into", "days")
    assert told.exit_code == 0, told.output
    assert sorted(os.listdir("days")) == ["2026-11-01.json", "2026-11-02.json"]
    assert told.stdout.splitlines()[1].split() == ["2026-11-01", "days/2026-11-01.json", "600", "300", "300"]
    assert "1,200 users on 2 days" in trial("read", "trial.toml", "days").stdout


def test_shares_of_a_ramp(here: Path) -> None:
    users(here / "rows.csv", {"old": 0.3, "new": 0.7})
    told = trial("collect", "trial.toml", "rows.csv", "-o", "day.json", "--shares", "old=0.95, new=0.05")
    assert told.exit_code == 0, told.output
    assert dict(read_day("day.json").shares) == {"old": 0.95, "new": 0.05}
    assert trial("read", "trial.toml", "day.json").exit_code == 1  # half of the users came where 5% were planned


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        ("collect trial.toml rows.csv", 2, "Say where the days go"),
        ("collect trial.toml rows.csv -o day.json --into .", 2, "Say where the days go"),
        ("collect trial.toml rows.csv --into nowhere", 2, "nowhere is no folder"),
        ("collect trial.toml rows.csv -o - --json", 2, "Keep one of them"),
        ("collect trial.toml rows.csv -o day.json --shares old:1", 2, "--shares is written as old=0.95,new=0.05"),
        ("collect trial.toml rows.csv -o day.json --shares old=1,new=1", 2, "must be a number above 0 below 1"),
        ("collect trial.toml rows.csv -o day.json --day 2026-11-01", 2, "Leave out --day"),
        ("collect trial.toml rows.csv two.csv -o day.json", 2, "The rows are of 2 days, 2026-11-01 to 2026-11-02"),
        ("collect nothing.toml rows.csv -o day.json", 1, "nothing.toml"),
        ("read trial.toml rows.csv", 2, "rows.csv, line 1: this is not JSON"),
        ("read trial.toml trial.toml --json --format table", 2, "contradict each other"),
        ("read trial.toml empty", 2, "The folder empty has no .json file"),
        ("plan trial.toml --effect 0.1", 2, "Say with --past which day's file"),
        ("plan trial.toml --past day.json --rate 0.1", 2, "Leave out --rate"),
        ("plan trial.toml --past day.json --share 0.2", 2, "Leave out --share"),
        ("init trial.toml", 2, "trial.toml is there already"),
        ("init other.toml --example there", 2, "Leave out one of the two"),
    ],
)
def test_what_is_wrong_is_said(here: Path, args: str, status: int, message: str) -> None:
    users(here / "rows.csv", {"old": 0.3, "new": 0.7})
    users(here / "two.csv", {"old": 0.3, "new": 0.7}, day="2026-11-02")
    os.mkdir("empty")
    told = trial(*args.split())
    assert told.exit_code == status, told.output
    assert message in told.stderr + told.stdout
    assert "Traceback" not in told.stderr
    assert not Path("day.json").exists()


def test_plans(here: Path) -> None:
    told = trial("plan", "--rate", "0.31", "--effect", "0.02", "--per-day", "5000")
    assert told.exit_code == 0, told.output
    lines = told.stdout.splitlines()
    assert lines[0] == "rate: mean 0.31, sd 0.4625, for a true effect of +2.00%"
    methods = ["welch", "obrien_fleming(days=35)", "pocock(days=42)", "sequence(units=299270)", "msprt(effect=0.02)"]
    assert [line.split()[0] for line in lines[2:7]] == methods
    collected(here, {"old": 0.3, "new": 0.3})
    told = trial("plan", "trial.toml", "--past", "day.json", "--effect", "0.05", "-n", "5000")
    assert told.exit_code == 0, told.output
    assert "shown: the least true effect that 5,000 users show" in told.stdout


def test_what_init_writes_can_be_used(here: Path) -> None:
    told = trial("init", "fresh.toml")
    assert told.exit_code == 0, told.output
    design = read_design("fresh.toml")
    assert [metric.name for metric in design.metrics] == ["success", "abandonment", "latency", "revenue"]
    assert trial("init", "-").stdout == Path("fresh.toml").read_text()


def test_the_example_runs(here: Path) -> None:
    told = trial("init", "--example", "demo")
    assert told.exit_code == 0, told.output
    assert Path("demo/searches.csv").read_text() == "".join(example_rows(np.random.default_rng(0)))
    for line in told.stdout.splitlines()[1:]:
        again = CliRunner().invoke(cli, line.split()[1:])
        assert again.exit_code == 0, again.output
    assert trial("init", "--example", "demo").exit_code == 2
