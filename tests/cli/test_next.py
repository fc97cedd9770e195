"""`rankproof next`: what to judge, as a table, as lines to judge and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from rankproof.cli.shared.root import cli
from rankproof.kernel.version import __version__
from rankproof.reading.collect import read_qrels


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """q1: x is in the baseline only, y in the candidate only; nobody judged either."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.trec").write_text("q1 0 a 2\nq1 0 n 0\nq2 0 a 1\n")
    (tmp_path / "old.run").write_text("q1 Q0 x 1 3 old\nq1 Q0 a 2 2 old\nq2 Q0 a 1 1 old\n")
    (tmp_path / "new.run").write_text("q1 Q0 a 1 3 new\nq1 Q0 n 2 2 new\nq1 Q0 y 3 1 new\nq2 Q0 a 1 1 new\n")
    (tmp_path / "topics.tsv").write_text("q1\tblue  birds\nq2\tred birds\n")
    (tmp_path / "pool.tsv").write_text("q1\tp\nq1\ta\n")
    return tmp_path


def ask(*args: str) -> click.testing.Result:
    return CliRunner().invoke(cli, ["next", "qrels.trec", *args])


def test_a_table(here: Path) -> None:
    """DCG@10 of q1: 2/log2(3) against 2; x at rank 1 could add 2 to the baseline, y at rank 3 1 to the candidate."""
    told = ask("old.run", "new.run")
    assert told.exit_code == 0, told.output
    lines = told.stdout.splitlines()
    assert lines[0].split() == ["query_id", "doc_id", "best", "rank", "worth"]
    assert [line.split()[:4] for line in lines[1:3]] == [["1", "q1", "x", "1"], ["2", "q1", "y", "3"]]
    assert lines[4:] == [
        "new - old: DCG@10 +0.3691 now, between -0.6309 and 0.8691 under all grades; its sign is not certain",
        "worth: how far the judgment is expected to move the bound that decides the sign, toward a decision",
        "universe: the documents of both runs, with grades 0 to 2 where nobody judged",
    ]


def test_topics_and_n(here: Path) -> None:
    lines = ask("old.run", "new.run", "--topics", "topics.tsv", "-n", "1").stdout.splitlines()
    assert lines[0].endswith("  query")
    assert lines[1].endswith("  blue birds")
    assert "1 more is worth judging; -n lists them" in lines


def test_lines_to_judge_read_as_qrels_once_filled(here: Path) -> None:
    told = ask("old.run", "new.run", "--format", "tsv", "--topics", "topics.tsv").stdout
    assert told == "query_id\tdoc_id\tgrade\tquery\nq1\tx\t\tblue birds\nq1\ty\t\tblue birds\n"
    (here / "judged.tsv").write_text(told.replace("x\t\t", "x\t1\t").replace("y\t\t", "y\t0\t"))
    assert read_qrels("judged.tsv").to_dict() == {"q1": {"x": 1, "y": 0}}


def test_json(here: Path) -> None:
    document = json.loads(ask("old.run", "new.run", "--json").stdout)
    assert document["rankproof"] == __version__
    assert document["schema"] == "next/1"
    assert document["observed"].keys() == {"seconds"}
    assert [(pair["query_id"], pair["doc_id"], pair["best_rank"]) for pair in document["wanted"]] == [
        ("q1", "x", 1),
        ("q1", "y", 3),
    ]
    (difference,) = document["differences"]
    assert difference["candidate"] == "new"
    assert (difference["exact"], difference["settled"]) == (True, False)
    assert difference["least"] < 0 < difference["difference"] < difference["greatest"]


def test_a_pool_of_two_columns(here: Path) -> None:
    document = json.loads(ask("old.run", "new.run", "--pool", "pool.tsv", "-m", "R@1", "--json").stdout)
    assert document["documents"] == 3
    assert document["universe"].startswith("the documents of both runs and of the pool")


def test_a_file_and_one_name_for_two_runs(here: Path) -> None:
    (here / "sub").mkdir()
    (here / "sub" / "old.run").write_text((here / "new.run").read_text())
    assert ask("old.run", "sub/old.run", "-o", "out.txt").output == ""
    assert "sub/old.run - old.run: DCG@10" in (here / "out.txt").read_text()


def test_nothing_to_judge(here: Path) -> None:
    told = ask("new.run", "new.run")
    assert told.exit_code == 0
    assert "nothing to judge: no unjudged document was found to move a difference" in told.stdout


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["old.run"], "Give two runs or more"),
        (["old.run", "new.run", "-m", "P@5 R@5"], "one measure; got 2"),
        (["old.run", "new.run", "-m", "Judged@5"], "says what is judged now"),
        (["old.run", "new.run", "--json", "--format", "tsv"], "contradict each other"),
        (["-", "-"], "only once"),
    ],
)
def test_wrong_usage(here: Path, args: list[str], message: str) -> None:
    told = ask(*args)
    assert told.exit_code == 2
    assert message in told.output
