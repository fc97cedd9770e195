"""`rankproof benchmark`, `search` and `runs fetch` through the installed command, on a small collection of its own."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from tests import forking

from rankproof.kernel.schema_files import bundled

DOCS = {
    "d1": "red running shoes for women",
    "d2": "blue running shoes for men",
    "d3": "leather hiking boots waterproof",
    "d4": "cotton socks three pairs",
    "d5": "trail running jacket light",
    "d6": "shoe care cream for leather",
}
QUERIES = {"q1": ("red running shoes", "attribute"), "q2": ("hiking boots", "exact"), "q3": ("leather cream", "exact")}
QRELS = [("q1", "d1", 3), ("q1", "d2", 1), ("q1", "d5", 0), ("q2", "d3", 3), ("q3", "d6", 2), ("q3", "d3", 0)]
CONFIG = """
[benchmark]
name = "tiny shop"
dataset = "data"
measures = ["nDCG@10", "RR@10"]
segments = ["kind"]
[modes]
lexical = "bm25()"
other = "replay(path='other.run')"
hybrid = "fuse_rrf(lexical, other)"
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    data.mkdir()
    (data / "corpus.jsonl").write_text(
        "".join(json.dumps({"_id": doc, "title": "", "text": text}) + "\n" for doc, text in DOCS.items())
    )
    (data / "queries.csv").write_text(
        "query_id,text,kind\n" + "".join(f"{query},{text},{kind}\n" for query, (text, kind) in QUERIES.items())
    )
    (data / "qrels.trec").write_text("".join(f"{query} 0 {doc} {grade}\n" for query, doc, grade in QRELS))
    (tmp_path / "other.run").write_text(
        "q1 Q0 d2 1 3 o\nq1 Q0 d1 2 2 o\nq2 Q0 d4 1 2 o\nq2 Q0 d3 2 1 o\nq3 Q0 d6 1 2 o\n"
    )
    (tmp_path / "b.toml").write_text(CONFIG)
    return tmp_path


def rankproof(here: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*forking.command(), *args], cwd=here, capture_output=True, text=True, check=False, timeout=120
    )


def test_every_mode_is_measured_and_everything_is_written(here: Path) -> None:
    told = rankproof(here, "benchmark", "run", "b.toml", "-o", "out", "--full")
    assert told.returncode == 0, told.stderr
    assert "tiny shop: 3 modes on 3 queries, 6 documents" in told.stdout
    assert "What each stage buys in nDCG@10" in told.stdout
    assert "kind=exact" in told.stdout
    assert told.stdout.endswith("Report: out/BenchmarkReport.html\n")
    written = {str(path.relative_to(here / "out")) for path in (here / "out").rglob("*") if path.is_file()}
    assert written == {
        "BenchmarkComparison.md", "BenchmarkReport.html", "BenchmarkReport.json", "fetch.json",
        "manifest.json", "qrels.trec", "modes/hybrid/EvaluationReport.json",
        "modes/lexical/EvaluationReport.json", "modes/other/EvaluationReport.json",
        "latency/hybrid.tsv", "latency/lexical.tsv", "latency/other.tsv",
        "runs/hybrid.run", "runs/lexical.run", "runs/other.run",
    }  # fmt: skip
    report = json.loads((here / "out" / "BenchmarkReport.json").read_text())
    assert report["schema"] == "benchmark/1"
    assert [mode["mode"] for mode in report["modes"]] == ["lexical", "other", "hybrid"]
    assert report["modes"][2]["rescue"]["k"] == 10
    assert report["cost"] is None


