"""Team drafts: every pick is the best that is left, rounds are whole, and each side is first half of the time."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from rankproof.online.interleaving.records import InterleavedList
from rankproof.online.interleaving.show import interleave

rankings_of = st.integers(2, 4).flatmap(
    lambda systems: st.lists(st.permutations("abcdefgh").map(lambda docs: docs[:6]), min_size=systems, max_size=systems)
)


@given(lists=rankings_of, key=st.text(max_size=8), depth=st.integers(1, 6))
@settings(deadline=None, max_examples=examples(60))
def test_every_pick_is_the_best_left_of_its_team(lists: list[list[str]], key: str, depth: int) -> None:
    rankings = {f"s{i}": ranking for i, ranking in enumerate(lists)}
    shown = interleave(rankings, key, "team_draft_multileave", depth)
    for at, (doc, team) in enumerate(zip(shown.docs, shown.teams, strict=True)):
        assert team is not None
        assert doc == next(d for d in rankings[team] if d not in shown.docs[:at])
    for start in range(0, depth, len(lists)):
        picks = shown.teams[start : start + len(lists)]
        assert len(set(picks)) == len(picks)


@given(lists=rankings_of.filter(lambda lists: len(lists) == 2), key=st.text(max_size=8))
@settings(deadline=None, max_examples=examples(30))
def test_multileaving_of_two_is_the_team_draft(lists: list[list[str]], key: str) -> None:
    rankings = dict(zip("ab", lists, strict=True))
    plain, multi = (interleave(rankings, key, name) for name in ("team_draft", "team_draft_multileave"))
    assert (plain.docs, plain.teams, plain.credits) == (multi.docs, multi.teams, multi.credits)


def lists_of(rankings: dict[str, list[str]], keys: int, method: str = "team_draft") -> list[InterleavedList]:
    return [interleave(rankings, f"key {i}", method, 3) for i in range(keys)]


def test_the_lists_of_a_worked_example_come_as_often_as_they_should() -> None:
    """old: a b c, new: b d a. Two coins, the second for the third rank.

    old first: a; new takes b. Then old has c left and new has d.       a b c, a b d: 1/4 each
    new first: b; old takes a. Then the same.                           b a c, b a d: 1/4 each
    """
    counts = Counter(shown.docs for shown in lists_of({"old": ["a", "b", "c"], "new": ["b", "d", "a"]}, 4000))
    assert set(counts) == {tuple("abc"), tuple("abd"), tuple("bac"), tuple("bad")}
    # 1,000 of each are expected, with a standard deviation of sqrt(4000 / 4 * 3/4) = 27.4.
    assert all(abs(count - 1000) < 4 * 27.4 for count in counts.values())


def test_both_sides_are_first_equally_often() -> None:
    counts = Counter(shown.teams[0] for shown in lists_of({"a": ["x", "y", "z"], "b": ["z", "x", "w"]}, 4000))
    # The standard deviation of half of 4,000 is sqrt(1000) = 31.6.
    assert abs(counts["a"] - 2000) < 4 * 31.6


def test_each_of_five_systems_has_as_many_of_three_ranks() -> None:
    rankings = {name: [f"{name}{i}" for i in range(3)] for name in "abcde"}
    counts = Counter(team for shown in lists_of(rankings, 2000, "team_draft_multileave") for team in shown.teams)
    # 2,000 * 3 / 5 = 1,200 of each; being among three of five has variance 0.24, so sqrt(480) = 21.9.
    assert all(abs(counts[name] - 1200) < 4 * 21.9 for name in "abcde")


def test_ranks_beyond_the_shortest_ranking_are_filled_by_best_rank_without_credit() -> None:
    shown = interleave({"long": ["a", "b", "c", "d"], "short": ["e"]}, "key", depth=4)
    assert shown.credited == 1
    # Whoever came first, a and e lead the rest; then b and c follow.
    assert set(shown.docs[:2]) == {"a", "e"}
    assert shown.docs[2:] == ("b", "c")
    assert shown.teams[1:] == (None, None, None)
    assert shown.credits[1:] == ((0.0, 0.0),) * 3
