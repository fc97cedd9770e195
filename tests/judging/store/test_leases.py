"""Leases: no pair goes to more judges than want it, whoever asks, and what is over comes free by itself."""

from __future__ import annotations

from dataclasses import replace
from threading import Barrier, Thread

from tests.judging.store.acts import graded, undone

from rankproof.judging.records import SETTLING, Account, Judgment, Project
from rankproof.judging.store import open_store
from rankproof.judging.store.store import Store

ONE, TWO = ("q1", "d1"), ("q1", "d2")


def take(store: Store, judge: str, pairs: dict[tuple[str, str], int], now: float = 0.0, back=()) -> set:
    return store.leases.take("shop", judge, pairs, now, now + 10, back)


def answer(store: Store, judge: str, grade: int | None = 1, reason: str = "") -> Judgment:
    act = replace(graded(1, judge), grade=grade, reason=reason)
    store.judgments.add("shop", act)
    return act


def test_a_pair_in_hand_is_refused_to_others_until_its_time_is_over(store: Store) -> None:
    assert take(store, "ann", {ONE: 1, TWO: 1}) == set()
    assert take(store, "bob", {ONE: 1}) == {ONE}
    assert take(store, "ann", {ONE: 1}) == set()  # her own, renewed
    assert take(store, "bob", {ONE: 2}) == set()
    assert take(store, "cat", {ONE: 2}, 5.0) == {ONE}
    assert take(store, "cat", {TWO: 1, ONE: 2}, 10.0) == set()


def test_what_is_given_back_is_free_at_once(store: Store) -> None:
    take(store, "ann", {ONE: 1, TWO: 1})
    take(store, "ann", {TWO: 1}, back=[ONE])
    assert take(store, "bob", {ONE: 1, TWO: 1}) == {TWO}


def test_where_there_is_no_limit_everybody_gets_it(store: Store) -> None:
    assert [take(store, judge, {ONE: 0}) for judge in ("ann", "bob", "cat")] == [set(), set(), set()]


def test_a_grade_counts_and_the_lease_of_who_gave_it_no_longer(store: Store) -> None:
    take(store, "ann", {ONE: 2})
    act = answer(store, "ann")
    assert take(store, "bob", {ONE: 1}) == {ONE}
    assert take(store, "bob", {ONE: 2}) == set()  # ann's grade and ann's lease are one
    assert take(store, "cat", {ONE: 2}) == {ONE}
    store.judgments.add("shop", undone(act))
    assert take(store, "cat", {ONE: 2}) == set()


def test_later_and_cannot_tell_let_others_in(store: Store) -> None:
    for judge, reason in (("ann", "later"), ("bob", "cannot_tell")):
        assert take(store, judge, {ONE: 1}) == set()
        answer(store, judge, None, reason)
    assert take(store, "cat", {ONE: 1}) == set()
    assert take(store, "ann", {ONE: 1}) == {ONE}  # she asks again for what she has set aside, and cat has it
    assert take(store, "ann", {ONE: 1}, 11.0) == set()
    assert take(store, "dan", {ONE: 1}, 12.0) == {ONE}


def test_a_settled_pair_is_given_to_nobody(store: Store) -> None:
    store.judgments.settle("shop", graded(3, "eve", source=SETTLING), Account("eve", "admin"))
    assert take(store, "ann", {ONE: 5, TWO: 5}) == {ONE}


def test_what_a_model_says_is_no_grade_of_a_person(store: Store) -> None:
    from rankproof.judging.records import JudgmentSource

    store.judgments.add("shop", graded(3, "m", source=JudgmentSource("model", "m-1")))
    assert take(store, "ann", {ONE: 1}) == set()


def test_projects_do_not_mix(store: Store) -> None:
    store.projects.add(Project("other", "Other"), by="ann")
    take(store, "ann", {ONE: 1})
    assert store.leases.take("other", "bob", {ONE: 1}, 0.0, 10.0) == set()
    leases, last = store.leases.news("other")
    assert [(lease.judge, lease.pair, lease.until) for lease in leases] == [("bob", ONE, 10.0)]
    assert store.leases.news("other", last) == ([], last)


def test_news_tell_what_was_given_and_given_back(store: Store) -> None:
    take(store, "ann", {ONE: 1, TWO: 1})
    _, last = store.leases.news("shop")
    take(store, "ann", {ONE: 1}, 1.0, back=[TWO])
    leases, _ = store.leases.news("shop", last)
    assert {(lease.pair, lease.until) for lease in leases} == {(ONE, 11.0), (TWO, 0.0)}
    leases, _ = store.leases.news("shop")
    assert len(leases) == 2  # one row for each judge and pair


def test_what_is_long_over_is_cleared_away_and_numbers_go_on(store: Store) -> None:
    take(store, "ann", {ONE: 1})
    take(store, "bob", {TWO: 1}, 1.0)
    _, before = store.leases.news("shop")
    take(store, "cat", {("q9", "d9"): 1}, 100.0)
    leases, last = store.leases.news("shop")
    assert [lease.judge for lease in leases] == ["bob", "cat"]  # the newest stays until there is a newer one
    assert last > before


def test_many_at_once_over_several_connections(url: str) -> None:
    """Four stores on one database, as four processes have: thirty-two judges for each pair, and one gets it."""
    stores = [open_store(url) for _ in range(4)]
    stores[0].projects.add(Project("shop", "Shop"), by="ann")
    pairs = [("q", f"d{i}") for i in range(10)]
    given: list[tuple[str, str]] = []
    start = Barrier(16)

    def work(number: int) -> None:
        start.wait(30)
        given.extend(pair for pair in pairs if not take(stores[number % 4], f"judge{number}", {pair: 1}))

    threads = [Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for store in stores:
        store.close()
    assert sorted(given) == sorted(pairs)


def test_numbers_grow_in_the_order_of_commits(url: str) -> None:
    """Who has seen a number has seen all before it, whichever process wrote them."""
    stores = [open_store(url) for _ in range(4)]
    stores[0].projects.add(Project("shop", "Shop"), by="ann")
    for store in stores:
        store.projects.get("shop")

    def work(number: int) -> None:
        for i in range(25):
            stores[number].judgments.add("shop", graded(1, f"judge{number}", doc_id=f"d{i}"))

    threads = [Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    seen: list[str] = []
    last = 0
    while any(thread.is_alive() for thread in threads):
        acts, last = stores[0].judgments.news("shop", last)
        seen += [act.key for act in acts]
    acts, _ = stores[0].judgments.news("shop", last)
    seen += [act.key for act in acts]
    assert sorted(seen) == sorted(act.key for act in stores[0].judgments.history("shop"))
    for store in stores:
        store.close()
