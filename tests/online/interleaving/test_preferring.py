"""Preferences over units: counts, share, margin, and ways to infer that are given."""

from __future__ import annotations

import pytest
from tests.raising import raises

from rankproof.errors import UnknownName
from rankproof.kernel.estimate import Estimate, NotEstimable
from rankproof.online.interleaving.preference import preferred
from rankproof.online.interleaving.records import Outcome


def outcome(unit: str, old: float, new: float) -> Outcome:
    return Outcome(unit, {"old": old, "new": new}, counted=int(old + new > 0))


def test_a_worked_example() -> None:
    """8 wins by 1, 1 loss by 1, 1 tie.

    The share is 8/9; p = 2 (1 + 9) / 2^9 = 0.0390625. The margin is 7/10 with a variance of (9 - 4.9) / 9 = 0.45556, so
    a standard error of 0.21344; Student's 97.5% point with 9 degrees is 2.26216: 0.7 -+ 0.48283.
    The lift is (8 + 1/2) / 10 - 1/2 = 0.35.
    """
    outcomes = [outcome(f"u{i}", 0, 1) for i in range(8)] + [outcome("u8", 1, 0), outcome("u9", 1, 1)]
    found = preferred(outcomes, "old", "new")
    assert (found.wins, found.ties, found.losses, found.units) == (8, 1, 1, 10)
    assert found.lift == pytest.approx(0.35)
    assert isinstance(found.share, Estimate)
    assert (found.share.value, found.share.p_value) == (pytest.approx(8 / 9), pytest.approx(0.0390625))
    assert isinstance(found.margin, Estimate)
    assert found.margin.value == pytest.approx(0.7)
    assert (found.margin.low, found.margin.high) == (pytest.approx(0.21717, abs=1e-5), pytest.approx(1.18283, abs=1e-5))
    back = preferred(outcomes, "new", "old")
    assert (back.wins, back.losses, back.lift) == (1, 8, pytest.approx(-0.35))


def test_the_lists_of_one_unit_are_added_up_first() -> None:
    found = preferred([outcome("u", 1, 0), outcome("u", 0, 3), outcome("v", 1, 0)], "old", "new")
    assert (found.wins, found.ties, found.losses) == (1, 0, 1)
    assert found.margin.value == pytest.approx(0.5)  # (2 - 1) / 2


def test_sums_of_fractions_that_are_equal_are_a_tie() -> None:
    found = preferred([outcome("u", 0.1, 0.3), outcome("u", 0.2, 0.0)], "old", "new")  # 0.1 + 0.2 is not 0.3 in binary
    assert (found.wins, found.ties, found.losses) == (0, 1, 0)


def test_nothing_seen_is_said_in_words() -> None:
    found = preferred([], "old", "new")
    assert isinstance(found.share, NotEstimable)
    assert isinstance(found.margin, NotEstimable)
    assert found.lift is None


def test_another_way_to_infer_is_asked_with_the_same_counts() -> None:
    seen: list[tuple] = []

    def share(wins: int, losses: int, level: float) -> NotEstimable:
        seen.append((wins, losses, level))
        return NotEstimable("too early", "made up", wins + losses)

    def mean(margins: list[float], level: float) -> NotEstimable:
        seen.append((tuple(margins), level))
        return NotEstimable("too early", "made up", len(margins))

    outcomes = [outcome("u", 0, 1), outcome("v", 0, 2), outcome("w", 1, 0)]
    found = preferred(outcomes, "old", "new", 0.9, share, mean)
    assert seen == [(2, 1, 0.9), ((1.0, 2.0, -1.0), 0.9)]
    assert found.share.method == found.margin.method == "made up"


def test_a_system_that_was_not_there_is_refused() -> None:
    with raises(UnknownName) as unknown:
        preferred([outcome("u", 0, 1)], "old", "nwe")
    assert (unknown.value.name, unknown.value.near) == ("nwe", ["new"])
