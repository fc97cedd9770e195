"""Acts: what was said stays, what holds follows from it, a key names one act; the same in both databases."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from threading import Barrier, Thread

import pytest
from tests.judging.store.acts import flagged, graded, preferred, undone
from tests.raising import raises

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.judging.records import Judgment, JudgmentSource, Mark
from rankproof.judging.store.store import Store


def grades(store: Store) -> dict[tuple[str, str], int | None]:
    return {(held.judge, held.doc_id): held.grade for held in store.judgments.current("shop")}


def test_a_judgment_comes_back_as_it_was_given(store: Store) -> None:
    model = JudgmentSource("model", "small-3", "a" * 64, "b" * 64)
    given = [
        graded(3, note="=2+2 \N{SNOWMAN} <b>", time="2031-05-04T03:02:01.000000Z"),
        graded(0, judge="gpt", source=model, time="2031-05-04T03:02:02.000000Z"),
        replace(graded(1, doc_id="d2", time="2031-05-04T03:02:03.000000Z"), grade=None, reason="cannot_tell"),
    ]
    assert [store.judgments.add("shop", act) for act in given] == [True, True, True]
    assert store.judgments.current("shop") == given
    assert store.judgments.history("shop") == given
    assert store.judgments.current("shop", source="model") == [given[1]]
    assert store.judgments.current("shop", judge="ann", doc_id="d2") == [given[2]]
    assert store.judgments.current("shop", query_id="q2") == []


def test_a_time_is_kept_in_utc_and_of_one_width(store: Store) -> None:
    store.judgments.add("shop", graded(1, time="2031-05-04T05:02:01+02:00"))
    store.judgments.add("shop", graded(1, doc_id="d2"))
    first, second = store.judgments.current("shop")
    assert first.time == "2031-05-04T03:02:01.000000Z"
    assert len(second.time) == len(first.time)
    with raises(UsageError, "'yesterday'", "ISO 8601", "2031-05-04T03:02:01Z"):
        store.judgments.add("shop", graded(1, time="yesterday"))


def test_the_newest_of_each_judge_holds(store: Store) -> None:
    store.judgments.add_many("shop", [graded(1), graded(3, judge="bob"), graded(2)])
    assert grades(store) == {("ann", "d1"): 2, ("bob", "d1"): 3}
    assert [act.grade for act in store.judgments.history("shop")] == [1, 3, 2]


def test_what_is_withdrawn_gives_way_to_what_was_before(store: Store) -> None:
    first, second = graded(1), graded(2)
    store.judgments.add_many("shop", [first, second])
    store.judgments.add("shop", undone(second))
    assert grades(store) == {("ann", "d1"): 1}
    store.judgments.add("shop", undone(first))
    assert grades(store) == {}
    assert len(store.judgments.history("shop")) == 4


def test_undo_goes_back_one_by_one(store: Store) -> None:
    acts = [graded(i % 3, doc_id=f"d{i}") for i in range(60)]  # more than are looked at in one go
    store.judgments.add_many("shop", acts)
    store.judgments.add("shop", graded(1, judge="bob"))
    for act in reversed(acts):
        last = store.judgments.last("shop", "ann")
        assert last is not None
        assert last.key == act.key
        store.judgments.add("shop", undone(last))
    assert store.judgments.last("shop", "ann") is None
    assert grades(store) == {("bob", "d1"): 1}


def test_the_same_key_is_one_act(store: Store) -> None:
    act = graded(2)
    assert store.judgments.add("shop", act)
    assert not store.judgments.add("shop", act)
    assert not store.judgments.add("shop", replace(act, time="2031-01-01T00:00:00Z"))  # sent again, later
    assert store.judgments.add_many("shop", [act, graded(1, doc_id="d2"), act]) == 1
    assert len(store.judgments.history("shop")) == 2


def test_a_key_for_another_act_is_refused(store: Store) -> None:
    act = graded(2)
    store.judgments.add("shop", act)
    with raises(InputError, repr(act.key), "grade"):
        store.judgments.add("shop", replace(act, grade=3))
    with raises(InputError, "key", "uuid.uuid4().hex"):
        store.judgments.add("shop", replace(act, key=""))
    assert grades(store) == {("ann", "d1"): 2}


def test_of_acts_added_together_one_that_is_refused_takes_none_with_it_but_its_own_list(store: Store) -> None:
    act = graded(2)
    with raises(InputError, repr(act.key), "grade"):
        store.judgments.add_many("shop", [graded(1, doc_id="d2"), act, replace(act, grade=3)])
    assert store.judgments.history("shop") == []


def test_judges_at_once_each_get_their_own_answer(store: Store) -> None:
    """Six threads: good acts, the same act from all of them, and one whose key is taken by another act."""
    shared, taken = graded(1, doc_id="shared"), graded(1, doc_id="taken")
    store.judgments.add("shop", taken)
    start, told = Barrier(6), list[str]()

    def judge(number: int) -> None:
        start.wait()
        for i in range(20):
            if store.judgments.add("shop", graded(i % 4, f"judge{number}", doc_id=f"d{i}")):
                told.append("new")
            if store.judgments.add("shop", shared):
                told.append("shared")
            try:
                store.judgments.add("shop", replace(taken, grade=2))
            except InputError:
                told.append("refused")

    threads = [Thread(target=judge, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert Counter(told) == {"new": 120, "shared": 1, "refused": 120}
    kept = store.judgments.history("shop")
    assert len(kept) == len({act.key for act in kept}) == 122
    assert [act.grade for act in kept if act.doc_id == "taken"] == [1]


@pytest.mark.parametrize("other", [{"judge": "bob"}, {"doc_id": "d2"}, {"withdraws": "f" * 32}])
def test_only_ones_own_act_can_be_taken_back(store: Store, other: dict[str, str]) -> None:
    act = graded(2)
    store.judgments.add("shop", act)
    wrong = replace(undone(act), **other)
    with raises(InputError, repr(wrong.withdraws), repr(wrong.judge)):
        store.judgments.add("shop", wrong)
    assert grades(store) == {("ann", "d1"): 2}


def test_a_withdrawal_cannot_be_withdrawn(store: Store) -> None:
    act = graded(2)
    back = undone(act)
    store.judgments.add_many("shop", [act, back])
    with raises(InputError, repr(back.key)):
        store.judgments.add("shop", Judgment("e" * 32, "ann", "q1", "d1", None, "withdrawn", withdraws=back.key))


def test_an_unknown_project_is_refused_and_its_neighbor_named(store: Store) -> None:
    with raises(UnknownName, "project", "'shpo'", "'shop'"):
        store.judgments.add("shpo", graded(1))
    with raises(UnknownName, "project", "'shpo'", "'shop'"):
        store.judgments.current("shpo")


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ({"note": "a\x00b"}, ("note", repr("a\x00b"))),
        ({"doc_id": "\udc80"}, ("document id", repr("\udc80"))),
        ({"judge": "x" * 201}, ("judge", 201, 200)),
        ({"query_id": "é" * 501}, ("query id", "1,002 bytes", "1,000")),
    ],
)
def test_what_one_database_could_not_keep_both_refuse(
    store: Store, given: dict[str, str], values: tuple[object, ...]
) -> None:
    with raises(InputError, *values):
        store.judgments.add("shop", graded(1, **given))
    assert store.judgments.history("shop") == []


def test_long_ids_are_kept(store: Store) -> None:
    query, doc = "é" * 500, "ü" * 500  # 1,000 bytes each
    store.judgments.add("shop", graded(1, query_id=query, doc_id=doc))
    assert store.judgments.current("shop", query_id=query, doc_id=doc)[0].grade == 1


def test_marks_hold_by_judge_kind_result_and_variant(store: Store) -> None:
    wrong = flagged("wrong size", variant="a", time="2031-05-04T03:02:01.000000Z")
    acts = [
        flagged("off topic", variant="a"),
        wrong,
        flagged("off topic", variant="b"),
        flagged("", kind="pick", variant="a"),
        flagged("broken", judge="bob"),
    ]
    for act in acts:
        assert store.marks.add("shop", act)
    assert not store.marks.add("shop", wrong)
    assert wrong in store.marks.current("shop", kind="flag", judge="ann")
    assert len(store.marks.current("shop", kind="flag")) == 3
    assert len(store.marks.current("shop", query_id="q1")) == 4
    back = Mark("f" * 32, "flag", "ann", "q1", "d1", variant="a", withdraws=wrong.key)
    store.marks.add("shop", back)
    assert [m.reason for m in store.marks.current("shop", kind="flag")] == ["off topic", "off topic", "broken"]
    assert len(store.marks.history("shop")) == 6


def test_preferences_hold_whichever_sides_the_variants_were_on(store: Store) -> None:
    last = preferred(None, "b", "a", blind=True, note="alike", time="2031-05-04T03:02:01.000000Z")
    for act in (preferred("a", "a", "b"), preferred("c", "a", "b", "c"), last):
        store.preferences.add("shop", act)
    assert [held.preferred for held in store.preferences.current("shop")] == ["c", None]
    assert store.preferences.current("shop")[1] == last
    found = store.preferences.last("shop", "ann")
    assert found is not None
    assert found.key == last.key
