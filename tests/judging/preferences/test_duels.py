"""Duels: what a preference says about a pair, and what many of them show."""

from __future__ import annotations

import numpy as np
import pytest

from rankproof.judging.preferences import duels
from rankproof.judging.records import Preference
from rankproof.kernel import shelf
from rankproof.kernel.estimate import Estimate, NotEstimable
from rankproof.proving.significance.contract import SignificanceRequest
from rankproof.proving.win_share import share_of_wins

ABC = ("a", "b", "c")


def said(preferred: str | None, query: str, judge: str = "ann", variants: tuple[str, ...] = ABC) -> Preference:
    return Preference(f"{judge} {query} {variants}", judge, query, variants, preferred)


def counts(*acts: Preference) -> dict[str, tuple[int, int, int]]:
    return {f"{d.first}{d.second}": (d.wins, d.ties, d.losses) for d in duels(acts, ABC)}


def test_the_preferred_one_beats_each_other_one_and_the_others_are_not_compared() -> None:
    assert counts(said("b", "q1")) == {"ab": (0, 0, 1), "bc": (1, 0, 0)}
    assert counts(said(None, "q1")) == {"ab": (0, 1, 0), "ac": (0, 1, 0), "bc": (0, 1, 0)}
    assert counts(said("c", "q1", variants=("c", "a"))) == {"ac": (0, 0, 1)}


def test_a_query_counts_once_however_many_judges_compared_it() -> None:
    two = ("b", "a")
    assert counts(said("a", "q1", "ann", two), said("a", "q1", "bob", two), said("b", "q1", "cy", two)) == {
        "ab": (1, 0, 0)
    }
    assert counts(said("a", "q1", "ann", two), said("b", "q1", "bob", two)) == {"ab": (0, 1, 0)}
    assert counts(said("a", "q1", "ann", two), said(None, "q1", "bob", two)) == {"ab": (1, 0, 0)}


def test_nine_to_one_by_hand() -> None:
    """Ten coins with at most one tail: 11 of 1024 ways, twice: p = 22/1024. The interval is R's binom.test(9, 10)."""
    found = share_of_wins(9, 1)
    assert isinstance(found, Estimate)
    assert found.value == 0.9
    assert found.p_value == pytest.approx(22 / 1024)
    assert (found.low, found.high) == (pytest.approx(0.5549839, abs=1e-6), pytest.approx(0.9974714, abs=1e-6))


def test_all_won_still_has_a_p_value_and_an_end() -> None:
    """Six of six: p = 2/64; the low end is 0.025 ** (1/6), where six wins have a chance of 2.5%."""
    found = share_of_wins(6, 0)
    assert isinstance(found, Estimate)
    assert found.p_value == pytest.approx(2 / 64)
    assert (found.low, found.high) == (pytest.approx(0.025 ** (1 / 6)), 1.0)
    turned = share_of_wins(0, 6)
    assert isinstance(turned, Estimate)
    assert (turned.low, turned.high) == (0.0, pytest.approx(1 - 0.025 ** (1 / 6)))


def test_ties_alone_show_nothing() -> None:
    (duel,) = duels([said(None, "q1", variants=("a", "b"))], ABC)
    assert isinstance(duel.share, NotEstimable)
    assert duel.adjusted is None


def test_p_values_are_those_of_the_sign_test_and_never_contradict_the_interval() -> None:
    sign, rng = shelf.find("significance", "sign"), np.random.default_rng(0)
    for wins in range(1, 25):
        for losses in range(1, 25):
            found = share_of_wins(wins, losses)
            assert isinstance(found, Estimate)
            differences = np.array([1.0] * wins + [-1.0] * losses + [0.0] * 3)
            assert found.p_value == pytest.approx(sign.infer(differences, SignificanceRequest(), rng).p_value)
            assert (found.p_value <= 0.05) == (not found.low < 0.5 < found.high)


def test_several_pairs_are_corrected_together() -> None:
    """a wins all 8 of 8 queries against b and c: p = 2/256 each; Holm over the two pairs: twice that."""
    found = duels([said("a", str(n)) for n in range(8)], ABC)
    assert [(d.first, d.second, d.wins) for d in found] == [("a", "b", 8), ("a", "c", 8)]
    for duel in found:
        assert duel.adjusted is not None
        assert duel.adjusted.p_value == pytest.approx(4 / 256)
