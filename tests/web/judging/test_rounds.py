"""Rounds: what the server knows of everybody's work, in memory, and always as the store has it."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from uuid import uuid4

import pytest

from rankproof.judging.records import Judgment, Project
from rankproof.judging.store.store import Store
from rankproof.reading.collection import Query
from rankproof.web import rounds as module
from rankproof.web.rounds import Rounds

NOW = "2031-05-04T03:02:01.000000Z"


def say(store: Store, judge: str, query: str, doc: str, grade: int = 1) -> Judgment:
    act = Judgment(uuid4().hex, judge, query, doc, grade)
    store.judgments.add("shop", act)
    return act


def pairs(found) -> list[tuple[str, str]]:
    return [(one.query_id, one.doc_id) for one in found]


def test_acts_of_others_and_of_other_programs_count_at_once(shop: Store) -> None:
    rounds, project = Rounds(shop), shop.projects.get("shop")
    first = pairs(rounds.next_pairs(project, "ann", 3, 0.0))
    say(shop, "bob", *first[1])
    assert pairs(rounds.next_pairs(project, "ann", 2, 1.0)) == [first[0], first[2]]
    # A round that is made anew knows the same.
    assert Rounds(shop).of(project).progress("bob", NOW, NOW).done == 1


def test_acts_of_other_projects_do_not_count(shop: Store) -> None:
    shop.projects.add(Project("other", "Other"), "setup")
    shop.items.add_queries("other", [Query("q1", "red")])
    shop.runs.add("other", "a", {"q1": ["d1"]}, "f" * 64)
    rounds = Rounds(shop)
    one, other = shop.projects.get("shop"), shop.projects.get("other")
    rounds.of(one), rounds.of(other)
    say(shop, "ann", "q1", "d1")
    assert pairs(rounds.next_pairs(other, "ann", 1, 0.0)) == [("q1", "d1")]
    assert ("q1", "d1") not in pairs(rounds.next_pairs(one, "ann", 20, 0.0))


@pytest.mark.parametrize("quick", [0.2, -1.0], ids=["at once", "beside"])
def test_a_selection_that_follows_judgments_is_asked_again(
    shop: Store, monkeypatch: pytest.MonkeyPatch, quick: float
) -> None:
    monkeypatch.setattr(module, "AGAIN", 2)
    monkeypatch.setattr(module, "QUICK", quick)
    rounds = Rounds(shop)
    project = replace(shop.projects.get("shop"), selection="disagreement")
    assert rounds.next_pairs(project, "cat", 5, 0.0) == []
    say(shop, "ann", "q1", "d1", 0)
    say(shop, "bob", "q1", "d1", 3)
    for _ in range(200):
        if pairs(rounds.next_pairs(project, "cat", 5, 0.0)):
            break
        time.sleep(0.01)
    assert pairs(rounds.next_pairs(project, "cat", 5, 0.0)) == [("q1", "d1")]
    assert rounds.next_pairs(project, "ann", 5, 0.0) == []  # ann has said what she thinks
    say(shop, "cat", "q1", "d1", 3)
    assert rounds.next_pairs(project, "dan", 5, 0.0) == []  # three have graded it: somebody settles it now


def test_influence_goes_on_until_the_comparison_is_settled(shop: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AGAIN", 3)
    rounds = Rounds(shop)
    project = replace(shop.projects.get("shop"), selection="influence(measure='P@2')")
    seen = []
    while found := rounds.next_pairs(project, "ann", 1, 0.0):
        seen += pairs(found)
        say(shop, "ann", *seen[-1])
        assert len(seen) <= 18
    # P@2 hangs on the first two of either run: d1, d2 and d3, d5.
    assert sorted(seen) == [(query, doc) for query in ("q/3", "q1", "q2") for doc in ("d1", "d2", "d3", "d5")]


def test_many_threads_never_get_the_same_pair(shop: Store) -> None:
    rounds, project = Rounds(shop), shop.projects.get("shop")
    wrong: list[BaseException] = []

    def work(judge: str) -> None:
        try:
            while found := rounds.next_pairs(project, judge, 2, time.monotonic()):
                say(shop, judge, found[0].query_id, found[0].doc_id)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(f"judge{i}",)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert wrong == []
    judged = [(j.query_id, j.doc_id) for j in shop.judgments.current("shop")]
    assert len(judged) == len(set(judged)) == 18


def test_news_are_the_acts_since_a_number(shop: Store) -> None:
    first = say(shop, "ann", "q1", "d1")
    acts, last = shop.judgments.news("shop")
    assert [act.key for act in acts] == [first.key]
    assert shop.judgments.news("shop", last) == ([], last)
    second = say(shop, "ann", "q1", "d2")
    assert [act.key for act in shop.judgments.news("shop", last)[0]] == [second.key]
