"""Weights, strata and clusters through the installed command: compare, gate, verify, and every way to be wrong."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from tests import forking

SAMPLE = Path(__file__).resolve().parents[2] / "src/rankproof/stack/samples/rankings"
COMPARE = ("compare", "qrels.trec", "bm25.run", "dense.run", "-m", "nDCG@10 RR@10", "--queries", "drawn.csv")
POLICY = """
[policy]
qrels = "qrels.trec"
baseline = "bm25.run"
candidate = "dense.run"
queries = "drawn.csv"
weights = "visits"

[[rule]]
rule = "no_regression"
measure = "nDCG@10"
margin = 0.05
basis = "point"

[[rule]]
rule = "least_value"
measure = "nDCG@10"
at_least = 0.2
"""
# One query counts for nearly everything: dense loses 0.72 there, and wins over all queries together.
HEAVY = "q20"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    folder = tmp_path / "sample"
    shutil.copytree(SAMPLE, folder)
    write(folder, {HEAVY: 1000.0})
    return folder


def write(folder: Path, weights: dict[str, float]) -> None:
    lines = ["query_id,visits,kind,session,one"]
    for at in range(1, 21):
        query = f"q{at:02}"
        lines.append(f"{query},{weights.get(query, 1.0)},{'head' if at % 2 else 'tail'},s{(at + 1) // 4},all")
    (folder / "drawn.csv").write_text("\n".join(lines) + "\n")


def rankproof(here: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*forking.command(), *args], cwd=here, capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "COLUMNS": "100"},
    )  # fmt: skip


def compared(here: Path, *args: str) -> dict:
    answer = rankproof(here, *COMPARE, *args, "--json")
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def weights_of(here: Path, queries: list[str]) -> np.ndarray:
    rows = dict(line.split(",")[:2] for line in (here / "drawn.csv").read_text().splitlines())
    return np.array([float(rows[query]) for query in queries])


def test_means_differences_and_bounds_over_unjudged_documents_are_weighted(here: Path) -> None:
    write(here, {f"q{at:02}": float(at) for at in range(1, 21)})
    document = compared(here, "--weights", "visits", "--per-query")
    assert document["design"]["sampling"] == {"weights": "visits", "strata": None, "clusters": None}
    for contrast, bounds in zip(document["contrasts"], document["holes"]["bounds"], strict=True):
        changes = contrast["by_query"]
        weights = weights_of(here, list(changes))
        mean = np.average(list(changes.values()), weights=weights)
        assert contrast["difference"]["value"] == pytest.approx(mean)
        assert contrast["candidate_mean"] - contrast["baseline_mean"] == pytest.approx(mean)
        (bound,) = bounds["differences"]
        ends = np.array(bound["by_query"])
        assert [bound["least"], bound["greatest"]] == pytest.approx(np.average(ends, axis=0, weights=weights).tolist())
    assert any("weighted by visits" in line for line in document["fine_print"])


def test_clusters_and_strata_leave_the_mean_and_change_the_interval(here: Path) -> None:
    plain = compared(here, "--significance", "t")["contrasts"][0]["difference"]
    for choice in (("--clusters", "session"), ("--strata", "kind"), ("--by", "kind", "--clusters", "session")):
        contrast = compared(here, *choice, "--significance", "t")["contrasts"][0]
        assert contrast["difference"]["value"] == pytest.approx(plain["value"])
        assert contrast["difference"]["low"] != pytest.approx(plain["low"], abs=1e-6)
        assert contrast["design_effect"] > 0


def test_one_heavy_query_turns_the_verdict_of_a_gate_and_is_told(here: Path) -> None:
    (here / "gate.toml").write_text(POLICY)
    weighted = rankproof(here, "gate", "gate.toml", "--manifest", "m.json")
    assert weighted.returncode == 1, weighted.stdout
    assert "weighted by visits" in weighted.stdout
    (here / "plain.toml").write_text(POLICY.replace('weights = "visits"\n', ""))
    assert rankproof(here, "gate", "plain.toml").returncode == 0
    same = rankproof(here, "verify", "m.json")
    assert same.returncode == 0, same.stdout + same.stderr
    write(here, {})
    assert rankproof(here, "verify", "m.json").returncode == 1


def test_a_gate_without_a_baseline_verifies_with_its_weights(here: Path) -> None:
    alone = POLICY.replace('baseline = "bm25.run"\n', "").replace('rule = "no_regression"', 'rule = "least_value"')
    alone = alone.replace("margin = 0.05", "at_least = 0.1")
    (here / "gate.toml").write_text(alone)
    rankproof(here, "gate", "gate.toml", "--manifest", "m.json")
    same = rankproof(here, "verify", "m.json")
    assert same.returncode == 0, same.stdout + same.stderr


def test_one_heavy_query_cannot_pass_a_gate_by_bounds(here: Path) -> None:
    """With weights the plain t bound would take 20 queries for 20, though one of them is nearly all."""
    (here / "gate.toml").write_text(POLICY.replace('basis = "point"\n', "").replace("margin = 0.05", "margin = 0.5"))
    answer = rankproof(here, "gate", "gate.toml", "--json")
    rulings = json.loads(answer.stdout)["rulings"]
    assert rulings[0]["status"] != "PASS"


@pytest.mark.parametrize(
    ("choice", "status", "words"),
    [
        (("--weights", "vists"), 2, "vists"),
        (("--weights", "session"), 1, "above 0"),
        (("--clusters", "one"), 0, "one cluster only"),
        (("--clusters", "session", "--strata", "kind"), 1, "two strata"),
        (("--clusters", "session", "--significance", "wilcoxon"), 2, "wilcoxon"),
        (("--clusters", "session", "--correction", "tukey"), 2, "tukey"),
    ],
)
def test_what_cannot_be_is_told(here: Path, choice: tuple[str, ...], status: int, words: str) -> None:
    answer = rankproof(here, *COMPARE, *choice)
    assert answer.returncode == status, answer.stdout + answer.stderr
    assert words in answer.stdout + answer.stderr
    assert "Traceback" not in answer.stderr


def test_a_compared_query_without_a_row_is_refused(here: Path) -> None:
    lines = (here / "drawn.csv").read_text().splitlines()
    (here / "drawn.csv").write_text("\n".join(lines[:-1]) + "\n")
    answer = rankproof(here, *COMPARE, "--weights", "visits")
    assert answer.returncode == 1
    assert "q20" in answer.stderr


def test_columns_without_their_file_are_refused(here: Path) -> None:
    assert rankproof(here, "compare", "qrels.trec", "bm25.run", "dense.run", "--weights", "visits").returncode == 2
    (here / "gate.toml").write_text(POLICY.replace('queries = "drawn.csv"\n', ""))
    assert rankproof(here, "gate", "gate.toml").returncode == 2


def test_a_reuse_check_and_ties_use_the_weights_too(here: Path) -> None:
    (here / "groups.csv").write_text("run,group\nbm25,a\ndense,b\n")
    check = ("--reuse-check", "groups.csv", "--pool-depth", "5")
    document, plain = compared(here, "--weights", "visits", *check), compared(here, *check)
    for group, other in zip(document["reuse"]["groups"], plain["reuse"]["groups"], strict=True):
        weighted, equal = group["contrasts"][0], other["contrasts"][0]
        assert weighted["with_all"]["difference"] == pytest.approx(document["contrasts"][0]["difference"]["value"])
        assert abs(weighted["without"]["difference"] - equal["without"]["difference"]) > 0.1
    for risk in document["tie_risks"]:
        (of,) = [c for c in document["contrasts"] if c["measure"] == risk["measure"]]
        assert risk["observed"] == pytest.approx(of["difference"]["value"])
