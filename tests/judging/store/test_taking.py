"""Acts taken in whole or not at all, and what each judge said before anybody settled anything."""

from __future__ import annotations

from dataclasses import replace

from tests.judging.store.acts import flagged, graded, undone
from tests.raising import raises

from rankproof.errors import InputError
from rankproof.judging.records import SETTLING, Account
from rankproof.judging.store.store import Store, give, take


def test_all_or_none(store: Store) -> None:
    taken = graded(1, judge="eve")
    store.judgments.add("shop", taken)
    many = [graded(1, doc_id=f"x{i}") for i in range(700)]
    with raises(InputError, taken.key, "judge", "grade"):
        take(store, "shop", "judgments", [*many, graded(2, key=taken.key)])
    assert len(store.judgments.history("shop")) == 1
    assert take(store, "shop", "judgments", many) == 700
    assert take(store, "shop", "judgments", many) == 0
    assert take(store, "shop", "judgments", []) == 0


def test_what_is_given_out_is_of_one_kind(store: Store) -> None:
    take(store, "shop", "flags", [flagged("wrong"), flagged("mine", kind="pick")])
    assert [act.reason for act in give(store, "shop", "flags")] == ["wrong"]
    assert [act.reason for act in give(store, "shop", "picks")] == ["mine"]
    assert give(store, "shop", "preferences") == []


def test_what_a_judge_said_alone_is_still_there_after_settling(store: Store) -> None:
    alone, settles = graded(3), graded(0, source=SETTLING)
    store.judgments.add_many("shop", [alone, graded(1, judge="bob")])
    store.judgments.settle("shop", settles, Account("ann", "reviewer"))
    assert [(act.judge, act.grade) for act in store.judgments.current("shop")] == [("ann", 3), ("bob", 1), ("ann", 0)]
    assert [(act.judge, act.grade) for act in store.judgments.current("shop", settling=False)] == [
        ("ann", 3),
        ("bob", 1),
    ]
    store.judgments.settle("shop", replace(undone(settles), source=SETTLING), Account("ann", "reviewer"))
    for settling in (True, False):
        held = store.judgments.current("shop", judge="ann", settling=settling)
        assert [act.key for act in held] == [alone.key]
