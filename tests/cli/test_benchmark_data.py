"""Queries without text, ids with spaces and faults that are allowed: the same for every command that runs modes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from tests import forking

DOCS = {"d1": "red shoes", "d2": "blue shoes", "d3": "green socks"}
QUERIES = {"q1": "red", "q2": "blue", "q3": "", "q4": "\u00a0 ", "q5": "green"}
QRELS = [("q1", "d1", 1), ("q2", "d2", 1), ("q3", "d2", 1), ("q4", "d2", 1), ("q9", "d2", 1)]
CONFIG = """
[benchmark]
dataset = "data"
measures = ["RR"]
latency_queries = 0
[modes]
one = "bm25(k1=0.9)"
two = "bm25(k1=0.1)"
"""


def write(here: Path, docs: dict[str, str], queries: dict[str, str], qrels: list[tuple[str, str, int]]) -> None:
    data = here / "data"
    data.mkdir(exist_ok=True)
    lines = [json.dumps({"_id": doc, "title": "", "text": text}) for doc, text in docs.items()]
    (data / "corpus.jsonl").write_text("\n".join(lines) + "\n")
    (data / "queries.csv").write_text("query_id,text\n" + "".join(f"{q},{text}\n" for q, text in queries.items()))
    (data / "qrels.csv").write_text("query_id,doc_id,grade\n" + "".join(f"{q},{d},{g}\n" for q, d, g in qrels))
    (here / "b.toml").write_text(CONFIG)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    write(tmp_path, DOCS, QUERIES, QRELS)
    return tmp_path


def rankproof(here: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*forking.command(), *args], cwd=here, capture_output=True, text=True, check=False, timeout=120
    )


def test_queries_without_text_are_left_out_and_told_by_every_command(here: Path) -> None:
    """q3 and q4 have blanks, q9 is judged and no query: none of them is a query that a mode found nothing for."""
    says = "3 queries have no text and are left out (q3, q4, q9)."
    told = rankproof(here, "benchmark", "run", "b.toml", "-o", "out", "--json")
    assert told.returncode == 0, told.stderr
    assert says in told.stderr
    report = json.loads(told.stdout)
    assert says in report["comparison"]["warnings"]
    assert report["dataset"]["queries"] == 2
    values = {e["run"]: e["measures"]["RR"]["value"] for e in report["comparison"]["evaluations"]}
    assert values == {"one": 1.0, "two": 1.0}
    assert set((here / "out/qrels.trec").read_text().split()[::4]) == {"q1", "q2"}
    assert rankproof(here, "verify", "out/manifest.json").returncode == 0
    fetched = rankproof(here, "runs", "fetch", "b.toml", "-o", "fetched")
    assert says in fetched.stderr
    assert "one: 3 queries" in fetched.stdout  # q5 is asked too, without judgments
    assert says in rankproof(here, "search", "b.toml", "red").stderr
    shown = json.loads(rankproof(here, "dataset", "show", "data", "--json").stdout)
    assert shown["join"]["queries_without_text"] == 3
    (here / "tune.toml").write_text(CONFIG + '[tune]\nmode = "one"\n[tune.dials]\none.k1 = [0.5, 0.9]\n')
    assert says in rankproof(here, "tune", "tune.toml").stderr


def test_ids_with_spaces_are_told_by_one_command_and_refused_by_the_others_before_they_run(tmp_path: Path) -> None:
    write(tmp_path, {"d 1": "red", "d2": "blue"}, {"q1": "red", "q 2": "blue"}, [("q1", "d 1", 1), ("q 2", "d2", 1)])
    message = "2 ids are empty or contain white space ('q 2', 'd 1')."
    shown = json.loads(rankproof(tmp_path, "dataset", "show", "data", "--json").stdout)
    assert [f["message"] for f in shown["findings"] if f["code"] == "id_with_white_space"] == [message]
    for command in (("benchmark", "run", "b.toml", "-o", "out"), ("runs", "fetch", "b.toml", "-o", "out")):
        told = rankproof(tmp_path, *command)
        assert told.returncode == 1
        assert message in told.stderr
        assert not (tmp_path / "out").exists()
        assert not (tmp_path / ".rankproof-cache").exists()
    assert rankproof(tmp_path, "search", "b.toml", "red").returncode == 0  # writes no run


def test_advice_to_allow_a_fault_can_be_followed(here: Path) -> None:
    write(here, DOCS, QUERIES, [*QRELS, ("q1", "d1", 0)])
    commands = (
        ("benchmark", "run", "b.toml", "-o", "out"),
        ("runs", "fetch", "b.toml", "-o", "fetched"),
        ("search", "b.toml", "red"),
    )
    for command in commands:
        told = rankproof(here, *command)
        assert told.returncode == 1
        assert told.stderr.endswith("To go on all the same: --allow conflicting_judgment.\n")
        allowed = rankproof(here, *command, "--allow", "conflicting_judgment")
        assert allowed.returncode == 0, allowed.stderr
    assert rankproof(here, "verify", "out/manifest.json").returncode == 0


def test_no_command_advises_an_option_that_it_does_not_have(here: Path) -> None:
    (here / "qrels.trec").write_text("q1 0 d1 1\nq1 0 d1 0\n")
    (here / "a.run").write_text("q1 Q0 d1 1 2 a\nq1 Q0 d1 2 1 a\n")
    (here / "g.toml").write_text(
        '[policy]\nqrels = "qrels.trec"\ncandidate = "a.run"\n[[rule]]\nrule = "least_value"\nmeasure = "RR"\n'
        "at_least = 0.1\n"
    )
    gated = rankproof(here, "gate", "g.toml")
    assert gated.returncode == 1
    assert 'in the policy: [evaluate] allow = ["conflicting_judgment"].' in gated.stderr
    assert "--allow" not in gated.stderr
    shown = rankproof(here, "similarity", "a.run", "a.run")
    assert shown.returncode == 1
    assert "d1" in shown.stderr
    assert "--allow" not in shown.stderr
    assert "--allow conflicting_judgment" in rankproof(here, "evaluate", "qrels.trec", "a.run", "-m", "RR").stderr
