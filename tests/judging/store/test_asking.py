"""Assignments, gold questions and failures: the newest word about a pair holds, everything stays."""

from __future__ import annotations

from dataclasses import replace

from rankproof.judging.records import Assignment, GoldAnswer, JudgeFailure
from rankproof.judging.store.store import Store


def pairs(found: list[Assignment]) -> list[tuple[str, str, int]]:
    return [(a.judge, a.doc_id, a.place) for a in found]


def test_a_judge_is_asked_what_is_theirs_and_what_is_anybodys(store: Store) -> None:
    given = [
        Assignment("q1", "d1", 2, "ann", 0.5, "depth_pool(depth=10)", "2031-05-04T03:02:01.000000Z"),
        Assignment("q1", "d2", 1),
        Assignment("q1", "d3", 3, "bob"),
    ]
    store.assignments.add("shop", given)
    assert pairs(store.assignments.of("shop", "ann")) == [("", "d2", 1), ("ann", "d1", 2)]
    assert store.assignments.of("shop", "ann")[1] == given[0]
    assert len(store.assignments.all("shop")) == 3
    store.assignments.add("shop", [])
    # Another order, and one taken back.
    store.assignments.add("shop", [replace(given[0], place=9), replace(given[1], withdrawn=True)])
    assert pairs(store.assignments.of("shop", "ann")) == [("ann", "d1", 9)]


def test_gold_answers_can_be_corrected_and_taken_back(store: Store) -> None:
    store.gold.add("shop", [GoldAnswer("q1", "d1", 2), GoldAnswer("q1", "d2", 0)])
    store.gold.add("shop", [GoldAnswer("q1", "d1", 3)])
    assert [(a.doc_id, a.grade) for a in store.gold.all("shop")] == [("d1", 3), ("d2", 0)]
    assert store.gold.withdraw("shop", "q1", "d1")
    assert not store.gold.withdraw("shop", "q1", "d1")
    assert [(a.doc_id, a.grade) for a in store.gold.all("shop")] == [("d2", 0)]


def test_failures_keep_what_was_said(store: Store) -> None:
    first = JudgeFailure(
        "k1", "small", "q1", "d1", "unreadable answer", "I'd say <b>2\ufffd", "2031-05-04T03:02:01.000000Z"
    )
    assert store.failures.add("shop", replace(first, text="I'd say <b>2\x00"))
    assert not store.failures.add("shop", first)
    assert store.failures.add("shop", JudgeFailure("k2", "big", "q1", "d1", "refused", "No."))
    assert store.failures.all("shop", judge="small") == [first]
    assert [failure.kind for failure in store.failures.all("shop")] == ["unreadable answer", "refused"]
