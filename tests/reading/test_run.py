"""Run: rankings in the order that counts, read like a mapping, filtered and cut."""

from __future__ import annotations

import numpy as np
import pytest
from tests.raising import raises

from rankproof.core import Rows
from rankproof.reading.collect import read_run
from rankproof.reading.records import Order, Run

WORLD = {"q2": {"a": 1.0, "b": 3.0, "c": 2.0}, "q1": {"a": 0.5}}


def test_a_run_is_a_mapping_in_rank_order() -> None:
    run = read_run(WORLD, name="mine")
    assert len(run) == 2
    assert list(run) == ["q2", "q1"] == list(run.query_ids)
    assert list(run["q2"].items()) == [("b", 3.0), ("c", 2.0), ("a", 1.0)]
    assert "q1" in run
    assert run.get("q9") is None
    with pytest.raises(KeyError):
        run["q9"]
    assert run.to_dict() == dict(run) == WORLD
    assert run.depth.tolist() == [3, 1]
    assert repr(run) == "Run('mine', 2 queries, 4 rows, score descending, then document id descending)"


def test_rows_of_a_query_need_not_stand_together() -> None:
    rows = Rows.from_columns(["q1", "q2", "q1"], ["a", "a", "b"], np.array([1.0, 1.0, 2.0]))
    run = Run.of(rows)
    assert run.to_dict() == {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 1.0}}


def test_filter_and_cut() -> None:
    run = read_run(WORLD)
    assert run.filter(["q1", "unknown"]).to_dict() == {"q1": {"a": 0.5}}
    assert run.filter(queries=[]).to_dict() == {}
    assert run.cut(2).to_dict() == {"q2": {"b": 3.0, "c": 2.0}, "q1": {"a": 0.5}}
    assert list(run.cut(2)["q2"]) == ["b", "c"]
    assert run.cut(9) == run
    with raises(ValueError, "depth", 1, 0):
        run.cut(0)
    assert run.to_dict() == WORLD, "what a run was made from is as it was"


def test_rankings_as_scores_put_the_same_documents_in_the_same_order() -> None:
    for run in (
        read_run(WORLD),
        read_run(WORLD, lower_is_better=True),
        read_run({"q2": ["c", "a", "b"], "q1": ["a"]}),
    ):
        scored = {query: dict(zip(docs, scores, strict=True)) for query, docs, scores in run.rankings(as_scores=True)}
        again = read_run(scored)
        assert [list(again[query]) for query in again] == [list(run[query]) for query in run]


def test_kinds() -> None:
    assert read_run(WORLD).kind == "score"
    assert read_run(WORLD, lower_is_better=True).kind == "distance"
    assert read_run(WORLD, order="given").kind == "rank"
    lists = read_run({"q1": ["a", "b"]})
    assert lists.kind == "rank"
    assert not lists.scored
    assert [list(row) for row in lists.rankings()] == [["q1", ["a", "b"], [1, 2]]]


def test_equality_is_by_content() -> None:
    run = read_run(WORLD)
    turned = read_run(dict(reversed(WORLD.items())), name="other")
    assert run == turned
    assert hash(run) == hash(turned)
    assert run.content_hash == turned.content_hash
    assert len(run.content_hash) == 64
    assert run != read_run({**WORLD, "q1": {"a": 0.25}})
    assert run != WORLD
    assert run != run.cut(1)


def test_the_hash_is_written_down() -> None:
    """A change of this number breaks every stored comparison: it must be meant."""
    assert read_run({"q1": {"d1": 1.0}}).content_hash == (
        "1653d28e5e94c0f435984ae8051b5b1c30db0d8a258f82ea7b2ead142cf469b4"
    )


def test_tags() -> None:
    assert read_run(b"q1 Q0 a 1 1 bm25\n").tag == "bm25"
    mixed = read_run(b"q1 Q0 a 1 1 bm25\nq1 Q0 b 2 0 dense\n")
    assert mixed.tag is None
    assert mixed.name == "run"
    assert read_run(WORLD).tag is None


def test_nobody_writes_into_a_run() -> None:
    run = read_run(WORLD)
    run["q1"]["a"] = 99.0
    assert run["q1"] == {"a": 0.5}
    with pytest.raises(AttributeError):
        run.name = "other"
    with pytest.raises(ValueError, match="read-only"):
        run.rows.number[0] = 1.0


def test_the_order_is_kept() -> None:
    assert Run.of(Rows.from_dicts(WORLD), Order(lower_is_better=True)).order.lower_is_better