def test_a_benchmark_can_be_computed_again_and_its_modes_are_kept_reports(here: Path) -> None:
    rankproof(here, "benchmark", "run", "b.toml", "-o", "out")
    told = rankproof(here, "verify", "out/manifest.json")
    assert told.returncode == 0, told.stdout + told.stderr
    assert told.stdout.startswith("verified: ")
    report = json.loads((here / "out/modes/hybrid/EvaluationReport.json").read_text())
    assert report["schema"] == "evaluation-report/1"
    assert set(report["measures"]["nDCG@10"]["by_query"]) == {"q1", "q2", "q3"}
    whole = json.loads((here / "out/BenchmarkReport.json").read_text())
    found = {e["run"]: e["measures"]["nDCG@10"]["value"] for e in whole["comparison"]["evaluations"]}
    assert report["measures"]["nDCG@10"]["value"] == found["hybrid"]
    modes = [f"out/modes/{mode}/EvaluationReport.json" for mode in ("lexical", "hybrid")]
    compared = rankproof(here, "compare", "--saved", *modes, "--json")  # without the runs
    assert json.loads(compared.stdout)["systems"] == ["lexical", "hybrid"]
    manifest = json.loads((here / "out/manifest.json").read_text())
    assert manifest["dataset_version"] == whole["dataset"]["sha256"]
    assert "hybrid = fuse_rrf(bm25(), replay(path='other.run'))" in manifest["notes"]
    run = here / "out/runs/lexical.run"
    run.write_text(run.read_text().replace("d1", "d9"))
    assert rankproof(here, "verify", "out/manifest.json").returncode == 1


def test_costs_are_shown_where_prices_are_said(here: Path) -> None:
    """bm25 0.10 and replay 0.25 make 0.35 for their fusion, which is the best and the dearest."""
    assert "per 1,000" not in rankproof(here, "benchmark", "run", "b.toml", "-o", "out", "--full").stdout
    prices = '[cost]\ncurrency = "EUR"\n[cost.steps]\nbm25 = 0.1\nreplay = 0.25\n'
    (here / "c.toml").write_text(CONFIG + prices)
    assert "lexical (0.10 EUR)" in rankproof(here, "benchmark", "run", "c.toml", "-o", "out").stdout
    told = rankproof(here, "benchmark", "run", "c.toml", "-o", "out", "--full")
    assert told.returncode == 0, told.stderr
    rows = {line.split()[0]: line.split()[-1] for line in told.stdout.splitlines()[1:5]}
    assert rows == {"mode": "1,000", "lexical": "0.10", "other": "0.25", "hybrid": "0.35"}
    assert "lexical (0.10 EUR)" in told.stdout
    report = json.loads((here / "out/BenchmarkReport.json").read_text())
    assert [mode["cost"] for mode in report["modes"]] == [0.1, 0.25, 0.35]
    assert report["cost"]["currency"] == "EUR"
    assert "lexical" in report["cost"]["unbeaten"]


def test_what_it_writes_is_a_valid_run_and_a_latency_file_of_the_gate(here: Path) -> None:
    rankproof(here, "benchmark", "run", "b.toml", "-o", "out")
    valid = rankproof(here, "runs", "validate", "out/runs/lexical.run", "--qrels", "data/qrels.trec")
    assert valid.returncode == 0, valid.stdout
    (here / "fast.toml").write_text('[[rule]]\nrule = "latency"\nbasis = "point"\npercentile = 95\nbudget_ms = 10000\n')
    passed = rankproof(here, "gate", "fast.toml", "--latency", "out/latency/lexical.tsv")
    assert passed.returncode == 0, passed.stdout + passed.stderr


def test_a_fetch_writes_runs_and_a_manifest_and_gives_the_same_again(here: Path) -> None:
    first = rankproof(here, "runs", "fetch", "b.toml", "--mode", "lexical", "-o", "one")
    assert first.returncode == 0, first.stderr
    assert first.stdout.startswith("lexical: 3 queries, ")
    again = json.loads(rankproof(here, "runs", "fetch", "b.toml", "--mode", "lexical", "-o", "two", "--json").stdout)
    assert (here / "one/runs/lexical.run").read_bytes() == (here / "two/runs/lexical.run").read_bytes()
    assert again["modes"][0]["sha256"] == json.loads((here / "one/fetch.json").read_text())["modes"][0]["sha256"]
    assert again["modes"][0]["pipeline"] == "bm25()"


def test_a_search_shows_every_mode_with_grades(here: Path) -> None:
    told = rankproof(here, "search", "b.toml", "red running shoes", "-n", "2")
    assert told.returncode == 0, told.stderr
    assert "q1: red running shoes" in told.stdout
    assert "d1  grade 3  red running shoes for women" in told.stdout
    assert "hybrid (" in told.stdout
    free = rankproof(here, "search", "b.toml", "waterproof", "--mode", "lexical", "--json")
    document = json.loads(free.stdout)
    assert document["query"] == {"query_id": None, "text": "waterproof"}
    assert document["modes"][0]["results"][0]["doc_id"] == "d3"


