"""What stands after QRELS: folders and patterns of runs, measures among the files, and --baseline."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankproof.cli.shared.root import cli
from rankproof.kernel import shelf

SAMPLE = Path(__file__).resolve().parents[2] / "src/rankproof/stack/samples/rankings"
QUICK = ("--no-beyond", "-m", "nDCG@10")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(SAMPLE, tmp_path, dirs_exist_ok=True)
    runs = tmp_path / "runs"
    runs.mkdir()
    for name in ("bm25.run", "dense.run", "hybrid.run", "qrels.trec"):
        shutil.copy(SAMPLE / name, runs)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, list(args))


def evaluated(*args: str) -> dict[str, dict[str, float]]:
    told = run("evaluate", *args, "--json")
    assert told.exit_code == 0, told.output
    document = json.loads(told.stdout)
    return {e["run"]: {name: m["value"] for name, m in e["measures"].items()} for e in document["evaluations"]}


def test_a_measure_may_stand_after_the_runs(here: Path) -> None:
    plain = evaluated("qrels.trec", "bm25.run", "-m", "nDCG@10")
    assert evaluated("qrels.trec", "bm25.run", "ndcg@10") == plain
    both = evaluated("qrels.trec", "bm25.run", "dense.run", "nDCG@10", "RR@10")
    assert both == evaluated("qrels.trec", "bm25.run", "dense.run", "-m", "nDCG@10 RR@10")


def test_a_measure_between_the_runs_is_one_too(here: Path) -> None:
    assert evaluated("qrels.trec", "AP", "bm25.run") == evaluated("qrels.trec", "bm25.run", "-m", "AP")


def test_a_file_of_that_name_wins_and_it_is_told(here: Path) -> None:
    shutil.copy("dense.run", "AP")
    told = run("evaluate", "qrels.trec", "bm25.run", "runs", "AP", "--json")
    assert "AP" in {e["run"] for e in json.loads(told.stdout)["evaluations"]}
    assert "-m AP" in told.stderr


def test_measures_in_two_places_are_refused(here: Path) -> None:
    told = run("evaluate", "qrels.trec", "bm25.run", "AP", "-m", "nDCG@10")
    assert told.exit_code == 2
    assert "AP" in told.stderr
    assert "nDCG@10" in told.stderr


def test_a_word_that_is_neither_file_nor_measure_names_the_nearest_of_both(here: Path) -> None:
    told = run("evaluate", "qrels.trec", "bm25.run", "ndgc@10")
    assert told.exit_code == 1
    assert "no such file" in told.stderr
    assert "'nDCG'" in told.stderr
    told = run("evaluate", "qrels.trec", "bm52.run")
    assert told.exit_code == 1
    assert "bm25.run" in told.stderr
    assert "measure" not in told.stderr


def test_only_measures_after_qrels_is_wrong_usage(here: Path) -> None:
    told = run("evaluate", "qrels.trec", "ndcg@10")
    assert told.exit_code == 2
    assert "run" in told.stderr


@pytest.mark.parametrize("given", ["runs", "runs/", "runs/*.run"])
def test_a_folder_and_a_pattern_stand_for_their_runs(here: Path, given: str) -> None:
    assert list(evaluated("qrels.trec", given, "-m", "AP")) == ["bm25", "dense", "hybrid"]


def test_files_of_a_folder_that_are_no_runs_are_named(here: Path) -> None:
    told = run("evaluate", "qrels.trec", "runs", "AP")
    assert told.exit_code == 0
    assert "qrels.trec" in told.stderr
    assert "left out" in told.stderr


def test_an_empty_pattern_is_wrong_usage(here: Path) -> None:
    told = run("evaluate", "qrels.trec", "runs/*.tsv", "AP")
    assert told.exit_code == 2
    assert "runs/*.tsv" in told.stderr


def contrasts(*args: str) -> list[tuple[str, str]]:
    told = run("compare", *args, "--json")
    assert told.exit_code == 0, told.output
    return [(c["baseline"], c["candidate"]) for c in json.loads(told.stdout)["contrasts"]]


@pytest.mark.parametrize("name", ["dense", "dense.run", "runs/dense.run"])
def test_the_baseline_may_be_named_whatever_the_order(here: Path, name: str) -> None:
    pairs = contrasts("qrels.trec", "runs", "--baseline", name, *QUICK)
    assert pairs == [("dense", "bm25"), ("dense", "hybrid")]


def test_the_baseline_may_be_a_further_file(here: Path) -> None:
    assert contrasts("qrels.trec", "dense.run", "--baseline", "bm25.run", *QUICK) == [("bm25", "dense")]


def test_a_baseline_that_is_not_there_or_not_one_is_refused(here: Path) -> None:
    told = run("compare", "qrels.trec", "runs", "--baseline", "bm52", *QUICK)
    assert told.exit_code == 2
    assert "'bm25'" in told.stderr
    told = run("compare", "qrels.trec", "bm25.run", "runs/bm25.run", "dense.run", "--baseline", "bm25", *QUICK)
    assert told.exit_code == 2
    assert "runs/bm25.run" in told.stderr


def test_a_baseline_that_nobody_named_is_told(here: Path) -> None:
    told = run("compare", "qrels.trec", "runs", *QUICK)
    assert told.exit_code == 0
    assert "runs/bm25.run" in told.stderr
    assert "--baseline" in told.stderr
    assert "--baseline" not in run("compare", "qrels.trec", "bm25.run", "runs", *QUICK).stderr


def test_kept_reports_take_a_baseline_too(here: Path) -> None:
    for name in ("bm25", "dense"):
        assert run("evaluate", "qrels.trec", f"{name}.run", "--save", f"{name}.json", "-m", "AP").exit_code == 0
    assert contrasts("--saved", "bm25.json", "dense.json", "--baseline", "dense.json") == [("dense", "bm25")]


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("ttest", "t"), ("t-test", "t"), ("Paired-T", "t"), ("wilcoxon", "wilcoxon"), ("permutation", "randomization"),
        ("randomization", "randomization"), ("bootstrap", "bca"), ("sign_test", "sign"),
    ],
)  # fmt: skip
def test_a_test_may_be_called_as_people_call_it(here: Path, spelled: str, name: str) -> None:
    told = run("compare", "qrels.trec", "bm25.run", "dense.run", *QUICK, "--test", spelled, "--json")
    assert json.loads(told.stdout)["contrasts"][0]["difference"]["method"] == name


def test_spellings_mean_one_method() -> None:
    items = shelf.offered("significance").values()
    spelled = [spelling for item in items for spelling in item.spellings]
    assert len(spelled) == len(set(spelled))
    assert not set(spelled) & {item.name for item in items}
    assert all(spelling == spelling.casefold().replace("_", "-") for spelling in spelled)


def test_an_unknown_test_offers_spellings_too(here: Path) -> None:
    told = run("compare", "qrels.trec", "bm25.run", "dense.run", "--test", "permutations")
    assert told.exit_code == 2
    assert "'permutation'" in told.stderr


def test_a_comparison_as_csv_has_the_numbers_of_json(here: Path) -> None:
    args = ("compare", "qrels.trec", "bm25.run", "dense.run", "hybrid.run", "-m", "nDCG@10 RR@10", "--no-beyond")
    rows = list(csv.DictReader(io.StringIO(run(*args, "--format", "csv").stdout)))
    document = json.loads(run(*args, "--json").stdout)
    assert len(rows) == len(document["contrasts"]) == 4
    for row, contrast in zip(rows, document["contrasts"], strict=True):
        assert (row["measure"], row["baseline"], row["candidate"]) == (
            contrast["measure"], contrast["baseline"], contrast["candidate"],
        )  # fmt: skip
        assert float(row["difference"]) == contrast["difference"]["value"]
        assert (float(row["low"]), float(row["high"])) == (
            contrast["difference"]["low"],
            contrast["difference"]["high"],
        )
        assert float(row["adjusted_p_value"]) == contrast["adjusted"]["p_value"]
        assert row["result"] == contrast["direction"].replace("not shown", "not significant")


def test_a_test_that_cannot_be_made_is_empty_in_csv_and_says_why(here: Path) -> None:
    told = run("compare", "qrels.trec", "bm25.run", "runs/bm25.run", *QUICK, "--test", "t", "--format", "csv")
    (row,) = csv.DictReader(io.StringIO(told.stdout))
    assert (row["low"], row["p_value"], row["result"]) == ("", "", "not estimable")
    assert row["reason"]


def test_csv_by_query_adds_up_to_the_difference(here: Path) -> None:
    args = ("compare", "qrels.trec", "bm25.run", "dense.run", *QUICK, "--format", "csv")
    (whole,) = csv.DictReader(io.StringIO(run(*args).stdout))
    rows = list(csv.DictReader(io.StringIO(run(*args, "-q").stdout)))
    assert len(rows) == int(whole["queries"])
    _, baseline, candidate = rows[0]  # query_id, and a column for each system
    mean = sum(float(row[candidate]) - float(row[baseline]) for row in rows) / len(rows)
    assert math.isclose(mean, float(whole["difference"]), rel_tol=1e-12)


def test_a_folder_of_parquet_parts_is_measured_as_one_run(here: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    rows = [line.split() for line in Path("bm25.run").read_text().splitlines()]
    folder = here / "spark" / "bm25.parquet"
    folder.mkdir(parents=True)
    (folder / "_SUCCESS").touch()
    for number, part in enumerate((rows[:150], rows[150:])):
        columns = {
            "query_id": [row[0] for row in part],
            "doc_id": [row[2] for row in part],
            "score": [float(row[4]) for row in part],
        }
        pyarrow.parquet.write_table(arrow.table(columns), folder / f"part-0000{number}-x.snappy.parquet")
    whole = evaluated("qrels.trec", "bm25.run", "nDCG@10")
    assert evaluated("qrels.trec", "spark/bm25.parquet", "nDCG@10") == whole
    assert evaluated("qrels.trec", "spark/bm25.parquet/", "nDCG@10") == whole
    assert evaluated("qrels.trec", "spark", "nDCG@10") == whole
