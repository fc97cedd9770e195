"""`--collapse FILE`, `--unmapped` and `--collapse-qrels` on the command line, in manifests and in gates."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from rankproof.cli.shared.root import cli

# Chunks of d1 are c1 and c2, of d2 c3. Judged is d1 (docs.qrels), or its chunk c1 (gold.qrels).
MAP = "chunk_id,doc_id\nc1,d1\nc2,d1\nc3,d2\n"
FILES = {
    "chunks.csv": MAP,
    "docs.qrels": "q1 0 d1 1\nq2 0 d2 1\n",
    "gold.qrels": "q1 0 c1 1\nq1 0 c2 2\nq2 0 c3 1\n",
    "a.run": "q1 Q0 c3 1 3 a\nq1 Q0 c2 2 2 a\nq1 Q0 c1 3 1 a\nq2 Q0 c3 1 1 a\n",
    "b.run": "q1 Q0 c2 1 3 b\nq1 Q0 c3 2 2 b\nq2 Q0 c1 1 2 b\nq2 Q0 c3 2 1 b\n",
    "holes.run": "q1 Q0 c9 1 3 h\nq1 Q0 c2 2 2 h\nq2 Q0 c3 1 1 h\n",
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def told(*args: str) -> click.testing.Result:
    return CliRunner().invoke(cli, list(args))


def value(*args: str) -> float:
    answer = told("evaluate", *args, "-m", "RR", "--json")
    assert answer.exit_code == 0, answer.output
    number: float = json.loads(answer.stdout)["evaluations"][0]["measures"]["RR"]["value"]
    return number


def test_a_mapping_file_collapses_runs_and_where_it_is_said_judgments(here: Path) -> None:
    # q1: d2 d1, so 1/2; q2: d2, so 1
    assert value("docs.qrels", "a.run", "--collapse", "chunks.csv") == 0.75
    assert value("gold.qrels", "a.run", "--collapse", "chunks.csv", "--collapse-qrels") == 0.75
    # chunks against chunks: q1 c3 c2, so 1/2
    assert value("gold.qrels", "a.run") == 0.75
    answer = told("evaluate", "docs.qrels", "a.run", "--collapse", "chunks.csv", "-m", "RR", "--full")
    assert "collapsed by chunks.csv: 4 rows to 3, the best chunk of each document" in answer.stdout


def test_holes_of_a_mapping_are_refused_with_the_choice(here: Path) -> None:
    answer = told("evaluate", "docs.qrels", "holes.run", "--collapse", "chunks.csv")
    assert answer.exit_code == 1
    assert "'c9'" in answer.stderr
    assert "--unmapped" in answer.stderr
    assert "Traceback" not in answer.output
    # kept, c9 stands before d1; dropped, it does not
    assert value("docs.qrels", "holes.run", "--collapse", "chunks.csv", "--unmapped", "keep") == 0.75
    assert value("docs.qrels", "holes.run", "--collapse", "chunks.csv", "--unmapped", "drop") == 1.0


@pytest.mark.parametrize(
    "line",
    [
        ("evaluate", "docs.qrels", "a.run", "--unmapped", "drop"),
        ("evaluate", "docs.qrels", "a.run", "--collapse-qrels"),
        ("convert", "a.run", "out.run", "--unmapped", "drop"),
        ("compare", "--scores", "a.csv", "b.csv", "--collapse-qrels"),
        ("evaluate", "docs.qrels", "a.run", "--collapse", "chunks.csv", "--unmapped", "maybe"),
    ],
)
def test_options_that_say_nothing_are_usage_errors(here: Path, line: tuple[str, ...]) -> None:
    answer = told(*line)
    assert answer.exit_code == 2, answer.output
    assert not (here / "out.run").exists()


def test_every_command_that_reads_runs_takes_the_mapping(here: Path) -> None:
    mapped = ("--collapse", "chunks.csv")
    for line in (
        ("compare", "docs.qrels", "a.run", "b.run", "-m", "RR", *mapped),
        ("leaderboard", "docs.qrels", "a.run", "b.run", "-m", "RR", *mapped),
        ("leaderboard", "gold.qrels", "a.run", "b.run", "-m", "RR", *mapped, "--collapse-qrels"),
        ("next", "gold.qrels", "a.run", "b.run", "-m", "RR", *mapped, "--collapse-qrels"),
        ("convert", "gold.qrels", "documents.qrels", *mapped),
    ):
        answer = told(*line)
        assert answer.exit_code == 0, (line, answer.output)
    assert (here / "documents.qrels").read_text() == "q1 0 d1 2\nq2 0 d2 1\n"


def test_a_manifest_has_the_mapping_and_tells_when_it_changed(here: Path) -> None:
    line = ("evaluate", "gold.qrels", "a.run", "-m", "RR", "--collapse", "chunks.csv", "--collapse-qrels")
    assert told(*line, "--manifest", "m.json").exit_code == 0
    record = json.loads((here / "m.json").read_text())
    assert record["parameters"]["reading"] == {"collapse": "chunks.csv", "collapse_qrels": True}
    assert record["others"]["collapse"]["path"] == "chunks.csv"
    assert told("verify", "m.json").exit_code == 0
    (here / "chunks.csv").rename(here / "moved")
    missing = told("verify", "m.json")
    assert missing.exit_code == 1
    assert "--other collapse=PATH" in missing.output
    assert told("verify", "m.json", "--other", "collapse=moved").exit_code == 0
    (here / "moved").write_text(MAP.replace("c2,d1", "c2,d2"))
    assert told("verify", "m.json", "--other", "collapse=moved").exit_code == 1


def test_a_gate_and_its_record_read_the_mapping_of_the_policy(here: Path) -> None:
    (here / "ci").mkdir()
    (here / "chunks.csv").rename(here / "ci/chunks.csv")
    (here / "ci/gate.toml").write_text(
        '[policy]\nqrels = "../gold.qrels"\nbaseline = "../a.run"\ncandidate = "../a.run"\n'
        '[evaluate]\ncollapse = "chunks.csv"\ncollapse_qrels = true\nunmapped = "refuse"\n'
        '[[rule]]\nrule = "least_value"\nmeasure = "RR"\nat_least = 0.7\nbasis = "point"\n'
    )
    answer = told("gate", "ci/gate.toml", "--json", "-o", "verdict.json")
    assert answer.exit_code == 0, answer.output
    assert told("verify", "verdict.json").exit_code == 0
    (here / "ci/chunks.csv").write_text(MAP.replace("c2,d1", "c2,d2"))
    assert told("verify", "verdict.json").exit_code == 1
