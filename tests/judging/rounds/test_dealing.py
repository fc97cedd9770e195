"""Dealing pairs to judges: the arithmetic, the overlap, whole queries, the orders; and how far judges are."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.judging.records import SCALES, Assignment, Judgment
from rankproof.judging.rounds.assign import deal, handed_out, pick, taken_back
from rankproof.judging.rounds.pool import material_of
from rankproof.judging.selections.contract import Material, SelectedPair
from rankproof.kernel.specs.calls import read_configured

JUDGES = ("ana", "bo", "cy")


def chosen(queries: int, documents: int) -> list[SelectedPair]:
    return [SelectedPair(f"q{q:03}", f"d{d}", 1.0) for q in range(queries) for d in range(documents)]


def hands(dealt: list[Assignment]) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for one in sorted(dealt, key=lambda a: a.place):
        found.setdefault(one.judge, []).append((one.query_id, one.doc_id))
    return found


def test_five_hundred_pairs_for_three_judges() -> None:
    """100 by all three and 400 once are 300 + 400 = 700 judgments: 100 + 133, 133 or 134 for each judge."""
    pairs = chosen(100, 5)
    mine = hands(deal(pairs, JUDGES, 100))
    assert {judge: len(own) for judge, own in mine.items()} == {"ana": 233, "bo": 233, "cy": 234}
    times = Counter(pair for own in mine.values() for pair in own)
    assert Counter(times.values()) == {3: 100, 1: 400}
    assert set(times) == {one.pair for one in pairs}
    common = {pair for pair, count in times.items() if count == 3}
    # Of 100 queries with 5 pairs each, 100 pairs drawn at random touch 100 * (1 - 0.8 ** 5), about 67.
    assert 55 <= len({query for query, _ in common}) <= 80
    # Stretches of queries: the others of a query are of one judge, but for the two queries where a stretch ends.
    hand_of: dict[str, set[str]] = {}
    for judge, own in mine.items():
        for query, doc in own:
            if (query, doc) not in common:
                hand_of.setdefault(query, set()).add(judge)
    assert sum(len(judges) > 1 for judges in hand_of.values()) <= 2


def test_queries_come_in_one_order_and_documents_in_an_order_of_each_judge() -> None:
    mine = hands(deal(chosen(10, 6), JUDGES, 60))
    orders = {judge: list(dict.fromkeys(query for query, _ in own)) for judge, own in mine.items()}
    assert orders["ana"] == orders["bo"] == orders["cy"] != sorted(orders["ana"])
    assert all(len(own) == 60 and len({q for q, _ in own[n : n + 6]}) == 1 for own in mine.values() for n in (0, 6, 54))
    assert len({tuple(own) for own in mine.values()}) == 3


def test_the_same_seed_gives_the_same_hands_and_another_one_others() -> None:
    pairs = chosen(10, 6)
    assert deal(pairs, JUDGES, 12, seed=4) == deal(pairs, JUDGES, 12, seed=4)
    assert deal(pairs, JUDGES, 12, seed=4) != deal(pairs, JUDGES, 12, seed=5)


@given(
    st.integers(1, 9), st.integers(1, 7), st.integers(1, 6), st.integers(0, 70), st.integers(1, 6), st.integers(0, 9)
)
@settings(max_examples=examples(60), deadline=None)
def test_everybody_gets_as_much_and_every_pair_as_many(
    queries: int, documents: int, judges: int, overlap: int, each: int, seed: int
) -> None:
    pairs, names = chosen(queries, documents), [f"j{i}" for i in range(judges)]
    each, overlap = min(each, judges), min(overlap, len(pairs)) if judges > 1 else 0
    dealt = deal(pairs, names, overlap, each, seed)
    assert len(dealt) == overlap * judges + (len(pairs) - overlap) * each
    mine = hands(dealt)
    sizes = [len(mine.get(name, [])) for name in names]
    assert max(sizes) - min(sizes) <= 1
    assert all(len(set(own)) == len(own) for own in mine.values())
    times = Counter(pair for own in mine.values() for pair in own)
    assert set(times) == {one.pair for one in pairs}
    assert sum(count == judges for count in times.values()) >= overlap
    assert set(times.values()) <= {each, judges}
    assert all(
        [one.place for one in dealt if one.judge == name] == list(range(1, n + 1))
        for name, n in zip(names, sizes, strict=True)
    )


def test_requests_that_are_refused() -> None:
    pairs = chosen(2, 2)
    with raises(UsageError, "ana, ana"):
        deal(pairs, ("ana", "ana"), 0)
    with raises(UsageError, "judges", "5", "4"):
        deal(pairs, JUDGES, 5)
    with raises(UsageError, "judges", "two"):
        deal(pairs, ("ana",), 1)
    with raises(UsageError, "judges", "4", "3"):
        deal(pairs, JUDGES, 0, each=4)


# ---- which pairs ---------------------------------------------------------------------------------


def material() -> Material:
    """Four queries with five documents each."""
    ranked = {f"q{q}": [f"d{d}" for d in range(5)] for q in range(4)}
    return material_of({"a": ranked}, [], SCALES["graded"])


def test_the_best_ranks_of_all_queries_are_picked_whatever_is_left_out() -> None:
    pool = read_configured("selections", "depth_pool(depth=5)")
    assert {one.pair for one in pick(pool, material(), 4, ())} == {(f"q{q}", "d0") for q in range(4)}
    # Without the first documents of q0 to q2, those of q3 and the second ones of the first queries are next.
    without = {("q0", "d0"), ("q1", "d0"), ("q2", "d0")}
    found = {one.pair for one in pick(pool, material(), 4, without)}
    assert found == {("q3", "d0"), ("q0", "d1"), ("q1", "d1"), ("q2", "d1")}


def test_too_few_pairs_are_refused_with_the_number_there_is() -> None:
    with raises(UsageError, "depth_pool(depth=5)", "19", "20", "--pairs 19"):
        pick(read_configured("selections", "depth_pool(depth=5)"), material(), 20, {("q0", "d0")})
    assert len(pick(read_configured("selections", "depth_pool(depth=5)"), material(), 20, ())) == 20
    with raises(UsageError, "depth_pool(depth=5, pairs=3)", "4", "--pairs 3"):
        pick(read_configured("selections", "depth_pool(depth=5, pairs=3)"), material(), 4, ())


# ---- how far they are ----------------------------------------------------------------------------


def said(judge: str, doc: str, grade: int | None, reason: str = "") -> Judgment:
    return Judgment(f"{judge}-{doc}-key", judge, "q1", doc, grade, reason)


def test_how_far_judges_are() -> None:
    given_out = [Assignment("q1", doc, place, "ana") for place, doc in enumerate("abcde", 1)]
    given_out += [Assignment("q1", "a", 1, "bo"), Assignment("q1", "x", 1), Assignment("q1", "y", 2)]
    acts = [said("ana", "a", 3), said("ana", "b", None, "cannot_tell"), said("ana", "c", None, "later")]
    acts += [said("dee", "x", 1), said("dee", "a", 1)]
    rows = [(one.judge, one.asked, one.answered, one.left) for one in handed_out(given_out, acts)]
    # ana graded a and could not tell about b; "later" is no answer. Anybody may answer x.
    assert rows == [("", 2, 1, 1), ("ana", 5, 2, 3), ("bo", 1, 0, 1)]
    gold = {("q1", "a"), ("q1", "d")}
    assert [(one.judge, one.asked, one.answered) for one in handed_out(given_out, acts, gold)] == [
        ("", 2, 1),
        ("ana", 3, 1),
    ]
    back = taken_back(given_out, acts, "ana")
    assert [(one.doc_id, one.judge, one.withdrawn) for one in back] == [(doc, "ana", True) for doc in "cde"]
