"""Orders, gold turns, pools and paces."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.judging.rounds.table import pool_of

from rankproof.judging.records import Assignment, Project
from rankproof.judging.rounds.pool import WINDOW, assigned, is_gold_turn, material_of, order_of, selected
from rankproof.judging.rounds.progress import JudgingProgress, pace_of, since


def queries(pool, order) -> list[str]:
    return list(dict.fromkeys(pool.pairs[i][0] for i in order))


def test_documents_of_a_query_stay_together_and_judges_see_them_in_orders_of_their_own() -> None:
    pool = pool_of(20, 10)
    ann, bob = order_of(pool, "ann", 0), order_of(pool, "bob", 0)
    assert sorted(ann) == sorted(bob) == list(range(200))
    assert queries(pool, ann) == queries(pool, bob) == [f"q{i}" for i in range(20)]
    assert all(len({pool.pairs[i][0] for i in ann[n : n + 10]}) == 1 for n in range(0, 200, 10))
    assert list(ann[:10]) != list(bob[:10])
    assert list(ann) == list(order_of(pool, "ann", 0))


def test_as_many_judges_as_a_pair_needs_take_the_queries_together() -> None:
    pool = pool_of(20, 2, wanted=3)
    ways = [queries(pool, order_of(pool, f"judge{i}", i)) for i in range(7)]
    assert ways[0] == ways[1] == ways[2]
    assert ways[3] == ways[4] == ways[5]
    assert len({tuple(way) for way in ways}) == 3


def test_by_weight_nobody_leaves_the_order_by_more_than_a_window() -> None:
    pool = pool_of(20, 10, by="weight")
    ann, bob = order_of(pool, "ann", 0), order_of(pool, "bob", 5)
    assert np.abs(ann - np.arange(200)).max() < WINDOW
    assert list(ann[:WINDOW]) != list(bob[:WINDOW])
    assert set(ann[:WINDOW]) == set(bob[:WINDOW])


@given(share=st.sampled_from([0.01, 0.05, 0.1, 1 / 7, 0.29, 0.3, 0.5, 0.9, 1.0]), judge=st.text(min_size=1))
@settings(max_examples=examples(40), deadline=None)
def test_the_share_of_gold_holds_for_every_judge(share: float, judge: str) -> None:
    turns = [is_gold_turn(share, judge, n) for n in range(400)]
    assert abs(sum(turns) - 400 * share) <= 1


def test_gold_turns_have_no_beat_and_none_come_where_none_are_wanted() -> None:
    turns = [n for n in range(300) if is_gold_turn(0.1, "ann", n)]
    assert len({b - a for a, b in pairwise(turns)}) > 3
    assert not any(is_gold_turn(0.0, "ann", n) for n in range(50))


def test_a_pool_of_assignments() -> None:
    project = Project("p", "p", wanted=2, gold=0.1)
    rows = [
        Assignment("q1", "b", 2), Assignment("q1", "a", 1), Assignment("q1", "a", 3, judge="ann"),
        Assignment("q2", "g", 4), Assignment("q2", "c", 5, judge="bob"), Assignment("q2", "c", 6, judge="ann"),
    ]  # fmt: skip
    pool = assigned(project, rows, [("q2", "g")])
    assert pool.pairs == (("q1", "a"), ("q1", "b"), ("q2", "c"), ("q2", "g"))
    # Anybody's twice, and once more for ann; anybody's twice; ann and bob; gold.
    assert pool.wanted == (3, 2, 2, 0)
    assert (tuple(pool.shared), pool.personal) == ((0, 1), {"ann": (0, 2), "bob": (2,)})
    assert tuple(pool.gold) == (3,)


def test_gold_questions_are_not_in_the_pool_unless_none_are_asked() -> None:
    material = material_of({"a": {"q1": ["x", "y"]}}, [], Project("p", "p").scale)
    asked = selected(Project("p", "p", gold=0.1), material, [("q1", "x"), ("q7", "z")])
    assert asked.pairs == (("q1", "y"), ("q1", "x"), ("q7", "z"))
    assert tuple(asked.gold) == (1, 2)
    assert selected(Project("p", "p"), material, [("q1", "x")]).pairs == (("q1", "x"), ("q1", "y"))


def times(*seconds: int) -> list[str]:
    return [f"2031-05-04T{s // 3600:02}:{s // 60 % 60:02}:{s % 60:02}.000000Z" for s in seconds]


def test_pace_leaves_breaks_out() -> None:
    # Six words, 10 seconds apart, a break of an hour, six more: ten gaps of 10 seconds are 360 an hour.
    said = times(*range(0, 60, 10), *range(3660, 3720, 10))
    assert pace_of(said, said[-1]) == 360
    assert pace_of(said[:5], said[4]) is None  # four gaps are too few
    assert pace_of(said, times(3 * 3600)[0]) is None  # long ago
    assert pace_of([], said[0]) is None


def test_since_counts_from_a_moment_on() -> None:
    said = times(0, 10, 20)
    assert since(said, times(10)[0]) == 2
    assert since(said, times(30)[0]) == 0


@pytest.mark.parametrize(("left", "pace", "minutes"), [(60, 360, 10), (1, 3600, 1), (0, 100, None), (10, None, None)])
def test_minutes_to_go(left: int, pace: int | None, minutes: int | None) -> None:
    assert JudgingProgress(100, 0, 0, left, 0, 0, pace).minutes == minutes
