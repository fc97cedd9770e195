"""Tasks of several searches: their union, when everything was found, and calls that brought nothing."""

from __future__ import annotations

import doctest
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.raising import raises

import rankproof
from rankproof.errors import InputError, UsageError
from rankproof.measuring import tasks

QRELS = {"t1": {"a": 1, "b": 2, "c": 0}, "t2": {"a": 1}, "t3": {"x": 0}, "t4": {"a": 1}}
CALLS = {"t1": [["a", "x"], ["x"], ["b"]], "t2": [["z"], []], "t3": [["x"]], "t9": [["a"]]}


def test_the_examples_of_the_page_run() -> None:
    assert doctest.testmod(tasks).failed == 0
    assert doctest.testmod(tasks).attempted >= 4


def test_tasks_counted_by_hand() -> None:
    ev = rankproof.evaluate_tasks(QRELS, CALLS)
    assert ev["CallsToAll"].by_query == {"t1": 3.0}
    assert ev["CallsToAll"].undefined == ("t2", "t3", "t4")
    assert ev["Calls"].by_query == {"t1": 3.0, "t2": 2.0, "t3": 1.0}
    assert ev["Calls"].undefined == ("t4",)
    # The second call of t1 brings x again; the second of t2 brings nothing at all.
    assert ev["RedundantCalls"].by_query == pytest.approx({"t1": 1 / 3, "t2": 1 / 2, "t3": 0.0})
    assert (ev.population.missing, ev.population.unjudged, ev.population.without_relevant) == (
        ("t4",),
        ("t9",),
        ("t3",),
    )
    told = "\n".join(ev.fine_print)
    assert all(task in told for task in ("t2", "t3", "t4", "t9"))


def test_level_and_depth_decide_what_is_found() -> None:
    assert rankproof.evaluate_tasks(QRELS, {"t1": [["b"], ["a"]]}, level=2)["CallsToAll"].by_query["t1"] == 1.0
    deep = {"t1": [["x", "a"], ["b", "a"], ["a"]]}
    assert rankproof.evaluate_tasks(QRELS, deep)["CallsToAll"].by_query["t1"] == 2.0
    assert rankproof.evaluate_tasks(QRELS, deep, depth=1)["CallsToAll"].by_query["t1"] == 3.0


documents = st.lists(st.sampled_from("abcdef"), unique=True, max_size=4)


@given(calls=st.lists(documents, max_size=6), needed=st.sets(st.sampled_from("abcd"), min_size=1))
@settings(max_examples=examples(150), deadline=None)
def test_the_union_of_the_calls_so_far_decides(calls: list[list[str]], needed: set[str]) -> None:
    ev = rankproof.evaluate_tasks({"t": dict.fromkeys(needed, 1)}, {"t": calls})
    unions = [set().union(*calls[: at + 1]) for at in range(len(calls))]
    first = next((at + 1 for at, union in enumerate(unions) if needed <= union), None)
    assert ev["CallsToAll"].by_query == ({} if first is None else {"t": float(first)})
    again = sum(set(call) <= set().union(*calls[:at]) for at, call in enumerate(calls))
    assert ev["RedundantCalls"].by_query == ({"t": again / len(calls)} if calls else {})
    if any(calls):
        run = rankproof.union_of_calls({"t": calls})
        assert set(run["t"]) == set().union(*calls)
        whole = rankproof.evaluate({"t": dict.fromkeys(needed, 1)}, run, "AllRecall@100")["AllRecall@100"].mean
        assert whole == float(first is not None)


def test_comparisons_name_the_tasks_that_only_one_system_solves() -> None:
    """Without a value for what was never found, a comparison of the rest would hide it."""
    qrels = {f"t{i}": {"a": 1} for i in range(20)}
    good = {task: [["a"]] for task in qrels}
    bad = {task: [["x"], ["a"]] if i else [["x"]] for i, task in enumerate(qrels)}
    made = [rankproof.evaluate_tasks(qrels, calls, name=name) for name, calls in (("good", good), ("bad", bad))]
    told = rankproof.compare_evaluations(made)
    assert isinstance(told.contrast("CallsToAll").difference, rankproof.NotEstimable)
    assert told.contrast("Calls").candidate_mean == pytest.approx(1.95)


BAD: dict[str, tuple[Any, tuple[object, ...]]] = {
    "no mapping": ([["a"]], ("[['a']]",)),
    "no task": ({}, ("tasks",)),
    "nothing for a task": ({"": [["a"]]}, ("tasks",)),
    "true for a task": ({True: [["a"]]}, (True,)),
    "a text for calls": ({"t1": "a"}, ("'t1'", "'a'")),
    "a text for a call": ({"t1": [["a"], "b"]}, ("'t1'", "call 2", "'b'")),
    "scores for a call": ({"t1": [{"a": 1.0}]}, ("'t1'", "call 1")),
    "NaN for a document": ({"t1": [["a", float("nan")]]}, ("'t1'", "call 1", "nan")),
    "nothing for a document": ({"t1": [[""]]}, ("'t1'", "call 1")),
}


@pytest.mark.parametrize("read", [lambda calls: rankproof.evaluate_tasks(QRELS, calls), rankproof.union_of_calls])
@pytest.mark.parametrize("fault", BAD)
def test_what_is_no_task_is_refused_with_its_place(fault: str, read) -> None:
    calls, values = BAD[fault]
    with raises(InputError, *values):
        read(calls)


@pytest.mark.parametrize("depth", [0, -1, 2.5, True])
def test_a_depth_that_is_none_is_refused(depth: Any) -> None:
    with raises(UsageError, repr(depth)):
        rankproof.union_of_calls(CALLS, depth=depth)


def test_a_system_that_lost_its_calls_is_not_the_cheaper_one() -> None:
    whole = rankproof.evaluate_tasks({"t1": {"a": 1}, "t2": {"b": 1}}, {"t1": [["a"]], "t2": [["b"]]}, name="whole")
    lost = rankproof.evaluate_tasks({"t1": {"a": 1}, "t2": {"b": 1}}, {"t1": [["a"]]}, name="lost")
    contrast = rankproof.compare_evaluations([whole, lost]).contrast("Calls")
    assert "t2" in str(contrast.difference)
    assert contrast.direction == "not shown"
