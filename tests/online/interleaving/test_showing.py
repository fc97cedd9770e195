"""The server's function: what it refuses, and how."""

from __future__ import annotations

import pytest
from tests.raising import raises

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.online.interleaving.show import interleave

TWO = {"old": ["a", "b"], "new": ["b", "a"]}


def test_one_system_is_refused() -> None:
    with raises(UsageError, "systems", "1"):
        interleave({"old": ["a"]}, "key")


@pytest.mark.parametrize("method", ["team_draft", "optimized"])
def test_three_systems_are_too_many_for_a_method_of_two(method: str) -> None:
    with raises(UsageError, method, "2", "3", "a, b, c", "team_draft_multileave", "probabilistic"):
        interleave({"a": ["x"], "b": ["x"], "c": ["x"]}, "key", method)


def test_a_document_twice_is_refused() -> None:
    with raises(InputError, "'old'", "'a'", "twice"):
        interleave({"old": ["a", "b", "a"], "new": ["b"]}, "key")


def test_a_depth_of_nothing_is_refused() -> None:
    with raises(UsageError, "depth", "0"):
        interleave(TWO, "key", depth=0)


def test_an_unknown_method_names_its_neighbor() -> None:
    with raises(UnknownName) as unknown:
        interleave(TWO, "key", "team_drat")
    assert (unknown.value.name, unknown.value.near) == ("team_drat", ["team_draft"])


def test_the_method_is_said_with_its_choices() -> None:
    assert interleave(TWO, "key", "probabilistic(decay=3.0)").method == "probabilistic"
    assert interleave(TWO, "key", "probabilistic(decay=1.0)").method == "probabilistic(decay=1.0)"


def test_what_was_given_is_not_changed() -> None:
    given = {"old": ["a", "b", "c"], "new": ["c", "b", "a"]}
    for method in ("team_draft", "probabilistic", "optimized"):
        interleave(given, "key", method)
    assert given == {"old": ["a", "b", "c"], "new": ["c", "b", "a"]}