def test_a_broken_rerank_is_invalid_input_and_the_report_is_written(here: Path) -> None:
    broken = "broken = {pipeline = \"replay(path='other.run')\", rerank_of = 'lexical', depth = 1}\n"
    (here / "c.toml").write_text(CONFIG + broken)
    told = rankproof(here, "benchmark", "run", "c.toml", "-o", "out", "--json")
    assert told.returncode == 1, told.stdout + told.stderr
    assert "broken is BROKEN: it is not lexical reranked to depth 1" in told.stderr
    assert json.loads(told.stdout)["advice"]["broken"] == ["broken"]
    assert (here / "out/BenchmarkReport.html").exists()


def test_some_modes_are_measured_and_decide_nothing(here: Path) -> None:
    told = rankproof(here, "benchmark", "run", "b.toml", "--mode", "other", "-o", "out")
    assert told.returncode == 0, told.stderr
    assert "Not the benchmark's verdict: 2 of 3 modes were run, without hybrid." in told.stdout
    assert "Ship" not in told.stdout
    assert rankproof(here, "verify", "out/manifest.json").returncode == 0


@pytest.mark.parametrize("segments", [True, False])
def test_one_mode_alone_is_measured_and_nothing_is_compared(here: Path, segments: bool) -> None:
    kept = CONFIG if segments else CONFIG.replace('segments = ["kind"]\n', "")
    target = '[[target]]\nrule = "least_value"\nmeasure = "P@10"\nat_least = 0.9\nbasis = "point"\n'
    alone = "".join(line for line in kept.splitlines(True) if not line.startswith(("other", "hybrid")))
    (here / "one.toml").write_text(alone)
    told = rankproof(here, "benchmark", "run", "one.toml", "-o", "out")
    assert told.returncode == 0, told.stderr
    assert "tiny shop: 1 mode on 3 queries" in told.stdout
    assert "Nothing is compared: lexical is the only mode." in told.stdout
    assert "Ship" not in told.stdout
    for form in ("table", "markdown", "html", "json"):
        shown = rankproof(here, "benchmark", "run", "one.toml", "-o", "out", "--format", form, "--full", "-q")
        assert shown.returncode == 0, shown.stderr
        assert "lexical" in shown.stdout
    report = json.loads((here / "out/BenchmarkReport.json").read_text())
    assert [e.message for e in Draft202012Validator(bundled("benchmark/1")).iter_errors(report)] == []
    assert (report["comparison"]["contrasts"], report["advice"]["ship"], report["best"]["RR@10"]) == ([], None, None)
    assert rankproof(here, "verify", "out/manifest.json").returncode == 0
    (here / "one.toml").write_text(alone + target)
    assert rankproof(here, "benchmark", "run", "one.toml", "-o", "out").returncode == 1
    part = rankproof(here, "benchmark", "run", "b.toml", "--mode", "lexical", "-o", "part")
    assert part.returncode == 0, part.stderr
    assert "Not the benchmark's verdict: 1 of 3 modes was run, without other, hybrid." in part.stdout


def test_a_starter_is_written_once(here: Path) -> None:
    assert rankproof(here, "benchmark", "init", "new.toml").returncode == 0
    assert "[modes]" in (here / "new.toml").read_text()
    again = rankproof(here, "benchmark", "init", "new.toml")
    assert again.returncode == 2
    assert "is there already" in again.stderr


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        (("benchmark", "run", "missing.toml"), 1, "missing.toml"),
        (("benchmark", "run", "b.toml", "--mode", "hybird"), 2, "Did you mean 'hybrid'?"),
        (("benchmark", "run", "b.toml", "--json", "--format", "html"), 2, "contradict"),
        (("benchmark", "run", "b.toml", "--format", "csv"), 2, "The report csv cannot show a benchmark"),
        (("benchmark", "run", "b.toml", "-o", "b.toml"), 2, "b.toml is a file. Name a folder to write to"),
        (("search", "b.toml", " "), 2, "The query is empty"),
        (("runs", "fetch", "b.toml", "--mode", "nope"), 2, "No mode of this benchmark is called 'nope'"),
    ],
)
def test_what_is_wrong_is_said_in_one_message(here: Path, args: tuple[str, ...], status: int, message: str) -> None:
    told = rankproof(here, *args)
    assert told.returncode == status, told.stdout + told.stderr
    assert message in told.stderr + told.stdout
    assert "Traceback" not in told.stderr
