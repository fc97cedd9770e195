"""`rankproof evaluate`: trec_eval's habits, several runs in one table, forms, files and refusals."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import rankproof
from rankproof.cli.shared.root import cli

# Judged: q1 {d1:2, d2:0, d3:1}, q2 {d4:1}, q3 {d5:1} (q3 is missing from the runs).
QRELS = "q1 0 d1 2\nq1 0 d2 0\nq1 0 d3 1\nq2 0 d4 1\nq3 0 d5 1\n"
# Run a: q1 d2 d1 x d3, q2 d4. Run b: q1 d1 d3, q2 x d4.
RUN_A = "q1 Q0 d2 1 4 a\nq1 Q0 d1 2 3 a\nq1 Q0 x 3 2 a\nq1 Q0 d3 4 1 a\nq2 Q0 d4 1 1 a\n"
RUN_B = "q1 Q0 d1 1 2 b\nq1 Q0 d3 2 1 b\nq2 Q0 x 1 2 b\nq2 Q0 d4 2 1 b\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "a.run").write_text(RUN_A)
    (tmp_path / "b.run").write_text(RUN_B)
    return tmp_path


def evaluate(*args: str) -> click.testing.Result:
    return CliRunner().invoke(cli, ["evaluate", *args])


def rows(told: click.testing.Result) -> list[list[str]]:
    """The table's lines in words, without the fine print."""
    assert told.exit_code == 0, told.output
    return [line.split() for line in told.stdout.split("\n\n")[0].splitlines()]


def values(*args: str) -> dict[str, float]:
    """Measure -> value of one run."""
    told = evaluate("--json", *args)
    assert told.exit_code == 0, told.output
    (run,) = json.loads(told.stdout)["evaluations"]
    return {text: measure["value"] for text, measure in run["measures"].items()}


# ---- tables --------------------------------------------------------------------------------------


def test_the_default_measures(here: Path) -> None:
    header, only = rows(evaluate("qrels", "a.run"))
    assert header == ["run", "nDCG@10", "RR@10", "AP", "R@100", "P@10"]
    assert only[0] == "a"
    # RR: 1/2, 1, 0 (missing). AP: (1/2 + 2/4)/2, 1, 0. P@10: 2/10, 1/10, 0.
    assert only[2:4] == ["0.5000", "0.5000"]
    assert only[5] == "0.1000"


def test_several_runs_give_one_table_with_the_best_marked(here: Path) -> None:
    """RR of a: 1/2, 1, 0; of b: 1, 1/2, 0. nDCG of a: 1.6925/2.6309, 1, 0; of b: 1, 0.6309, 0."""
    table = rows(evaluate("qrels", "a.run", "b.run", "-m", "RR", "-m", "nDCG@10"))
    assert [row[0] for row in table] == ["run", "a", "b"]
    assert table[1][1] == table[2][1] == "0.5000"  # equal: no best
    assert [row[2] for row in table[1:]] == ["0.5478*", "0.5436"]


def test_below_the_table_stands_the_fine_print(here: Path) -> None:
    told = evaluate("qrels", "a.run", "--full").stdout
    assert "order: score descending, then document id descending" in told
    assert "queries: 3 scored of 3 judged" in told
    assert "missing from the run: 1, count as empty rankings (q3)" in told
    assert "Judged@10" in told


def test_two_runs_of_one_name_are_told_apart(here: Path) -> None:
    (here / "other").mkdir()
    (here / "other" / "a.run").write_text(RUN_B)
    table = rows(evaluate("qrels", "a.run", "other/a.run", "-m", "RR"))
    assert [row[0] for row in table[1:]] == ["a.run", "other/a.run"]


def test_the_numbers_are_those_of_the_library(here: Path) -> None:
    evaluation = rankproof.evaluate("qrels", "a.run", "nDCG@10 RR AP")
    assert values("qrels", "a.run", "-m", "nDCG@10 RR AP") == {
        text: evaluation[text].mean for text in ("nDCG@10", "RR", "AP")
    }


# ---- trec_eval's habits --------------------------------------------------------------------------


def test_measures_may_stick_to_their_option_and_hold_lists(here: Path) -> None:
    assert list(values("-mmap", "-m", "P.5,10", "qrels", "a.run")) == ["AP", "P@5", "P@10"]


@pytest.mark.parametrize(("name", "least"), [("official", 10), ("all_trec", 50)])
def test_sets_of_measures(here: Path, name: str, least: int) -> None:
    told = evaluate("-m", name, "--dialect", "trec_eval", "--format", "trec", "qrels", "a.run")
    assert told.exit_code == 0, told.output
    assert len(told.stdout.splitlines()) >= least
    assert "map                   \tall\t" in told.stdout


