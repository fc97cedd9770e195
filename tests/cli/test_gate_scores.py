"""`rankproof gate --scores` and `--saved`: exit statuses, every form, files beside the answer, refusals, verify."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from tests.cli.json_case import faults

from rankproof.cli.shared.root import cli

RUN = CliRunner()
HEAD = "[policy]\nname = 'answers'\n[scores]\nlower = ['cost']\nrange = {faithfulness = [0, 1]}\n"
RULE = "[[rule]]\nrule = '{}'\nmeasure = '{}'\n{} = {}\n"
POLICIES = {
    "pass": HEAD + RULE.format("no_regression", "faithfulness", "margin", 0.02),
    "fail": HEAD + RULE.format("least_gain", "cost", "at_least", 5),
    "open": HEAD + RULE.format("least_value", "cost", "at_most", 1000),
    "bare": RULE.format("no_regression", "faithfulness", "margin", 0.02),
    "files": HEAD.replace("'answers'", "'answers'\nbaseline = 'old.csv'\ncandidate = 'new.csv'")
    + RULE.format("no_regression", "faithfulness", "margin", 0.02),
}


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """40 units: new is better by about 0.2, and costs about 50 more."""
    rng = np.random.default_rng(5)
    hard = rng.random(40) * 0.5
    rows = ["model,qid,faithfulness,cost,note\n"]
    for name, shift, more in (("old", 0.0, 0), ("new", 0.2, 50)):
        values = hard + rng.random(40) * 0.1 + shift
        lines = [f"q{i},{v:.4f},{100 + more + i + rng.integers(9)},x\n" for i, v in enumerate(values)]
        (tmp_path / f"{name}.csv").write_text("qid,faithfulness,cost,note\n" + "".join(lines))
        rows += [f"{name},{line}" for line in lines]
    (tmp_path / "all.csv").write_text("".join(rows))
    for name, text in POLICIES.items():
        (tmp_path / f"{name}.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invoke(line: str) -> Result:
    return RUN.invoke(cli, ["gate", *line.split()], prog_name="rankproof")


@pytest.mark.parametrize(
    ("policy", "status", "word"), [("pass", 0, "PASS"), ("fail", 1, "FAIL"), ("open", 3, "UNDECIDED")]
)
def test_the_exit_status_is_the_verdict(tables: Path, policy: str, status: int, word: str) -> None:
    told = invoke(f"{policy}.toml --scores old.csv new.csv")
    assert told.exit_code == status, told.output
    assert told.stdout.startswith(f"{word}: answers, new against old (1 ")


def test_a_policy_that_holds_everything_needs_no_option(tables: Path) -> None:
    assert invoke("files.toml").exit_code == 0
    assert invoke("files.toml --candidate old.csv --baseline new.csv").exit_code == 1


def test_options_go_before_the_policy_and_fill_one_without_scores(tables: Path) -> None:
    told = invoke("bare.toml --scores old.csv new.csv --unit qid --range faithfulness=0:1 --missing drop --json")
    assert told.exit_code == 0, told.output
    kept = json.loads(told.stdout)["manifest"]["parameters"]["scores"]
    assert kept == {"unit": "qid", "range": {"faithfulness": [0.0, 1.0]}, "missing": "drop"}
    assert invoke("pass.toml --scores old.csv new.csv --lower faithfulness").exit_code == 1


def test_one_table_with_a_column_of_systems(tables: Path) -> None:
    assert invoke("pass.toml --scores all.csv --system model").exit_code == 0
    told = invoke("pass.toml --scores all.csv --system model --baseline new --candidate old --manifest m.json")
    assert told.exit_code == 1, told.output
    assert told.stdout.startswith("FAIL: answers, old against new")
    assert RUN.invoke(cli, ["verify", "m.json"]).exit_code == 0


def test_every_form_is_written_and_the_verdict_verifies(tables: Path) -> None:
    told = invoke(
        "fail.toml --scores old.csv new.csv --json -o v.json --html v.html --junit v.xml --markdown v.md "
        "--manifest m.json --github"
    )
    assert told.exit_code == 1, told.output
    assert "::error" in told.stdout
    document = json.loads((tables / "v.json").read_text())
    assert (document["schema"], document["status"], document["manifest"]["qrels"]) == ("verdict/1", "FAIL", None)
    assert ET.parse(tables / "v.xml").getroot().find(".//failure") is not None
    assert "cost gains at least 5" in (tables / "v.md").read_text()
    assert "cost gains at least 5" in (tables / "v.html").read_text()
    for kept in ("v.json", "m.json"):
        assert RUN.invoke(cli, ["verify", kept]).exit_code == 0
    (tables / "new.csv").write_text((tables / "old.csv").read_text())
    again = RUN.invoke(cli, ["verify", "m.json"])
    assert again.exit_code == 1
    assert "Changed: run new" in again.stdout


def test_verdict_and_manifest_hold_to_their_schemas(tables: Path) -> None:
    assert invoke("pass.toml --scores old.csv new.csv --manifest m.json --json -o v.json").exit_code == 0
    for file, name in (("m.json", "manifest/1"), ("v.json", "verdict/1")):
        assert faults(json.loads((tables / file).read_text()), name) == []


def test_the_short_and_the_full_text_name_what_is_missing(tables: Path) -> None:
    lines = (tables / "new.csv").read_text().splitlines(keepends=True)
    (tables / "new.csv").write_text("".join(line for line in lines if not line.startswith("q7,")))
    told = invoke("open.toml --scores old.csv new.csv")
    assert told.exit_code == 3
    assert "q7" in told.stdout
    assert "Warning: new lacks 1 of 40 units (q7)." in told.stdout
    assert "q7" in invoke("open.toml --scores old.csv new.csv --full").stdout


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        ("pass.toml old.csv new.csv --candidate x", 2, ("--scores",)),
        ("pass.toml --scores old.csv new.csv all.csv", 2, ("3 files",)),
        ("pass.toml --scores old.csv new.csv --candidate new.csv", 2, ("candidate",)),
        ("pass.toml --scores old.csv new.csv --qrels q.trec", 2, ("qrels",)),
        ("pass.toml --lower cost", 2, ("--lower", "--scores")),
        ("pass.toml --scores --saved old.csv new.csv", 2, ("--saved",)),
        ("pass.toml --scores new.csv", 2, ("no_regression", "baseline")),
        ("pass.toml --scores old.csv new.csv --unit nowhere", 2, ("nowhere", "qid")),
        ("pass.toml --scores old.csv new.csv --range cost=9:1", 2, ("range",)),
        ("pass.toml --scores old.csv all.csv", 1, ("q0", "--repeats")),
        ("pass.toml --scores old.csv none.csv", 1, ("none.csv",)),
    ],
)
def test_what_is_wrong_is_said_with_its_exit_status(
    tables: Path, line: str, status: int, words: tuple[str, ...]
) -> None:
    told = invoke(line)
    assert told.exit_code == status, told.output
    assert "Traceback" not in told.output
    for word in words:
        assert word in told.output


def test_nothing_is_written_where_the_gate_is_refused(tables: Path) -> None:
    told = invoke("pass.toml --scores old.csv all.csv --html v.html --manifest m.json -o out.txt")
    assert told.exit_code == 1
    assert not any((tables / name).exists() for name in ("v.html", "m.json", "out.txt"))


def test_a_table_on_standard_input(tables: Path) -> None:
    told = RUN.invoke(cli, ["gate", "pass.toml", "--scores", "old.csv", "-"], input=(tables / "new.csv").read_text())
    assert told.exit_code == 0, told.output


def test_kept_reports_of_evaluate(tables: Path) -> None:
    (tables / "qrels.trec").write_text("".join(f"q{i} 0 a 1\nq{i} 0 b 0\n" for i in range(30)))
    for name, first in (("low", "b"), ("high", "a")):
        other = {"a": "b", "b": "a"}[first]
        text = "".join(f"q{i} Q0 {first} 1 2 x\nq{i} Q0 {other} 2 1 x\n" for i in range(30))
        (tables / f"{name}.run").write_text(text)
        done = RUN.invoke(cli, ["evaluate", "qrels.trec", f"{name}.run", "-m", "RR@10", "--save", f"{name}.json"])
        assert done.exit_code == 0, done.output
    (tables / "kept.toml").write_text(RULE.format("least_gain", "RR@10", "at_least", 0.1))
    assert invoke("kept.toml --saved low.json high.json").exit_code == 0
    assert invoke("kept.toml --saved high.json low.json").exit_code == 1
    assert invoke("kept.toml --saved low.run high.run").exit_code == 1
