"""`rankproof gate` on real runs: a reranker, a weaker system, and a run against itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.shared_data import SHARED, needs_shared_data

from rankproof.cli.shared.root import cli

pytestmark = needs_shared_data

RUNS = SHARED / "dl20" / "runs"
POLICY = f"""
[policy]
qrels = "{(SHARED / "dl20" / "qrels.trec").as_posix()}"
baseline = "{(RUNS / "BM25.run").as_posix()}"

[[rule]]
rule = "no_regression"
measure = "nDCG@10"
margin = 0.02

[[rule]]
rule = "least_gain"
measure = "AP@100"
at_least = 0.03

[[rule]]
rule = "judged_rate"
at_least = 0.8

[[rule]]
rule = "checks"
max_depth = 1000
"""


@pytest.mark.parametrize(
    ("candidate", "status", "rulings"),
    [
        # A reranker of all hundred: nDCG@10 0.4796 -> 0.6385, AP@100 +0.0664 with a lower bound of +0.0396.
        ("BM25_then_gpt35_depth100", "PASS", ["PASS", "PASS", "PASS", "PASS"]),
        # The baseline itself: nothing is lost, nothing is gained, and no chance is left in either.
        ("BM25", "FAIL", ["PASS", "FAIL", "PASS", "PASS"]),
        # Of the first twenty only: a gain in AP@100 that these queries cannot tell from 0.03.
        ("BM25_then_vicuna_depth20", "UNDECIDED", ["PASS", "UNDECIDED", "PASS", "PASS"]),
    ],
)
def test_the_verdict_on_a_real_run(tmp_path: Path, candidate: str, status: str, rulings: list[str]) -> None:
    policy = tmp_path / "gate.toml"
    policy.write_text(POLICY)
    told = CliRunner().invoke(cli, ["gate", str(policy), "--candidate", str(RUNS / f"{candidate}.run"), "--json"])
    document = json.loads(told.stdout)
    assert ([ruling["status"] for ruling in document["rulings"]], document["status"]) == (rulings, status)
    assert told.exit_code == document["exit_status"]