def test_the_trec_form_asks_for_the_official_measures(here: Path) -> None:
    told = evaluate("--format", "trec", "--dialect", "trec_eval", "qrels", "a.run")
    asked = evaluate("--format", "trec", "--dialect", "trec_eval", "-m", "official", "qrels", "a.run")
    assert told.stdout == asked.stdout
    assert "num_q                 \tall\t2" in told.stdout  # q3 is dropped without -c


def test_complete_counts_missing_queries_in_a_dialect_that_drops_them(here: Path) -> None:
    """RR 1/2 and 1 over two queries, or three."""
    asked = ("--dialect", "trec_eval", "-m", "recip_rank", "qrels", "a.run")
    assert values(*asked) == {"RR": 0.75}
    assert values("-c", *asked) == {"RR": 0.5}


def test_depth(here: Path) -> None:
    """R@100 of q1 in its first 2 documents: d1 of d1 and d3. (1/2 + 1 + 0)/3."""
    assert values("-M2", "-mR@100", "qrels", "a.run") == {"R@100": 0.5}


def test_level(here: Path) -> None:
    """Grade 2 and more: only d1 at rank 2 of q1. (1/2 + 0 + 0)/3."""
    assert values("-l2", "-mRR", "qrels", "a.run") == {"RR(rel=2)": pytest.approx(0.5 / 3)}


def test_judged_only(here: Path) -> None:
    """Without x, d3 stands at rank 3: AP of q1 is (1/2 + 2/3)/2; q2 is 1."""
    assert values("-J", "-mAP", "qrels", "a.run") == {"AP": pytest.approx(((1 / 2 + 2 / 3) / 2 + 1) / 3)}


def test_per_query(here: Path) -> None:
    table = rows(evaluate("-q", "-mRR", "qrels", "a.run"))
    assert table == [
        ["query_id", "run", "RR"],
        ["q1", "a", "0.5000"],
        ["q2", "a", "1.0000"],
        ["q3", "a", "0.0000"],
        ["all", "a", "0.5000"],
    ]


# ---- choices -------------------------------------------------------------------------------------


def test_ties_expected_and_range(here: Path) -> None:
    """In q2, d4 (relevant) ties with x: RR 1 or 1/2, 3/4 on average; q1 has RR 1, q3 is missing."""
    (here / "tied.run").write_text("q1 Q0 d1 1 2 t\nq2 Q0 x 1 1 t\nq2 Q0 d4 2 1 t\n")
    assert values("--ties", "expected", "-mRR", "qrels", "tied.run") == {"RR": pytest.approx(1.75 / 3)}
    assert rows(evaluate("--ties", "range", "-mRR", "qrels", "tied.run"))[1][1:] == ["[0.5000,", "0.6667]"]


def test_undefined_skip_leaves_queries_out_of_the_whole_table(here: Path) -> None:
    (here / "qrels2").write_text(QRELS + "q4 0 d1 0\n")
    assert values("-mRR", "qrels2", "a.run") == {"RR": 1.5 / 4}
    assert values("--undefined", "skip", "-mRR", "qrels2", "a.run") == {"RR": 1.5 / 3}


def test_order_given_and_lower_is_better(here: Path) -> None:
    """Scores of run a ascending: q1 d3 x d1 d2, first relevant at rank 1."""
    assert values("--lower-is-better", "-mRR", "--allow", "rank_disagrees", "qrels", "a.run") == {
        "RR": pytest.approx(2 / 3)
    }
    (here / "given.run").write_text("q1 Q0 d2 1 1 g\nq1 Q0 d1 2 9 g\nq2 Q0 d4 1 1 g\n")
    assert values("--order", "given", "-mRR", "qrels", "given.run") == {"RR": 0.5}
    assert values("--order", "rank", "-mRR", "qrels", "given.run") == {"RR": 0.5}


def test_collapse_and_drop_self(here: Path) -> None:
    (here / "passages.run").write_text("q1 Q0 d2#1 1 4 p\nq1 Q0 d1#7 2 3 p\nq1 Q0 d1#2 3 2 p\nq1 Q0 d3#1 4 1 p\n")
    # d2 d1 d3: AP of q1 is (1/2 + 2/3)/2.
    asked = ("--collapse", r"^(.+)#\d+$", "-mAP", "qrels", "passages.run")
    assert values(*asked) == {"AP": pytest.approx((1 / 2 + 2 / 3) / 2 / 3)}
    (here / "self.run").write_text("q1 Q0 q1 1 9 s\nq1 Q0 d1 2 1 s\n")
    assert values("-mRR", "qrels", "self.run") == {"RR": pytest.approx(1 / 2 / 3)}
    assert values("--drop-self", "-mRR", "qrels", "self.run") == {"RR": pytest.approx(1 / 3)}


