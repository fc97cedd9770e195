"""The whole command on real runs: known values, every form, several runs in one table."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from tests.shared_data import SHARED, needs_shared_data

from rankproof.cli.shared.root import cli

pytestmark = needs_shared_data

DL20 = SHARED / "dl20"
SCIFACT = SHARED / "scifact"


def evaluate(*args: object) -> str:
    told = CliRunner().invoke(cli, ["evaluate", *map(str, args)])
    assert told.exit_code == 0, told.output
    return told.stdout


def test_published_values() -> None:
    assert evaluate("-mnDCG@10", DL20 / "qrels.trec", DL20 / "runs" / "BM25.run").splitlines()[1].split() == [
        "BM25",
        "0.4796",
    ]
    assert "0.6451" in evaluate("-mnDCG@10", SCIFACT / "qrels.trec", SCIFACT / "dense.run")


def test_seven_runs_in_one_table() -> None:
    runs = sorted((DL20 / "runs").glob("*.run"))
    table = evaluate(DL20 / "qrels.trec", *runs).split("\n\n")[0].splitlines()
    assert [line.split()[0] for line in table] == ["run", *(run.stem for run in runs)]
    assert all(sum(line.split()[column].endswith("*") for line in table) == 1 for column in range(1, 6))


def test_a_rerank_of_the_first_twenty_cannot_change_recall_at_100() -> None:
    runs = [DL20 / "runs" / f"{name}.run" for name in ("BM25", "BM25_then_vicuna_depth20")]
    document = json.loads(evaluate("--json", "-mR@100", DL20 / "qrels.trec", *runs))
    first, second = (run["measures"]["R@100"]["value"] for run in document["evaluations"])
    assert first == second


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "latex", "trec"])
def test_every_form_tells_every_query(form: str) -> None:
    text = evaluate("-q", "--format", form, SCIFACT / "qrels.trec", SCIFACT / "dense.run", SCIFACT / "sparse.run")
    assert text.count("\n") > 300
    assert text.endswith("\n")
