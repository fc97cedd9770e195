"""Nuggets are read to judgments by subtopic, measured, and refused in one sentence where they are none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.raising import raises

import rankproof
from rankproof.errors import InputError

NUGGETS = [
    {"query_id": "q1", "nugget": "safe", "importance": "vital", "support": {"d1": "support", "d2": "partial_support"}},
    {"query_id": "q1", "nugget": "cheap", "importance": "okay", "support": {"d2": "support", "d1": "not_support"}},
    {"query_id": "q1", "nugget": "blue", "importance": "vital", "support": {"d9": "not_support"}},
    {"query_id": "q2", "nugget": "old", "importance": "okay", "support": {"d1": "partial_support"}},
]
RUN = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d5": 1.0}}


def lines(records: list[Any]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


@pytest.mark.parametrize("source", [NUGGETS, lines(NUGGETS)])
def test_nuggets_become_grades_by_subtopic(source: object) -> None:
    qrels = rankproof.read_nuggets(source)
    told = {
        (q, d, s): g for q, docs, grades, names in qrels.judged() for d, g, s in zip(docs, grades, names, strict=True)
    }
    assert told == {
        ("q1", "d1", "safe"): 4,
        ("q1", "d2", "safe"): 3,
        ("q1", "d2", "cheap"): 2,
        ("q1", "d1", "cheap"): 0,
        ("q1", "d9", "blue"): 0,
        ("q2", "d1", "old"): 1,
    }
    assert "nuggets that no document supports: 1 of 4; recall is over the others" in qrels.notes


def test_measures_on_nuggets_counted_by_hand() -> None:
    """At 1, d2 holds half of the vital nugget and all of the okay one; q2 finds nothing."""
    options = ("", "(score=vital)", "(score=weighted)", "(strict=true)")
    measures = [*(f"NuggetRecall{option}@1" for option in options), "AllStRecall@1"]
    ev = rankproof.evaluate(rankproof.read_nuggets(NUGGETS), RUN, measures)
    assert [ev[name].by_query["q1"] for name in ev] == pytest.approx([0.75, 0.5, 1 / 1.5, 0.5, 1.0])
    assert ev["NuggetRecall@1"].by_query["q2"] == 0.0
    assert ev["NuggetRecall(score=vital)@1"].undefined == ("q2",)


GOOD = NUGGETS[0]
BAD = {
    "no query": ({**GOOD, "query_id": ""}, ("query_id", "''")),
    "a number for a query": ({**GOOD, "query_id": 1}, ("query_id", 1)),
    "no nugget": ({**GOOD, "nugget": None}, ("nugget", "None")),
    "another importance": ({**GOOD, "importance": "nice"}, ("importance", "'nice'", "'vital'", "'okay'")),
    "no support": ({key: value for key, value in GOOD.items() if key != "support"}, ("support",)),
    "a list for support": ({**GOOD, "support": ["d1"]}, ("support", "['d1']")),
    "another word": ({**GOOD, "support": {"d1": "yes"}}, ("'d1'", "'yes'", "'partial_support'")),
    "a number for a word": ({**GOOD, "support": {"d1": 0.5}}, ("'d1'", 0.5)),
    "a list for a nugget": ([1, 2], ("nugget",)),
}


@pytest.mark.parametrize("fault", BAD)
def test_what_is_no_nugget_is_refused_with_its_place(fault: str) -> None:
    record, values = BAD[fault]
    with raises(InputError, "entry 2", *values) as refused:
        rankproof.read_nuggets([NUGGETS[1], record])
    assert "\n" not in str(refused.value)


def test_a_line_of_a_file_is_named() -> None:
    with raises(InputError, "line 2", "'nice'"):
        rankproof.read_nuggets(lines([NUGGETS[1], {**GOOD, "importance": "nice"}]))


def test_a_nugget_that_stands_twice_is_refused() -> None:
    with raises(InputError, "entry 2", "'safe'"):
        rankproof.read_nuggets([GOOD, GOOD])


@pytest.mark.parametrize("what", [{}, [], 5, [{**GOOD, "support": {}}]])
def test_nothing_is_refused(what: object) -> None:
    with pytest.raises(InputError):
        rankproof.read_nuggets(what)
