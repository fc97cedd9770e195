"""Optimized interleaving: possible lists, fair chances, and the best of them, against another solver."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from tests.effort import examples

from rankproof.online.interleaving.show import interleave
from rankproof.online.interleavings import _simplex, optimized
from rankproof.online.interleavings._simplex import best_mixture

pairs_of = st.tuples(st.permutations("abcdefgh"), st.permutations("abcdefgh"), st.integers(1, 6)).map(
    lambda drawn: (tuple(drawn[0][: drawn[2]]), tuple(drawn[1][: drawn[2]]))
)
Pair = tuple[tuple[str, ...], tuple[str, ...]]


@given(pair=pairs_of)
@settings(deadline=None, max_examples=examples(60))
def test_every_prefix_of_a_possible_list_is_made_of_prefixes(pair: Pair) -> None:
    first, second = pair
    lists = optimized.possible(first, second)
    assert len(set(lists)) == len(lists)
    size = len(first)
    for each in lists:
        for k in range(1, size + 1):
            unions = ({*first[:i], *second[:j]} for i in range(size + 1) for j in range(size + 1))
            assert set(each[:k]) in unions


def test_the_possible_lists_of_a_worked_example() -> None:
    # a b c and b d a: after a and b, the next is c or d; after b d, only a is left of both.
    expected = {"abc", "abd", "bac", "bad", "bda"}
    assert {"".join(each) for each in optimized.possible(tuple("abc"), tuple("bda"))} == expected


@pytest.mark.parametrize("credit", ["inverse", "linear"])
@given(pair=pairs_of)
@settings(deadline=None, max_examples=examples(60))
def test_chances_are_fair_at_every_rank(credit: str, pair: Pair) -> None:
    solved = optimized._solved(*pair, credit)
    assert solved is not None
    lists, ends = solved
    shares = np.diff([0.0, *ends])
    assert ends[-1] == pytest.approx(1.0)
    leads = np.array([[optimized._lead(doc, *pair, credit) for doc in each] for each in lists])
    assert np.abs(shares @ leads).max() < 1e-8


@pytest.mark.parametrize("seed", range(25))
def test_the_mixture_is_as_good_as_another_solver_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(-3, 4, size=(int(rng.integers(1, 6)), int(rng.integers(2, 40)))).astype(float)
    gain = rng.random(rows.shape[1])
    other = linprog(-gain, A_eq=np.vstack([rows, np.ones(rows.shape[1])]), b_eq=[0.0] * len(rows) + [1.0])
    found = best_mixture(rows, gain)
    if other.status == 2:
        assert found is None
        return
    assert found is not None
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1.0)
    assert np.abs(rows @ found).max() < 1e-8
    assert gain @ found == pytest.approx(-other.fun, abs=1e-8)


def test_a_program_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, gain = np.array([[1.0, -1.0]]), np.array([1.0, 1.0])
    assert best_mixture(rows, gain) == pytest.approx([0.5, 0.5])
    monkeypatch.setattr(_simplex, "_MOST", 0)
    assert best_mixture(rows, gain) is None


def test_ten_ranks_of_rankings_that_share_half_are_solved_as_well() -> None:
    rng = random.Random(2)
    docs = [f"d{i}" for i in range(15)]
    for _ in range(5):
        first, second = tuple(rng.sample(docs, 10)), tuple(rng.sample(docs, 10))
        assert optimized._solved(first, second, "inverse") is not None
        assert optimized._solved(first, second, "linear") is not None


def test_a_worked_example() -> None:
    """a b c against b c a, by rank: leads of the first are a: 3 - 1 = 2, b: 1 - 2 = -1, c: 2 - 3 = -1.

    Lists: a b c, b a c, b c a (after a, both have b; after b, the first has a and the second c), with chances x, y, z.
    Rank 1: 2 x - (y + z) = 0, so x = 1/3 and y + z = 2/3. Rank 2: -x + 2 y - z = 0, so y = 1/3 and z = 1/3.
    """
    solved = optimized._solved(tuple("abc"), tuple("bca"), "linear")
    assert solved is not None
    lists, ends = solved
    assert dict(zip(map("".join, lists), np.diff([0.0, *ends]), strict=True)) == pytest.approx(
        {"abc": 1 / 3, "bac": 1 / 3, "bca": 1 / 3}
    )


def test_where_no_chances_are_fair_the_list_is_drafted_in_teams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimized, "_solved", lambda *asked: None)
    rankings = {"a": ["x", "y"], "b": ["y", "x"]}
    shown, drafted = (interleave(rankings, "key", method) for method in ("optimized", "team_draft"))
    assert (shown.docs, shown.teams, shown.credits) == (drafted.docs, drafted.teams, drafted.credits)


def test_ranks_below_the_top_are_filled() -> None:
    shown = interleave({"a": list("abcdef"), "b": list("fedcba")}, "key", "optimized(top=2)", 6)
    assert shown.credited == 2
    assert sorted(shown.docs) == list("abcdef")