def test_formats_can_be_forced(here: Path) -> None:
    (here / "run.json").write_text(json.dumps({"q1": {"d1": 1.0}}))
    assert values("-mRR", "--run-format", "json", "--qrels-format", "trec", "qrels", "run.json") == {
        "RR": pytest.approx(1 / 3)
    }
    told = evaluate("--run-format", "jsno", "qrels", "run.json")
    assert told.exit_code == 2
    assert "Did you mean" in told.stderr


@pytest.mark.parametrize("threads", ["1", "2", "7"])
def test_threads_change_no_result(here: Path, threads: str) -> None:
    told = evaluate("--threads", threads, "-q", "qrels", "a.run")
    assert told.stdout == evaluate("-q", "qrels", "a.run").stdout


# ---- forms and files -----------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "latex", "trec"])
def test_every_form_goes_to_a_file_as_to_the_screen(here: Path, form: str) -> None:
    asked = ("--format", form, "-q", "qrels", "a.run", "b.run")
    screen = evaluate(*asked)
    assert screen.exit_code == 0, screen.output
    told = evaluate(*asked, "-o", "out")
    assert (told.exit_code, told.stdout, told.stderr) == (0, "", "Written: out\n")
    if form == "json":
        mine, yours = json.loads((here / "out").read_text()), json.loads(screen.stdout)
        assert mine.pop("observed").keys() == yours.pop("observed").keys() == {"seconds"}
        assert mine == yours
    else:
        assert (here / "out").read_text() == screen.stdout


def test_csv_reads_back(here: Path) -> None:
    told = evaluate("--format", "csv", "-mRR", "qrels", "a.run", "b.run")
    assert list(csv.DictReader(io.StringIO(told.stdout))) == [
        {"run": "a", "RR": "0.5"},
        {"run": "b", "RR": "0.5"},
    ]


def test_a_place_that_cannot_be_written_is_refused_before_the_work(here: Path) -> None:
    told = evaluate("qrels", "no-such.run", "-o", "nowhere/out.txt")
    assert told.exit_code == 2
    assert "Create it first" in told.stderr


def test_json_and_another_form_contradict(here: Path) -> None:
    told = evaluate("--json", "--format", "csv", "qrels", "a.run")
    assert told.exit_code == 2
    assert json.loads(told.stdout)["error"]["type"] == "UsageError"


def test_the_same_input_gives_the_same_bytes(here: Path) -> None:
    assert evaluate("qrels", "a.run", "b.run").stdout == evaluate("qrels", "a.run", "b.run").stdout


# ---- refusals ------------------------------------------------------------------------------------


def test_a_wrong_measure_names_its_neighbor(here: Path) -> None:
    told = evaluate("-m", "nDGC@10", "qrels", "a.run")
    assert told.exit_code == 2
    assert told.stderr == "rankproof: No measure is called 'nDGC'. Did you mean 'nDCG'?\n"


def test_a_wrong_dialect_names_its_neighbor(here: Path) -> None:
    told = evaluate("--dialect", "trec_evla", "qrels", "a.run")
    assert told.exit_code == 2
    assert "No dialect is called 'trec_evla'. Did you mean" in told.stderr
    assert "'trec_eval'" in told.stderr


@pytest.mark.parametrize("missing", [("no-such-qrels", "a.run"), ("qrels", "no-such.run")])
def test_a_missing_file_is_said_in_one_line(here: Path, missing: tuple[str, str]) -> None:
    told = evaluate(*missing)
    assert told.exit_code == 1
    assert told.stdout == ""
    assert "no-such" in told.stderr
    assert told.stderr.count("\n") == 1


def test_a_duplicate_is_refused_with_its_line_and_its_code(here: Path) -> None:
    (here / "twice.run").write_text(RUN_A + "q1 Q0 d1 5 0.5 a\n")
    told = evaluate("qrels", "twice.run")
    assert told.exit_code == 1
    assert "twice.run, line 6" in told.stderr
    told = evaluate("--json", "qrels", "twice.run")
    assert told.exit_code == 1
    error = json.loads(told.stdout)["error"]
    assert error["type"] == "Refused"
    assert "duplicate_document" in [finding["code"] for finding in error["findings"]]


def test_without_a_run_the_usage_is_told(here: Path) -> None:
    told = evaluate("qrels")
    assert told.exit_code == 2
    assert "RUN" in told.stderr
