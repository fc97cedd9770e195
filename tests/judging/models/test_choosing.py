"""Which pairs a model is asked about, and from which file."""

from __future__ import annotations

from pathlib import Path

from tests.cli.model_judging import RUNS
from tests.raising import raises

from rankproof.errors import InputError, UsageError
from rankproof.judging.models.questions import ChosenPairs, choose, draw, listed, read_pairs
from rankproof.judging.records import Project
from rankproof.testing.judging import judgments_of

PROJECT = Project("p", "P")


def pairs(what: str, said: dict[str, str] | None = None, depth: int = 2) -> list[tuple[str, str]]:
    return list(choose(what, PROJECT, runs=RUNS, judgments=judgments_of(said or {}), depth=depth).pairs)


def test_the_pool_goes_query_by_query_to_its_depth() -> None:
    assert pairs("pool", depth=1) == [("q1", "d1"), ("q2", "d2"), ("q2", "d4"), ("q3", "d3")]
    assert len(pairs("pool")) == 7
    assert pairs("depth_pool(depth=1)") == pairs("pool", depth=1)


def test_only_grades_of_people_take_a_pair_out() -> None:
    said = {"q1 d1": "ann=3 gpt:model=0", "q2 d2": "gpt:model=1", "q2 d4": "bob=later", "q3 d9": "ann=0"}
    assert pairs("unjudged", said, depth=1) == [("q2", "d2"), ("q2", "d4"), ("q3", "d3")]
    assert pairs("judged", said) == [("q1", "d1"), ("q3", "d9")]


def test_without_runs_there_is_no_pool() -> None:
    with raises(UsageError, "'p'", "rankproof judgments add", "--pairs judged", "--pairs assigned", "--list"):
        choose("unjudged", PROJECT, runs={}, judgments=())
    assert choose("judged", PROJECT, runs={}, judgments=()).pairs == ()


def test_a_draw_keeps_the_order_and_depends_on_its_seed_alone() -> None:
    every = ChosenPairs(tuple((f"q{i}", "d") for i in range(100)), "all", 100)
    drawn = draw(every, 20, 7)
    assert drawn == draw(every, 20, 7) != draw(every, 20, 8)
    assert list(drawn.pairs) == sorted(set(drawn.pairs), key=every.pairs.index)
    assert (len(drawn.pairs), drawn.frame) == (20, 100)
    assert draw(every, 100, 7) is every
    assert draw(every, None, 7) is every


def test_lists(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_text('\ufeffdoc_id,query_id,grade\n"d,1",q1,\nd2,q1,3\n"d,1",q1,\n', encoding="utf-8")
    assert read_pairs(str(sheet)) == [("q1", "d,1"), ("q1", "d2")]
    sheet.write_text("query_id\tdoc_id\nq1\n")
    with raises(InputError, "sheet.csv", "line 2", "query", "document"):
        read_pairs(str(sheet))
    sheet.write_text("q1 0 d1 1\nq1 0 d2 0\n")
    assert read_pairs(str(sheet)) == [("q1", "d1"), ("q1", "d2")]
    assert listed([("q1", "d1"), ("q9", "d1")], ["q1"], "f").origin == (
        "f, without 1 of queries that the project does not have"
    )
    with raises(UsageError, "f", "queries"):
        listed([("q9", "d1")], ["q1"], "f")
