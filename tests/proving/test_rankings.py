"""Rankings of a comparison: the first documents of every query, as measured, only where they are asked for."""

from __future__ import annotations

import pickle
from collections.abc import Collection
from dataclasses import replace
from unittest.mock import patch

import pytest

import rankproof
from rankproof.proving import movement
from rankproof.proving.compare import compare_evaluations
from rankproof.proving.movement import LEAST_DEPTH, MOST_DEPTH, Rankings, titled_later
from rankproof.proving.records import Comparison

QRELS = {"q1": {"a": 3, "b": 0, "z": 1}, "q2": {"a": 1}, "q3": {"c": 2}}
OLD = {"q1": {"b": 2.0, "a": 1.0, "u": 0.5}, "q2": {"a": 1.0}, "q3": {"d": 1.0, "c": 0.5}}
NEW = {"q1": {"a": 2.0, "u": 1.0}, "q3": {"c": 1.0, "d": 1.0}}


def compared(measures: str = "nDCG@10", **choices: object) -> Comparison:
    return rankproof.compare(QRELS, OLD, NEW, measures, names=["old", "new"], rankings=True, beyond=False, **choices)


def rankings_of(comparison: Comparison) -> Rankings:
    found = comparison.rankings()
    assert found is not None
    return found


def test_documents_stand_in_the_measured_order_with_the_grades_of_those_that_are_judged() -> None:
    found = rankings_of(compared())
    assert {q: list(docs) for q, docs in found.by_system["old"].items()} == {
        "q1": ["b", "a", "u"], "q2": ["a"], "q3": ["d", "c"],
    }  # fmt: skip
    # q2 is not in the new run; in q3 both have one score, and the greater id comes first.
    assert {q: list(docs) for q, docs in found.by_system["new"].items()} == {"q1": ["a", "u"], "q3": ["d", "c"]}
    # z is judged but nowhere returned; u is returned but unjudged.
    assert found.grades == {"q1": {"b": 0, "a": 3}, "q2": {"a": 1}, "q3": {"c": 2}}


def test_ties_are_ordered_as_the_dialect_orders_them() -> None:
    """c and d have one score. c is relevant: its reciprocal rank says where it stood when it was measured."""
    for dialect, order in (("rankproof", ["d", "c"]), ("ir_measures", ["c", "d"])):
        comparison = compared("RR@10", dialect=dialect)
        assert list(rankings_of(comparison).by_system["new"]["q3"]) == order, dialect
        assert comparison.evaluations[1]["RR@10"].by_query["q3"] == 1 / (order.index("c") + 1), dialect


def test_a_dialect_that_drops_the_querys_own_document_shows_it_nowhere() -> None:
    own = {**OLD, "q1": {"q1": 9.0, "a": 1.0}}
    found = rankproof.compare(QRELS, own, OLD, "NDCG@10", names=["old", "new"], dialect="beir", rankings=True,
                              beyond=False)  # fmt: skip
    assert list(rankings_of(found).by_system["old"]["q1"]) == ["a"]


@pytest.mark.parametrize(
    ("measure", "depth"), [("RR@3", LEAST_DEPTH), ("nDCG@15", 15), ("R@1000", MOST_DEPTH), ("AP", 10)]
)
def test_as_many_documents_as_the_first_measure_looks_at_within_bounds(measure: str, depth: int) -> None:
    docs = {f"d{i:03}": float(-i) for i in range(50)}
    found = rankproof.compare({"q": {"d000": 1}, "p": {"d001": 1}}, {"q": docs, "p": docs}, {"q": docs, "p": docs},
                              measure, names=["a", "b"], rankings=True, beyond=False)  # fmt: skip
    ranked = rankings_of(found)
    assert ranked.depth == depth
    assert list(ranked.by_system["a"]["q"]) == list(docs)[:depth]


def test_nothing_is_read_or_held_unless_it_is_asked_for() -> None:
    without = rankproof.compare(QRELS, OLD, NEW, "nDCG@10", beyond=False)
    assert without.rankings() is None
    with patch.object(movement, "_rankings", side_effect=AssertionError("read")) as read:
        comparison = compared()
        comparison.to_dict()
        assert not read.called
        with pytest.raises(AssertionError):
            comparison.rankings()


def test_another_process_gets_the_rankings_and_not_the_runs() -> None:
    again: Comparison = pickle.loads(pickle.dumps(compared()))
    assert list(rankings_of(again).by_system["old"]["q1"]) == ["b", "a", "u"]


def test_saved_reports_have_no_rankings() -> None:
    runs = {"old": OLD, "new": NEW}
    evaluations = [replace(rankproof.evaluate(QRELS, run, "nDCG@10"), run_name=name) for name, run in runs.items()]
    assert compare_evaluations(evaluations).rankings() is None


def test_titles_are_looked_up_for_the_documents_that_are_shown() -> None:
    requested: list[str] = []

    def titles(docs: Collection[str]) -> dict[str, str]:
        requested.extend(docs)
        return {"a": "Title of a"}

    later = titled_later(compared().rankings, titles)
    assert requested == []
    found = later()
    assert found is not None
    assert found.titles == {"a": "Title of a"}
    assert sorted(requested) == ["a", "b", "c", "d", "u"]


def test_a_gate_shows_the_rankings_of_both_runs() -> None:
    policy = {"policy": {"name": "p"}, "rule": [{"rule": "no_regression", "measure": "nDCG@10", "margin": 0.5}]}
    verdict = rankproof.gate(policy, qrels=QRELS, baseline=OLD, candidate=NEW)
    assert verdict.comparison is not None
    found = rankings_of(verdict.comparison)
    assert [list(of["q1"]) for of in found.by_system.values()] == [["b", "a", "u"], ["a", "u"]]
