"""Adjudicating: qrels from judgments, with everything that was set aside told, and the same bytes every time."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from tests.raising import raises

from rankproof.errors import UnknownName, UsageError
from rankproof.judging.adjudicate import acts_hash, adjudicate
from rankproof.judging.records import SCALES, Judgment, JudgmentSource
from rankproof.kernel.jsontext import to_json

SCALE = SCALES["graded"]
MODEL = JudgmentSource("model", "small-3", "a" * 64)


def said(judge: str, doc_id: str, grade: int | None, query_id: str = "q1", **more: Any) -> Judgment:
    key = f"{judge}-{query_id}-{doc_id}"
    return Judgment(key, judge, query_id, doc_id, grade, time="2031-05-04T03:02:01.000000Z", **more)


ACTS = [
    said("ann", "d1", 3),
    said("bob", "d1", 3),
    said("cy", "d1", 1),
    said("ann", "d2", 0),
    said("bob", "d2", 2),
    said("ann", "d3", 1, "q2"),
    said("bob", "d3", None, "q2", reason="cannot_tell"),
    said("ann", "d4", None, "q2", reason="later"),
    said("ann", "d5", 7, "q2"),
    said("small", "d1", 0, source=MODEL),
    said("small", "d9", 2, source=MODEL),
]


def test_what_is_settled_and_what_is_not() -> None:
    found = adjudicate(ACTS, SCALE)
    # d1: 3 twice of three; d2: 0 against 2 is a tie; d3: one grade. d4 and d5 have none that counts.
    assert found.qrels.to_dict() == {"q1": {"d1": 3}, "q2": {"d3": 1}}
    assert [(pair.doc_id, pair.how) for pair in found.unresolved] == [("d2", "tie")]
    assert found.unresolved[0].votes == (("ann", 0), ("bob", 2))
    assert found.set_aside == {"cannot_tell": 1, "later": 1, "outside the scale": 1}
    assert found.left_out == {"model": 2}
    assert found.agreement == {"pairs": 3, "one_judge": 1, "several_judges": 2, "agreed": 0, "disagreed": 2}
    assert found.settled_how == {"1 of 1": 1, "2 of 3": 1, "tie": 1}


def test_sources_can_be_chosen() -> None:
    assert adjudicate(ACTS, SCALE, sources=("model",)).qrels.to_dict() == {"q1": {"d1": 0, "d9": 2}}
    both = adjudicate(ACTS, SCALE, sources=("model", "person"))
    assert both.sources == ("person", "model")
    assert both.left_out == {}
    assert both.qrels.to_dict()["q1"] == {"d1": 3, "d9": 2}
    with raises(UnknownName) as unknown:
        adjudicate(ACTS, SCALE, sources=("people",))
    assert (unknown.value.name, unknown.value.near) == ("people", [])
    with raises(UsageError, "person", "model", "clicks"):
        adjudicate(ACTS, SCALE, sources=())


def test_the_method_is_read_and_named() -> None:
    found = adjudicate(ACTS, SCALE, "trusted(judges=['cy', 'bob'], otherwise='majority')")
    assert found.qrels.to_dict() == {"q1": {"d1": 1, "d2": 2}, "q2": {"d3": 1}}
    assert found.method == "trusted(judges=['cy', 'bob'], otherwise='majority')"
    with raises(UnknownName) as unknown:
        adjudicate(ACTS, SCALE, "majorty")
    assert (unknown.value.name, unknown.value.near) == ("majorty", ["majority"])
    with raises(UsageError, "trusted", "judges"):
        adjudicate(ACTS, SCALE, "trusted")
    with raises(UnknownName) as unknown:
        adjudicate(ACTS, SCALE, "majority(tie='lower')")
    assert (unknown.value.kind, unknown.value.name, unknown.value.near) == ("option of majority", "tie", ["ties"])
    with raises(UsageError, "ties", "majority", "'unresolved'", "'lower'", "'higher'", "'best'"):
        adjudicate(ACTS, SCALE, "majority(ties='best')")
    for unreadable in ("majority(", "majority('lower')", "majority(ties=lower)", "a.b", "majority(**x)"):
        with raises(UsageError, repr(unreadable)):
            adjudicate(ACTS, SCALE, unreadable)
    with raises(UsageError, "newest", "'ties'"):
        adjudicate(ACTS, SCALE, "newest(ties='lower')")


def test_the_same_acts_in_any_order_give_the_same_bytes() -> None:
    texts = set()
    for seed in range(5):
        acts = list(ACTS)
        random.Random(seed).shuffle(acts)
        found = adjudicate(acts, SCALE)
        texts.add((to_json(found.to_dict()), found.qrels.content_hash, found.qrels.notes))
    assert len(texts) == 1


def test_the_hash_names_the_acts_that_counted() -> None:
    found = adjudicate(ACTS, SCALE)
    people = [act for act in ACTS if act.source.kind == "person"]
    assert found.acts == acts_hash(people)
    assert found.acts in found.qrels.notes[0]
    assert found.n_acts == 9
    changed = [replace(act, note="why") if act.key == "ann-q1-d1" else act for act in people]
    assert acts_hash(changed) != found.acts


def test_no_judgments_settle_nothing() -> None:
    found = adjudicate([], SCALE)
    assert found.qrels.to_dict() == {}
    assert found.pairs == ()
    assert adjudicate([said("ann", "d1", None, reason="later")], SCALE).qrels.to_dict() == {}


def test_a_history_is_not_what_holds() -> None:
    back = Judgment("x", "ann", "q1", "d1", None, "withdrawn", withdraws="ann-q1-d1")
    with raises(ValueError, "x", "withdrawal"):
        adjudicate([*ACTS, back], SCALE)
    with raises(ValueError, "'d1'", "'q1'"):
        adjudicate([*ACTS, replace(ACTS[0], key="again")], SCALE)
