"""`rankproof compare --reuse-check` through the installed command: every form, every way to be wrong."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests import forking

SAMPLE = Path(__file__).resolve().parents[2] / "src/rankproof/stack/samples/rankings"
COMPARE = ("compare", "qrels.trec", "bm25.run", "dense.run", "-m", "nDCG@10 P@5", "--no-beyond")
CHECK = ("--reuse-check", "groups.csv", "--pool-depth", "5")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    folder = tmp_path / "sample"
    shutil.copytree(SAMPLE, folder)
    (folder / "groups.csv").write_text("run,group,file\nbm25,lexical,\ndense,vector,\nthird,<b>fusion</b>,hybrid.run\n")
    return folder


def rankproof(here: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*forking.command(), *args], cwd=here, capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "COLUMNS": "100"},
    )  # fmt: skip


def test_every_form_says_whether_the_verdicts_stand(here: Path) -> None:
    text = rankproof(here, *COMPARE, *CHECK)
    assert text.returncode == 0, text.stderr
    reuse = json.loads(rankproof(here, *COMPARE, *CHECK, "--json").stdout)["reuse"]
    assert [group["group"] for group in reuse["groups"]] == ["lexical", "vector", "<b>fusion</b>"]
    assert reuse["groups"][2]["runs"] == ["third"]
    assert reuse["judgments"]["all"] == 422
    assert sum(group["judgments"] for group in reuse["groups"]) == reuse["judgments"]["by_one_group"] > 0
    markdown = rankproof(here, *COMPARE, *CHECK, "--format", "markdown", "--html", "page.html")
    assert markdown.returncode == 0, markdown.stderr
    page = (here / "page.html").read_text()
    for shown in (text.stdout, markdown.stdout, page):
        assert "Can the judgments be reused?" in shown
        assert reuse["sentence"] in shown
    assert "<b>fusion</b>" not in page
    assert 'id="reuse"' in page


def test_the_same_input_gives_the_same_bytes_and_the_rest_is_as_without_the_check(here: Path) -> None:
    asked = (*COMPARE, *CHECK, "--significance", "randomization", "--resamples", "2000", "--json")
    first, second = (json.loads(rankproof(here, *asked).stdout) for _ in range(2))
    first.pop("observed"), second.pop("observed")
    assert first == second
    plain = json.loads(rankproof(here, *(word for word in asked if word not in CHECK), "--json").stdout)
    plain.pop("observed")
    first.pop("reuse")
    first["warnings"] = plain["warnings"]
    assert first == plain


def test_a_verdict_that_does_not_stand_is_a_warning_and_no_failure(here: Path) -> None:
    """Ten queries: team a has the one relevant document of each at another rank than b; without it there is none."""
    grades = "".join(f"q{i} 0 a{i} 1\nq{i} 0 b{i} 0\n" for i in range(10))
    (here / "pool.trec").write_text(grades)
    (here / "a.run").write_text(
        "".join(f"q{i} Q0 x{i} 1 {2 if i == 3 else 0} a\nq{i} Q0 a{i} 2 1 a\n" for i in range(10))
    )
    (here / "b.run").write_text("".join(f"q{i} Q0 b{i} 1 1 b\n" for i in range(10)))
    (here / "teams.csv").write_text("run,group\na,team a\nb,team b\n")
    told = rankproof(
        here, "compare", "pool.trec", "a.run", "b.run", "-m", "RR", "--no-beyond", "--significance", "t",
        "--reuse-check", "teams.csv", "--pool-depth", "2",
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    sentence = "The verdict (worse) stands for 1 of 2 groups; it changes without team a"
    assert told.stdout.count(sentence) == 2  # among the warnings, and in its own section


def test_the_manifest_names_the_groups_and_the_further_runs(here: Path) -> None:
    assert rankproof(here, *COMPARE, *CHECK, "--manifest", "experiment.json").returncode == 0
    others = json.loads((here / "experiment.json").read_text())["others"]
    assert set(others) == {"reuse groups", "contributor third"}
    verified = rankproof(here, "verify", "experiment.json")
    assert verified.returncode == 0, verified.stdout + verified.stderr


@pytest.mark.parametrize(
    ("words", "status", "named"),
    [
        (("--reuse-check", "groups.csv"), 2, ["--pool-depth"]),
        (("--pool-depth", "5"), 2, ["--reuse-check"]),
        (("--reuse-check", "groups.csv", "--pool-depth", "0"), 2, ["--pool-depth", "0"]),
        (("--reuse-check", "none.csv", "--pool-depth", "5"), 1, ["none.csv"]),
        (("--reuse-check", "bm25.run", "--pool-depth", "5"), 1, ["bm25.run", "group"]),
        (("--reuse-check", "unknown.csv", "--pool-depth", "5"), 2, ["unknown.csv", "desne", "dense", "file"]),
        (("--reuse-check", "missing.csv", "--pool-depth", "5"), 2, ["missing.csv", "dense"]),
        (("--reuse-check", "one.csv", "--pool-depth", "5"), 2, ["one.csv", "team"]),
        (("--reuse-check", "shared.csv", "--pool-depth", "20"), 2, ["qrels.trec", "20", "422"]),
        (("--reuse-check", "gone.csv", "--pool-depth", "5"), 1, ["gone.run"]),
    ],
)
def test_what_cannot_be_checked_is_refused_and_nothing_is_written(
    here: Path, words: tuple[str, ...], status: int, named: list[str]
) -> None:
    (here / "unknown.csv").write_text("run,group\nbm25,x\ndense,y\ndesne,z\n")
    (here / "missing.csv").write_text("run,group\nbm25,x\nhybrid.run,z\n")
    (here / "one.csv").write_text("run,group\nbm25,team\ndense,team\n")
    (here / "shared.csv").write_text("run,group,file\nbm25,x,\ndense,y,\nb,z,bm25.run\nd,w,dense.run\n")
    (here / "gone.csv").write_text("run,group,file\nbm25,x,\ndense,y,\nother,z,gone.run\n")
    told = rankproof(here, *COMPARE, *words, "-o", "answer.txt")
    assert told.returncode == status, told.stderr
    assert told.stdout == ""
    assert "Traceback" not in told.stderr
    assert not (here / "answer.txt").exists()
    for name in named:
        assert name in told.stderr


def test_kept_reports_have_no_rankings_to_check(here: Path) -> None:
    for run in ("bm25", "dense"):
        rankproof(here, "evaluate", "qrels.trec", f"{run}.run", "--save", f"{run}.json")
    told = rankproof(here, "compare", "--saved", "bm25.json", "dense.json", *CHECK)
    assert told.returncode == 2
    assert "--reuse-check" in told.stderr
