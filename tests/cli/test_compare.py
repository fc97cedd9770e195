"""`rankproof compare` through the installed command: every form, every file it writes, every way to be wrong."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests import forking

from rankproof.cli.shared.root import cli

SAMPLE = Path(__file__).resolve().parents[2] / "src/rankproof/stack/samples/rankings"
THREE = ("qrels.trec", "bm25.run", "dense.run", "hybrid.run")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    folder = tmp_path / "sample"
    shutil.copytree(SAMPLE, folder)
    return folder


def rankproof(here: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*forking.command(), *args], cwd=here, capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "COLUMNS": "100"},
    )  # fmt: skip


def test_the_table_says_who_is_better_who_pays_and_what_is_not_seen(here: Path) -> None:
    told = rankproof(here, "compare", *THREE, "--topics", "topics.tsv", "--full")
    assert told.returncode == 0, told.stderr
    for part in (
        "dense, hybrid against bm25, 20 queries",
        "hybrid is significantly better than bm25 in nDCG@10",
        "Lost most in nDCG@10: dense",
        "What the measures do not see",
        "What is not judged",
        "family: 2 pairs of 3 systems x 5 measures = 10 tests: 2 primary (nDCG@10) and 8 secondary, corrected by max_t",
    ):
        assert part in told.stdout
    assert "'replacement band for watch 42mm'" in told.stdout  # the query's own words
    assert told.stderr == ""


def test_the_same_inputs_give_the_same_bytes(here: Path) -> None:
    asked = ("compare", *THREE, "--significance", "randomization", "--resamples", "2000")
    first, second = rankproof(here, *asked), rankproof(here, *asked)
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    other = rankproof(here, *asked, "--seed", "7")
    assert other.stdout != first.stdout


@pytest.mark.parametrize("significance", ["t", "randomization", "bca", "studentized", "wilcoxon", "sign"])
@pytest.mark.parametrize("correction", ["holm", "bh", "tukey", "none"])
def test_every_method_and_correction_answers(here: Path, significance: str, correction: str) -> None:
    told = rankproof(
        here, "compare", *THREE, "-m", "nDCG@10 RR@10", "--no-beyond", "--json", "--resamples", "2000",
        "--significance", significance, "--correction", correction,
    )  # fmt: skip
    assert told.returncode == 0, told.stdout + told.stderr
    document = json.loads(told.stdout)
    assert document["design"]["significance"] == significance
    pairs = 3 if correction == "tukey" else 2
    assert len(document["contrasts"]) == pairs * 2
    for contrast in document["contrasts"]:
        if contrast["difference"]["estimable"]:
            assert (contrast["adjusted"] is None) == (correction == "none")


def test_json_keeps_times_apart_and_has_each_query_when_asked(here: Path) -> None:
    told = rankproof(here, "compare", *THREE[:3], "-m", "RR@10", "-q", "--json")
    document = json.loads(told.stdout)
    assert document["schema"] == "comparison/1"
    assert set(document["observed"]) == {"seconds"}
    assert len(document["contrasts"][0]["by_query"]) == 20
    plain = json.loads(rankproof(here, "compare", *THREE[:3], "-m", "RR@10", "--json").stdout)
    assert "by_query" not in plain["contrasts"][0]


@pytest.mark.parametrize("form", ["markdown", "latex", "html", "csv"])
def test_every_form_is_written_whole(here: Path, form: str) -> None:
    told = rankproof(here, "compare", *THREE, "-m", "nDCG@10 RR@10", "--format", form, "-o", "report")
    assert told.returncode == 0, told.stderr
    text = (here / "report").read_text(encoding="utf-8")
    assert {
        "markdown": "| measure |",
        "latex": r"\begin{tabular}{lrr}",
        "html": "<!doctype html>",
        "csv": "measure,candidate,",
    }[form] in text


def test_latex_explains_its_marks_in_the_caption(here: Path) -> None:
    told = rankproof(here, "compare", *THREE, "-m", "nDCG@10", "--format", "latex", "--no-beyond")
    method = "Paired t-test, Gaffke's bound where few queries changed, an exact test where values are 0 or 1"
    assert rf"\downarrow$: significantly better or worse than bm25 ({method}, max\_t over 2 tests, 95\%)" in told.stdout
    assert r"hybrid & \textbf{0.7344}$^{\uparrow}$ \\" in told.stdout
    pairs = rankproof(here, "compare", *THREE, "-m", "AP", "--format", "latex", "--no-beyond", "--correction", "tukey")
    assert "Letters: significantly better" in pairs.stdout
    assert r"hybrid (c) & \textbf{0.7161}$^{\mathrm{a}}$ \\" in pairs.stdout


def test_segments_are_corrected_together_with_the_whole(here: Path) -> None:
    asked = ("compare", *THREE[:3], "-m", "nDCG@10", "--queries", "queries.csv", "--by", "traffic")
    told = rankproof(here, *asked, "--full")
    assert told.returncode == 0, told.stderr
    assert "1 pair of 2 systems x 1 measure x 3 sets of queries" in told.stdout
    assert "traffic=head" in told.stdout


def test_margins_are_answered(here: Path) -> None:
    same = rankproof(here, "compare", *THREE[:3], "-m", "nDCG@10", "--equivalence", "0.5", "--no-beyond")
    assert "dense is equivalent to bm25 within 0.5000" in same.stdout
    worse = rankproof(here, "compare", *THREE[:3], "-m", "RR@10", "--non-inferiority", "0.01", "--no-beyond")
    assert "dense is not shown to be non-inferior to bm25 within 0.0100" in worse.stdout


def test_kept_reports_compare_without_the_runs(here: Path) -> None:
    for run in ("bm25", "dense"):
        kept = rankproof(here, "evaluate", "qrels.trec", f"{run}.run", "-m", "nDCG@10", "--save", f"{run}.json")
        assert kept.returncode == 0, kept.stderr
    told = rankproof(here, "compare", "--saved", "bm25.json", "dense.json")
    assert told.returncode == 0, told.stderr
    whole = rankproof(here, "compare", *THREE[:3], "-m", "nDCG@10", "--no-beyond")
    assert told.stdout.splitlines()[:4] == whole.stdout.splitlines()[:4]


def test_kept_reports_on_other_judgments_are_refused(here: Path) -> None:
    lines = (here / "qrels.trec").read_text().splitlines()
    (here / "other.trec").write_text("\n".join(lines[:-1]) + "\n")
    rankproof(here, "evaluate", "qrels.trec", "bm25.run", "-m", "RR", "--save", "a.json")
    rankproof(here, "evaluate", "other.trec", "dense.run", "-m", "RR", "--save", "b.json")
    told = rankproof(here, "compare", "--saved", "a.json", "b.json")
    assert told.returncode == 1
    assert "were scored on different judgments" in told.stderr


def test_charts_and_manifest_and_page_are_written_beside_the_answer(here: Path) -> None:
    told = rankproof(
        here, "compare", *THREE[:3], "-m", "nDCG@10", "--charts", "charts", "--manifest", "m.json", "--html", "r.html"
    )
    assert told.returncode == 0, told.stderr
    names = {path.name for path in (here / "charts").iterdir()}
    assert {"forest-ndcg-10.svg", "queries-ndcg-10.svg", "grades.svg"} <= names
    assert all(name.endswith(".svg") for name in names)
    assert (here / "charts" / "grades.svg").read_text(encoding="utf-8").startswith("<svg xmlns=")
    verified = rankproof(here, "verify", "m.json")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    page = (here / "r.html").read_text(encoding="utf-8")
    assert json.loads((here / "m.json").read_text())["id"] in page


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        (("qrels.trec", "bm25.run"), 2, "QRELS BASELINE CANDIDATE...; got 2 files"),
        ((*THREE, "--format", "trec"), 2, "The report trec cannot show a comparison"),
        ((*THREE, "--significance", "tt"), 2, "No significance method is called 'tt'"),
        ((*THREE, "--by", "traffic"), 2, "--queries FILE"),
        ((*THREE, "--queries", "queries.csv", "--by", "trafic"), 2, "Did you mean 'traffic'?"),
        ((*THREE, "--confidence", "95"), 2, "between 0.5 and 1"),
        (("qrels.trec", "bm25.run", "missing.run"), 1, "missing.run"),
        (("qrels.trec", "-", "-"), 2, "only once"),
        ((*THREE, "--json", "--format", "latex"), 2, "contradict"),
        ((*THREE[:3], "--charts", "bm25.run"), 1, "bm25.run is a file"),
        (("--saved", "bm25.run", "dense.run"), 1, "bm25.run"),
        (("--saved", "a.json", "b.json", "--depth", "5"), 2, "already measured: --depth"),
    ],
)
def test_what_is_wrong_is_said_in_one_message(here: Path, args: tuple[str, ...], status: int, message: str) -> None:
    told = rankproof(here, "compare", *args)
    assert told.returncode == status, told.stdout + told.stderr
    assert message in told.stderr + told.stdout
    assert "Traceback" not in told.stderr


def test_titles_of_a_corpus_stand_in_the_page(tmp_path: Path) -> None:
    qrels, runs, corpus = tmp_path / "a.qrels", [], tmp_path / "corpus.jsonl"
    qrels.write_text("q1 0 d1 1\nq2 0 d2 1\n")
    for name in ("old", "new"):
        path = tmp_path / f"{name}.run"
        path.write_text("".join(f"q{i} Q0 d{j} {j} {9 - j} {name}\n" for i in (1, 2) for j in (1, 2)))
        runs.append(str(path))
    corpus.write_text('{"_id": "d1", "title": "A watch band"}\n{"_id": "d2", "text": "Second <b>one</b>"}\n')
    page = tmp_path / "page.html"
    args = ["compare", str(qrels), *runs, "-m", "RR", "--corpus", str(corpus)]
    assert CliRunner().invoke(cli, [*args, "--html", str(page)]).exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert "A watch band" in text
    assert "<b>one" not in text
    for wrong, status in ((args, 2), ([*args[:-1], str(tmp_path / "no.jsonl"), "--html", str(page)], 1)):
        told = CliRunner().invoke(cli, wrong)
        assert told.exit_code == status, told.output
        assert "--html" in told.output or "no such file" in told.output
