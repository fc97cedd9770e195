"""Tasks of several searches: their union, when everything was found, and calls that brought nothing."""

from __future__ import annotations

import dataclasses
import doctest
from pathlib import Path
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


# ---- tokens, measures of the union, files ----------------------------------------------------------

PRICED = [
    {"task_id": "t1", "docs": ["a"], "tokens": 10},
    {"task_id": "t1", "docs": ["b"], "tokens": 5},
    {"task_id": "t1", "docs": ["x"], "tokens": None},
    {"task_id": "t2", "docs": ["c"]},
    {"task_id": "t2", "docs": ["c"], "tokens": 3},
]


def test_tokens_are_added_up_and_one_that_is_not_known_makes_the_sum_unknown() -> None:
    """t1 has all it needs after 10 + 5, before the call without tokens; t2 at a call without them."""
    ev = rankproof.evaluate_tasks({"t1": {"a": 1, "b": 1}, "t2": {"c": 1}, "t3": {"d": 1}}, PRICED)
    assert ev["Tokens"].by_query == {}
    assert ev["Tokens"].undefined == ("t1", "t2", "t3")
    assert ev["TokensToAll"].by_query == {"t1": 15.0}
    whole = rankproof.evaluate_tasks({"t1": {"a": 1, "z": 1}}, [{**row, "tokens": 2} for row in PRICED])
    assert whole["Tokens"].by_query == {"t1": 6.0}
    assert whole["TokensToAll"].undefined == ("t1",)  # z was never found
    assert whole["Tokens"].better == whole["TokensToAll"].better == "lower"


def test_without_tokens_there_is_no_measure_of_them() -> None:
    plain = [{"task_id": row["task_id"], "docs": row["docs"]} for row in PRICED]
    assert list(rankproof.evaluate_tasks({"t1": {"a": 1}}, plain)) == ["CallsToAll", "Calls", "RedundantCalls"]
    with raises(UsageError, "TokensToAll"):
        rankproof.evaluate_tasks({"t1": {"a": 1}}, plain, "TokensToAll R@5")


def test_measures_of_the_union_are_those_of_the_union_as_a_run() -> None:
    calls = {"t1": [["x", "a"], ["b"]], "t2": [[], ["y"]]}
    qrels = {"t1": {"a": 2, "b": 1}, "t2": {"c": 1}, "t3": {"d": 1}}
    ev = rankproof.evaluate_tasks(qrels, calls, ["nDCG@3", "AllRecall@2"], depth=1)
    expected = rankproof.evaluate(qrels, rankproof.union_of_calls(calls, depth=1), "nDCG@3 AllRecall@2")
    assert list(ev) == ["nDCG@3", "AllRecall@2", "CallsToAll", "Calls", "RedundantCalls"]
    for name, result in expected.items():
        assert ev[name].by_query == result.by_query
    assert ev.population.missing == ("t3",)  # t2 is in the calls, though its first call returned nothing


def test_a_file_is_taken_in_the_place_of_calls(tmp_path: Path) -> None:
    path = tmp_path / "agent.jsonl"
    path.write_text('{"task_id": "t1", "docs": ["b"]}\n{"task_id": "t1", "docs": ["a"]}\n')
    ev = rankproof.evaluate_tasks({"t1": {"a": 1}}, path)
    assert (ev.run_name, ev["CallsToAll"].mean) == ("agent", 2)
    assert list(rankproof.union_of_calls(str(path))["t1"]) == ["b", "a"]


def test_a_level_is_part_of_the_name_and_both_names_find_it() -> None:
    ev = rankproof.evaluate_tasks({"t1": {"a": 2, "b": 1}}, {"t1": [["a"], ["b"]]}, "R@5", level=2)
    assert list(ev) == ["R(rel=2)@5", "CallsToAll(rel=2)", "Calls", "RedundantCalls"]
    assert ev["CallsToAll"].mean == ev["CallsToAll(rel=2)"].mean == 1
    assert ev["R@5"].mean == 1


def test_calls_of_tasks_that_nobody_judged_are_refused() -> None:
    with raises(InputError, "t1", "u1"):
        rankproof.evaluate_tasks({"t1": {"a": 1}}, {"u1": [["a"]]})


def test_a_measure_that_one_evaluation_lacks_was_left_out_silently() -> None:
    qrels = {f"t{i}": {"a": 1} for i in range(20)}
    rows = [{"task_id": task, "docs": ["a"], "tokens": 3} for task in qrels]
    priced = rankproof.evaluate_tasks(qrels, rows, name="priced")
    plain = rankproof.evaluate_tasks(qrels, {task: [["x"], ["a"]] for task in qrels}, name="plain")
    (warning,) = [w for w in rankproof.compare_evaluations([priced, plain]).warnings if "Tokens" in w]
    assert "plain has no Tokens, TokensToAll" in warning


def test_a_comparison_did_not_say_which_tasks_only_one_system_has_a_value_for() -> None:
    qrels = {f"t{i}": {"a": 1} for i in range(20)}
    made = [
        rankproof.evaluate_tasks(qrels, {task: [["a"]] for task in qrels}, name="good"),
        rankproof.evaluate_tasks(
            qrels, {task: [["x"], ["a" if i else "x"]] for i, task in enumerate(qrels)}, name="bad"
        ),
    ]
    (warning,) = [w for w in rankproof.compare_evaluations(made).warnings if w.startswith("CallsToAll")]
    assert "bad has none on 1 (t0)" in warning
    assert "AllRecall" in warning
    # Where all lack the same, nobody gains by it.
    also = dataclasses.replace(made[1], run_name="also")
    assert not any("CallsToAll" in w for w in rankproof.compare_evaluations([made[1], also]).warnings)
