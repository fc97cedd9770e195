"""Settling is an act of its own: nothing that a judge does undoes it, and taking it back is recorded."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.judging.store.acts import graded, key, undone
from tests.raising import raises

from rankproof.errors import InputError, UsageError
from rankproof.judging.adjudicate import adjudicate
from rankproof.judging.files import read_any, to_csv
from rankproof.judging.records import ROLES, SCALES, SETTLING, Account, Judgment, Role
from rankproof.judging.store import open_store
from rankproof.judging.store.store import Store, give, take

ANN, BOB = Account("ann", "reviewer"), Account("bob", "admin")
FUTURE = "2999-01-01T00:00:00.000000Z"


def settles(grade: int, judge: str = "ann", **more: str) -> Judgment:
    return graded(grade, judge, source=SETTLING, **more)


def back(act: Judgment) -> Judgment:
    return replace(undone(act), source=SETTLING)


def qrels(store: Store, method: str = "settled") -> dict[str, dict[str, int]]:
    return adjudicate(store.judgments.current("shop"), SCALES["graded"], method).qrels.to_dict()


def test_judging_the_pair_again_does_not_undo_it(store: Store) -> None:
    store.judgments.add("shop", graded(1))
    store.judgments.settle("shop", settles(3), ANN)
    store.judgments.add("shop", graded(0))
    assert qrels(store) == {"q1": {"d1": 3}}
    assert [(act.grade, act.settles) for act in store.judgments.current("shop")] == [(3, True), (0, False)]


def test_the_last_judgment_is_never_a_word_that_settles(store: Store) -> None:
    mine = graded(1)
    store.judgments.add("shop", mine)
    store.judgments.settle("shop", settles(3), ANN)
    assert store.judgments.last("shop", "ann") == replace(mine, time=store.judgments.history("shop")[0].time)
    store.judgments.add("shop", undone(mine))
    assert store.judgments.last("shop", "ann") is None
    assert qrels(store) == {"q1": {"d1": 3}}


def test_taking_it_back_is_an_act_and_the_word_before_it_holds_again(store: Store) -> None:
    first, second = settles(3), settles(0, "bob")
    store.judgments.add_many("shop", [graded(1, "cat"), graded(2, "dan")])
    store.judgments.settle("shop", first, ANN)
    store.judgments.settle("shop", second, BOB)
    assert qrels(store) == {"q1": {"d1": 0}}
    assert store.judgments.settle("shop", back(second), BOB)
    assert qrels(store) == {"q1": {"d1": 3}}
    store.judgments.settle("shop", back(first), ANN)
    assert qrels(store) == {}
    assert [act.reason for act in store.judgments.history("shop")] == ["", "", "", "", "withdrawn", "withdrawn"]


@pytest.mark.parametrize("role", ROLES)
def test_only_reviewers_and_admins_settle(store: Store, role: Role) -> None:
    account = Account("ann", role)
    if role in ("reviewer", "admin"):
        assert store.judgments.settle("shop", settles(3), account)
        return
    with raises(UsageError, "'ann'", role):
        store.judgments.settle("shop", settles(3), account)
    assert store.judgments.history("shop") == []


def test_no_other_way_leads_to_it(store: Store) -> None:
    word = settles(3)
    for add in (lambda: store.judgments.add("shop", word), lambda: store.judgments.add_many("shop", [graded(1), word])):
        with raises(UsageError, word.key, "settle"):
            add()
    with raises(UsageError, "'bob'", "'ann'"):
        store.judgments.settle("shop", word, BOB)
    with raises(UsageError, "ann"):
        store.judgments.settle("shop", word, replace(ANN, active=False))
    with raises(UsageError, "SETTLING"):
        store.judgments.settle("shop", graded(3), ANN)
    with raises(UsageError, "later"):
        Judgment(key(), "ann", "q1", "d1", None, "later", source=SETTLING)
    assert store.judgments.history("shop") == []


def test_each_is_taken_back_by_its_own_kind(store: Store) -> None:
    mine, word = graded(1), settles(3)
    store.judgments.add("shop", mine)
    store.judgments.settle("shop", word, ANN)
    for add in (store.judgments.add, lambda slug, act: store.judgments.add_many(slug, [act])):
        with raises(InputError, word.key):
            add("shop", undone(word))
    with raises(InputError, mine.key):
        store.judgments.settle("shop", back(mine), ANN)
    assert len(store.judgments.current("shop")) == 2


@pytest.mark.parametrize("method", ["settled", "newest"])
def test_the_order_of_the_store_decides_and_no_time(store: Store, method: str) -> None:
    """An act that is dated in the future was imported first: what came after it counts, here and in the qrels."""
    take(store, "shop", "judgments", [settles(0, time=FUTURE)])
    store.judgments.settle("shop", settles(3, "bob"), BOB)
    assert [act.grade for act in store.judgments.current("shop")] == [0, 3]
    assert qrels(store, method) == {"q1": {"d1": 3}}


@pytest.mark.parametrize("form", ["csv", "acts"])
def test_a_round_trip_keeps_the_order(store: Store, url: str, form: str, tmp_path) -> None:
    take(store, "shop", "judgments", [graded(2, "cat", time=FUTURE), settles(0, time=FUTURE)])
    store.judgments.settle("shop", settles(3, "bob"), BOB)
    last = settles(1, "bob")
    store.judgments.settle("shop", last, BOB)
    store.judgments.settle("shop", back(last), BOB)
    for history in (False, True):
        acts = give(store, "shop", "judgments", history)
        with open_store(tmp_path / f"{history}.db") as other:
            other.projects.add(store.projects.get("shop"), by="ann")
            read = read_any(to_csv("judgments", acts).encode()).acts if form == "csv" else acts
            assert take(other, "shop", "judgments", list(read)) == len(acts)
            assert take(other, "shop", "judgments", list(read)) == 0
            assert other.judgments.current("shop") == store.judgments.current("shop")
            for method in ("settled", "newest"):
                assert qrels(other, method) == qrels(store, method) == {"q1": {"d1": 3}}


def test_a_history_of_before_is_taken_as_it_was(store: Store) -> None:
    """Words that settle were once taken back by a plain act; such files are still read."""
    word = settles(3)
    take(store, "shop", "judgments", [word, undone(word)])
    assert store.judgments.current("shop") == []
