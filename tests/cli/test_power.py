"""`rankproof power`: what a query set can show."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from rankproof.cli.shared.root import cli


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """RR of a: 1, 1/2, 1/2, 0; of b: 1/2, 1, 1, 1. Differences -1/2, 1/2, 1/2, 1."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("".join(f"q{i} 0 r 1\n" for i in range(1, 5)))
    ranked = {"a": ["r", "x r", "x r", "x"], "b": ["x r", "r", "r", "r"]}
    for name, rankings in ranked.items():
        lines = [
            f"q{i} Q0 {doc} {rank} {9 - rank} {name}\n"
            for i, docs in enumerate(rankings, start=1)
            for rank, doc in enumerate(docs.split(), start=1)
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return tmp_path


def power(*args: str) -> click.testing.Result:
    return CliRunner().invoke(cli, ["power", *args])


def test_two_runs(here: Path) -> None:
    told = power("qrels", "a.run", "b.run", "-m", "RR", "-d", "0.5")
    assert told.exit_code == 0, told.output
    lines = told.stdout.splitlines()
    assert lines[0].split() == ["measure", "queries", "observed", "sd", "shown", "needed", "range"]
    # sd: square root of 1.1875 / 3. An effect of 0.7947 takes 15 queries; four show one of 2.1277.
    assert lines[1].split()[:6] == ["RR", "4", "+0.3750", "0.6292", "1.3388", "15"]
    assert "With 4 queries:" in lines
    assert "For a true difference of 0.5000:" in lines
    assert "a against b: differences are candidate minus baseline" in lines
    assert "warning: fewer than 50 queries measure sd badly; plan with the upper end of the range" in lines


def test_several_measures_are_one_table(here: Path) -> None:
    lines = power("qrels", "a.run", "b.run", "-m", "RR P@1").stdout.splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["measure", "RR", "P@1"]
    assert not any(line.startswith("With ") for line in lines)
    assert lines[-1] == "curves: ask for one measure, or for --json"


def test_a_standard_deviation() -> None:
    told = power("--sd", "0.2", "--queries", "50", "--difference", "0.1")
    assert told.exit_code == 0, told.output
    assert told.stdout.splitlines()[:2] == [
        "queries      sd   shown  needed",
        "     50  0.2000  0.0808      34",
    ]
    assert "     34    81%  80% reached" in told.stdout.splitlines()
    assert "     50    93%  as asked" in told.stdout.splitlines()


def test_json(here: Path) -> None:
    document = json.loads(power("qrels", "a.run", "b.run", "-m", "RR P@1", "--json").stdout)
    assert document["schema"] == "power/1"
    assert (document["baseline"], document["candidate"], document["difference_is"]) == ("a", "b", "observed")
    rr, p = document["sizings"]
    assert (rr["measure"], p["measure"]) == ("RR", "P@1")
    assert rr["observed_difference"] == pytest.approx(0.375)
    needed = rr["queries_needed"]
    assert needed["low"] < needed["value"] < needed["high"]
    assert list(document["observed"]) == ["seconds"]


def test_json_is_the_same_from_one_time_to_the_next(here: Path) -> None:
    first, second = (json.loads(power("qrels", "a.run", "b.run", "--json").stdout) for _ in range(2))
    del first["observed"], second["observed"]
    assert first == second


def test_runs_that_do_not_differ(here: Path) -> None:
    told = power("qrels", "a.run", "a.run", "-m", "RR")
    assert told.exit_code == 0
    assert "RR: not estimable: the runs have the same value on every query" in told.stdout
    (missing,) = json.loads(power("qrels", "a.run", "a.run", "-m", "RR", "--json").stdout)["sizings"]
    assert "same value" in missing["not_estimable"]


def test_a_file(here: Path) -> None:
    assert power("--sd", "0.2", "-n", "50", "-o", "out.txt").output == ""
    assert (here / "out.txt").read_text() == power("--sd", "0.2", "-n", "50").stdout


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "nothing came"),
        (("qrels", "a.run"), "2: qrels a.run came"),
        (("--sd", "0.2"), "alone says nothing"),
        (("--sd", "0.2", "-n", "9", "-m", "RR"), "-m came with it"),
        (("qrels", "a.run", "b.run", "--sd", "0.2"), "QRELS, BASELINE and CANDIDATE came with it"),
        (("--sd", "-1", "-n", "9"), "must be greater than 0; -1 came"),
        (("qrels", "-", "-"), "read only once"),
    ],
)
def test_wrong_usage(here: Path, args: tuple[str, ...], words: str) -> None:
    told = power(*args)
    assert told.exit_code == 2
    assert words in told.stderr
