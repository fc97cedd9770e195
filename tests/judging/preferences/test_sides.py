"""Sides: the same for the same judge, query and seed, and by chance otherwise."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

from rankproof.judging.preferences import shuffled

NAMES = ("a", "b", "c")


def test_the_same_each_time_whatever_the_order_of_the_names() -> None:
    for query in map(str, range(50)):
        first = shuffled(NAMES, "ann", query, 7)
        assert sorted(first) == list(NAMES)
        assert {shuffled(order, "ann", query, 7) for order in permutations(NAMES)} == {first}


def test_every_order_comes_about_equally_often() -> None:
    """600 queries, 6 orders: 100 each, standard deviation sqrt(600 x 1/6 x 5/6) = 9.1; within 4 of them."""
    seen = Counter(shuffled(NAMES, "ann", str(query)) for query in range(600))
    assert len(seen) == 6
    assert all(64 <= count <= 136 for count in seen.values())


def test_judge_query_and_seed_each_matter() -> None:
    queries = [str(n) for n in range(40)]
    plain = [shuffled(NAMES, "ann", q) for q in queries]
    assert plain != [shuffled(NAMES, "bob", q) for q in queries]
    assert plain != [shuffled(NAMES, "ann", q, 1) for q in queries]
    # Lengths are hashed too: a name and an id cannot be cut elsewhere to give the same sides.
    assert [shuffled(NAMES, "an", "n" + q) for q in queries] != [shuffled(NAMES, "ann", q) for q in queries]
