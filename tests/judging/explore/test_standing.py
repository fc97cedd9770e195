"""Runs on settled grades, rows by query, and what moved: by hand."""

from __future__ import annotations

from tests.raising import raises

from rankproof.errors import UnknownName
from rankproof.judging.adjudicate import adjudicate
from rankproof.judging.explore import PlacedDocument, compared, placed, query_rows, standing
from rankproof.judging.records import SCALES, Judgment
from rankproof.reading.records import Qrels

RUNS = {
    "a": {"q1": ["d1", "d2"], "q2": ["d2", "d1"]},
    "b": {"q1": ["d2", "d1"], "q2": ["d2", "d1"]},
    "c": {"q9": ["d1"]},
}


def settled(*grades: tuple[str, str, int]) -> Qrels:
    acts = [Judgment(f"k{i}", "ann", query, doc, grade) for i, (query, doc, grade) in enumerate(grades)]
    return adjudicate(acts, SCALES["graded"]).qrels


def test_runs_are_measured_and_one_that_has_no_judged_query_is_told() -> None:
    at = standing(RUNS, settled(("q1", "d1", 1), ("q2", "d1", 2)), "RR P@1")
    assert at.measures == ("RR", "P@1")
    # a: 1 and 1/2; b: 1/2 and 1/2
    assert {run: found["RR"].mean for run, found in at.evaluations.items()} == {"a": 0.75, "b": 0.5}
    assert list(at.left_out) == ["c"]


def test_the_least_relevant_grade_counts() -> None:
    at = standing(RUNS, settled(("q1", "d1", 1), ("q2", "d1", 2)), "RR", relevant=2)
    assert at.evaluations["a"]["RR"].by_query == {"q1": 0.0, "q2": 0.5}


def test_nothing_settled_and_no_such_measure() -> None:
    assert standing(RUNS, settled(), "RR").evaluations == {}
    with raises(UnknownName) as unknown:
        standing(RUNS, settled(), "Nonsense@1")
    assert (unknown.value.name, unknown.value.near) == ("Nonsense", [])


def test_two_runs_compared() -> None:
    at = standing(RUNS, settled(("q1", "d1", 1), ("q2", "d1", 2)), "RR")
    found = compared(at, "b", "a", "RR")
    assert found is not None
    assert found.contrasts[0].by_query.tolist() == [0.5, 0.0]
    assert compared(at, "a", "a", "RR") is None
    assert compared(at, "a", "c", "RR") is None


def test_rows_are_sorted_and_what_has_no_value_comes_last() -> None:
    values = [{"q1": 0.5, "q2": float("nan"), "q3": 0.1}, {"q1": 0.2, "q2": 0.9}]
    rows = {sort: [row.query_id for row in query_rows(values, {"q1": 0.3, "q3": -0.4}, sort)]
            for sort in ("", "0", "-0", "1", "query", "-query", "difference", "7")}  # fmt: skip
    assert rows == {
        "": ["q3", "q1", "q2"],
        "0": ["q3", "q1", "q2"],
        "-0": ["q1", "q3", "q2"],
        "1": ["q1", "q2", "q3"],
        "query": ["q1", "q2", "q3"],
        "-query": ["q3", "q2", "q1"],
        "difference": ["q3", "q1", "q2"],
        "7": ["q1", "q2", "q3"],
    }
    assert [row.query_id for row in query_rows(values, {})] == ["q3", "q1", "q2"]


def test_what_moved_within_the_depth() -> None:
    ranked = placed({"old": ["d1", "d2", "d3"], "new": ["d3", "d1", "d4"]}, {"d1": 2}, 2, "old")
    old, new = ranked
    assert old.places == (PlacedDocument(1, "d1", 2), PlacedDocument(2, "d2", None))
    # d3 was third, below the depth; d1 fell; d2 is gone.
    assert new.places == (PlacedDocument(1, "d3", None, "entered"), PlacedDocument(2, "d1", 2, "fell", 1))
    assert new.left == (PlacedDocument(2, "d2", None),)
    assert new.length == 3
    assert placed({"one": ["d1"]}, {}, 5, "other")[0].places == (PlacedDocument(1, "d1", None),)
