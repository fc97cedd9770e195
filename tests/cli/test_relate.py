"""`rankproof relate`: which measure told the truth."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from rankproof.cli.shared.root import cli

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "relate" / "changes.csv"


def relate(*args: str) -> click.testing.Result:
    return CliRunner().invoke(cli, ["relate", *args])


def test_the_example() -> None:
    told = relate(str(EXAMPLE), "--lower", "abandonment")
    assert told.exit_code == 0, told.output
    lines = told.stdout.splitlines()
    assert lines[0] == "success: nDCG@10 tells most, and more than every other measure."
    assert lines[1] == "abandonment: no measure is shown to tell more than another; nDCG@10 is ahead."
    table = lines.index("success (more is better): how well each measure told it") + 1
    assert lines[table].split()[:3] == ["measure", "changes", "Spearman"]
    assert lines[table + 1].split()[:6] == ["nDCG@10", "16", "0.90", "0.67", "to", "0.97"]
    meaning = lines.index("success (more is better): what an offline difference has meant") + 2
    assert lines[meaning].split()[:4] == ["nDCG@10", "13", "of", "16"]
    assert lines[meaning].endswith("11 better, 1 open, 0 worse")
    assert "enough: the offline difference from which on a trial shows a gain with a chance of 80%" in lines


def test_the_page_shows_the_example_as_it_is() -> None:
    assert EXAMPLE.read_text() in (ROOT / "docs" / "relate.md").read_text()


def test_less_that_is_better_turns_signs_and_not_slopes() -> None:
    def pair(*args: str) -> dict:
        document = json.loads(relate(str(EXAMPLE), *args, "--json").stdout)
        (found,) = (
            each for each in document["related"] if (each["measure"], each["metric"]) == ("nDCG@10", "abandonment")
        )
        return found

    plain, turned = pair(), pair("--lower", "abandonment")
    assert plain["spearman"]["value"] == pytest.approx(-turned["spearman"]["value"])
    assert plain["signs"]["agree"] == turned["signs"]["disagree"]
    assert plain["slope"]["value"] == pytest.approx(turned["slope"]["value"])
    assert plain["slope"]["low"] == pytest.approx(turned["slope"]["low"])
    assert turned["slope"]["value"] < 0


def test_json_is_the_same_from_one_time_to_the_next() -> None:
    first, second = (json.loads(relate(str(EXAMPLE), "--json").stdout) for _ in range(2))
    assert first["schema"] == "relation/1"
    del first["observed"], second["observed"]
    assert first == second


def test_few_changes_are_warned_of(tmp_path: Path) -> None:
    lines = EXAMPLE.read_text().splitlines()
    (tmp_path / "few.csv").write_text("\n".join(lines[:6]) + "\n")
    told = relate(str(tmp_path / "few.csv"))
    assert told.exit_code == 0, told.output
    assert "warning: fewer than 8 changes (5) say little" in told.stdout
    (tmp_path / "fewer.csv").write_text("\n".join(lines[:3]) + "\n")
    told = relate(str(tmp_path / "fewer.csv"))
    assert told.exit_code == 0, told.output


def test_a_file(tmp_path: Path) -> None:
    goal = tmp_path / "told.txt"
    assert relate(str(EXAMPLE), "-o", str(goal)).output == ""
    assert goal.read_text() == relate(str(EXAMPLE)).stdout


@pytest.mark.parametrize(
    ("args", "status", "words"),
    [
        (("nowhere.csv",), 1, "nowhere.csv"),
        (("nowhere.toml",), 1, "nowhere.toml"),
        ((str(EXAMPLE), "--lower", "abandon"), 2, "No measure or metric is called 'abandon'"),
        ((str(EXAMPLE), "--confidence", "95"), 2, "between 0 and 1"),
        ((str(EXAMPLE), "-o", "nowhere/told.txt"), 2, "does not exist"),
    ],
)
def test_what_is_refused(args: tuple[str, ...], status: int, words: str) -> None:
    told = relate(*args)
    assert told.exit_code == status, told.output
    assert words in told.stderr
    assert "Traceback" not in told.stderr
