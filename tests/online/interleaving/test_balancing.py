"""Side balance: fair lists pass, a broken draw is found."""

from __future__ import annotations

import pytest
from tests.raising import raises

from rankproof.errors import InputError
from rankproof.online.interleaving.read import balance
from rankproof.online.interleaving.records import InterleavedList
from rankproof.online.interleaving.show import interleave

RANKINGS = {"new": ["a", "b", "c"], "old": ["c", "d", "a"]}


def teams(*names: str) -> InterleavedList:
    credits = tuple((float(name == "new"), float(name == "old")) for name in names)
    return InterleavedList("team_draft", ("new", "old"), tuple("abcdef"[: len(names)]), credits, names, len(names))


def test_a_worked_example() -> None:
    """new is first in 60 of 100 lists: (10^2 + 10^2) / 50 = 4 with one degree of freedom, p = 0.0455."""
    lists = {str(i): teams("new", "old") if i < 60 else teams("old", "new") for i in range(100)}
    first, greatest = balance(lists).parts
    assert (first.what, dict(first.counts)) == ("the first place", {"new": 60, "old": 40})
    assert first.p_value == pytest.approx(0.0455, abs=5e-5)
    assert (dict(greatest.counts), greatest.p_value) == ({"new": 0, "old": 0}, None)  # teams of one are equal
    assert balance(lists).even
    assert not balance(lists, alarm=0.05).even


@pytest.mark.parametrize("method", ["team_draft", "probabilistic", "optimized"])
def test_lists_that_were_drawn_are_even(method: str) -> None:
    found = balance({str(i): interleave(RANKINGS, str(i), method, 3) for i in range(1000)})
    assert found.even
    assert found.lists == 1000
    assert all(part.p_value is not None for part in found.parts)


@pytest.mark.parametrize("method", ["team_draft", "optimized"])
def test_lists_that_were_lost_for_one_side_are_found(method: str) -> None:
    """Every second list with a document of "new" on top is lost, as by a page that breaks."""
    drawn = {str(i): interleave(RANKINGS, str(i), method, 3) for i in range(1000)}
    kept = {key: shown for key, shown in drawn.items() if shown.docs[0] != "a" or int(key) % 2}
    assert not balance(kept).even


def test_three_systems() -> None:
    rankings = {name: list(order) for name, order in (("x", "abc"), ("y", "bca"), ("z", "cab"))}
    lists = {str(i): interleave(rankings, str(i), "team_draft_multileave", 2) for i in range(600)}
    first, greatest = balance(lists).parts
    assert set(first.counts) == set(greatest.counts) == {"x", "y", "z"}
    assert balance(lists).even


def test_lists_without_credit_say_nothing() -> None:
    found = balance({"k": interleave({"new": [], "old": ["a"]}, "k")})
    assert (found.lists, found.parts, found.even) == (1, (), True)


def test_different_systems_are_not_mixed() -> None:
    other = interleave({"third": ["a"], "old": ["a"]}, "k")
    with raises(InputError, "new, old", "old, third"):
        balance({"1": teams("new", "old"), "2": other})
