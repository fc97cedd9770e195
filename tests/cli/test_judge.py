"""`rankproof judge`: calibrate, estimate, plan, in a copy of the sample."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from rankproof.cli.shared.root import cli
from rankproof.reading.collect import read_qrels

SAMPLE = Path(__file__).resolve().parents[2] / "src/rankproof/stack/samples/rankings"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "sample"
    shutil.copytree(SAMPLE, folder)
    lines = (folder / "qrels.trec").read_text().splitlines(keepends=True)
    (folder / "some.trec").write_text("".join(lines[::3]))
    monkeypatch.chdir(folder)
    return folder


def judge(*args: str) -> click.testing.Result:
    return CliRunner().invoke(cli, ["judge", *args])


def test_help_names_every_command() -> None:
    told = judge("--help").stdout
    assert all(name in told for name in ("calibrate", "estimate", "plan"))
    assert judge("calibrat", "--json").exit_code == 2


def test_calibrate(here: Path) -> None:
    told = judge(
        "calibrate", "--human", "qrels.trec", "--model", "model.trec", "--run", "bm25.run", "--run", "dense.run",
        "--run", "hybrid.run",
    )  # fmt: skip
    assert told.exit_code == 0, told.output
    lines = told.stdout.splitlines()
    assert lines[0] == "Judges against qrels.trec: 422 pairs of 20 queries"
    assert any(line.split()[0:2] == ["kappa", "0.433"] for line in lines)
    assert "model: people's grades down, its own across" in lines
    assert "model: systems by nDCG@10 (20 queries)" in lines


def test_calibrate_says_whom_the_judge_favors(here: Path) -> None:
    (here / "groups.tsv").write_text("bm25.run\tlexical\ndense\tneural\n")
    args = ["calibrate", "--human", "qrels.trec", "--model", "model.trec", "--run", "bm25.run", "--run", "dense.run"]
    told = judge(*args, "--groups", "groups.tsv", "--json")
    assert told.exit_code == 0, told.output
    bias = json.loads(told.stdout)["judges"][0]["bias_by_system"]
    assert [one["name"] for one in bias["systems"]] == ["bm25", "dense"]
    assert [(one["name"], one["runs"]) for one in bias["groups"]] == [("lexical", ["bm25"]), ("neural", ["dense"])]
    assert bias["groups"][0]["at_equal_grades"] == bias["systems"][0]["at_equal_grades"]
    text = judge(*args, "--groups", "groups.tsv").stdout
    assert "model: whom it favors, by system (first 10 documents)" in text
    assert "model: whom it favors, by group (first 10 documents)" in text
    (here / "groups.tsv").write_text("bm52.run\tlexical\n")
    wrong = judge(*args, "--groups", "groups.tsv")
    assert wrong.exit_code == 1
    assert "'bm52.run'" in wrong.output
    assert judge(*args[:5], "--groups", "groups.tsv").exit_code in (1, 2)


def test_two_judges_and_passes(here: Path) -> None:
    told = judge("calibrate", "--human", "qrels.trec", "--model", "m=model.trec", "--model", "m=some.trec",
                 "--model", "some.trec", "--json")  # fmt: skip
    assert told.exit_code == 0, told.output
    document = json.loads(told.stdout)
    first, second = document["judges"]
    assert (first["judge"], second["judge"]) == ("m", "some")
    assert first["stability"]["passes"] == 2
    assert second["stability"] is None
    assert second["missing"] == 281
    assert second["kappa"]["none"]["value"] == 1.0
    assert "not_estimable" in second["kappa"]["none"]


def test_markdown(here: Path) -> None:
    told = judge("calibrate", "--human", "qrels.trec", "--model", "model.trec", "--format", "markdown").stdout
    assert "| kappa | 0.433 (0.331 to 0.525) |" in told


def test_a_shorter_scale_is_pointed_out(here: Path) -> None:
    (here / "binary.trec").write_text(
        "".join(
            f"{query} 0 {doc} {int(grade >= 1)}\n"
            for query, docs in read_qrels("model.trec").items()
            for doc, grade in docs.items()
        )
    )
    told = judge("calibrate", "--human", "qrels.trec", "--model", "binary.trec").stdout
    assert "binary gives no grade above 1, people up to 3" in told
    told = judge("calibrate", "--human", "qrels.trec", "--model", "binary.trec", "--relevant", "1").stdout
    assert "binary: relevant or not, from grade 1 of people and 1 of the judge" in told


def test_estimate(here: Path) -> None:
    told = judge("estimate", "bm25.run", "dense.run", "--human", "some.trec", "--model", "model.trec")
    assert told.exit_code == 0, told.output
    lines = told.stdout.splitlines()
    assert lines[0] == "P@10"
    assert lines[1].split()[:3] == ["run", "naive", "people"]
    assert any(line.strip().startswith("dense - bm25") for line in lines)
    # nDCG@10 from single pairs: naive values, and one line that says why there is no more.
    assert sum("no confidence interval: it is divided by the query's ideal ranking" in line for line in lines) == 1
    assert "a plain random draw without replacement, as nothing else was said" in told.stdout


def test_plan_then_estimate(here: Path) -> None:
    told = judge("plan", "bm25.run", "dense.run", "--model", "model.trec", "-n", "60", "--sheet", "tojudge.tsv",
                 "--json", "-o", "plan.json")  # fmt: skip
    assert told.exit_code == 0, told.output
    assert told.stdout == ""
    people = read_qrels("qrels.trec")
    first, *rows = [line.split("\t") for line in (here / "tojudge.tsv").read_text().splitlines()]
    assert first == ["query_id", "doc_id", "grade"]
    assert len(rows) == 60
    (here / "judged.tsv").write_text(
        "\t".join(first) + "\n" + "".join(f"{q}\t{d}\t{people[q][d]}\n" for q, d, _ in rows)
    )
    told = judge("estimate", "bm25.run", "dense.run", "--human", "judged.tsv", "--model", "model.trec",
                 "--plan", "plan.json", "-m", "DCG@10", "--json")  # fmt: skip
    assert told.exit_code == 0, told.output
    document = json.loads(told.stdout)
    assert document["human"] == 60
    assert document["design"] == "the plan's draw of 60 pairs with known probabilities"
    assert [one["baseline"] for one in document["estimates"]] == [None, None, "bm25"]


def test_a_plan_for_ndcg_draws_whole_queries(here: Path) -> None:
    told = judge("plan", "bm25.run", "dense.run", "--model", "model.trec", "-n", "100", "-m", "nDCG@10").stdout
    assert "These are 6 whole queries" in told
    told = judge("plan", "bm25.run", "--model", "model.trec", "-n", "30", "-m", "nDCG@10").stdout
    assert "Fewer than 6 whole queries give no confidence interval" in told


def test_plan_as_text(here: Path) -> None:
    told = judge("plan", "bm25.run", "dense.run", "--model", "model.trec", "-n", "60", "--human", "some.trec",
                 "--compare").stdout  # fmt: skip
    lines = told.splitlines()
    assert lines[0].startswith("60 of ")
    assert "95% intervals of DCG@10 to expect:" in lines
    assert "and 50 more; --sheet writes all of them" in lines


CALIBRATE = "calibrate --human qrels.trec --model"
ESTIMATE = "estimate bm25.run --human qrels.trec --model model.trec"


@pytest.mark.parametrize(
    ("args", "status", "told"),
    [
        ("calibrate --human qrels.trec", 2, "--model"),
        ("calibrate --human - --model -", 2, "read only once"),
        (f"{CALIBRATE} nowhere.trec", 1, "nowhere.trec"),
        (f"{CALIBRATE} model.trec --json --format table", 2, "contradict"),
        (f"{CALIBRATE} model.trec --model-relevant 2", 2, "Say both"),
        (f"{ESTIMATE} -m RR@10", 2, "RR@10 cannot be"),
        (f"{ESTIMATE} bm25.run", 2, "given twice"),
        (f"{ESTIMATE} --plan qrels.trec", 1, "not JSON"),
        ("plan bm25.run --model model.trec -n 5000", 2, "Judge them all"),
        ("plan bm25.run --model model.trec -n 20 -o nowhere/plan.json", 2, "nowhere"),
    ],
)
def test_refusals(here: Path, args: str, status: int, told: str) -> None:
    found = judge(*args.split())
    assert found.exit_code == status, found.output
    assert told in found.output
