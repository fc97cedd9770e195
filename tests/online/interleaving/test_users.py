"""Simulated users, from the list to the preference: nobody is preferred for nothing, and the better system is."""

from __future__ import annotations

import numpy as np
import pytest

from rankproof.kernel.estimate import Estimate
from rankproof.online.interleaving.preference import preferred
from rankproof.online.interleaving.read import credit_clicks
from rankproof.online.interleaving.records import ClickedDocument, Outcome
from rankproof.online.interleaving.show import interleave

METHODS = ("team_draft", "team_draft_multileave", "probabilistic", "optimized", "optimized(credit='linear')")
GOOD = {"a", "b", "c"}
BETTER = ["a", "b", "x", "c", "y", "z"]
WORSE = ["x", "a", "y", "z", "b", "w"]


def outcomes_of(method: str, first: list[str], second: list[str], relevance: float, sessions: int) -> list[Outcome]:
    """Users who look down a list with less and less patience and click what they like, more or less at random."""
    rng = np.random.default_rng(3)
    found = []
    for i in range(sessions):
        shown = interleave({"first": first, "second": second}, f"session {i}", method, 6, experiment="simulated")
        look = rng.random(len(shown.docs)) < 1 / np.arange(1, len(shown.docs) + 1)
        like = [rng.random() < 0.4 + relevance * (0.4 if doc in GOOD else -0.3) for doc in shown.docs]
        clicks = [
            ClickedDocument(doc) for doc, seen, liked in zip(shown.docs, look, like, strict=True) if seen and liked
        ]
        found.append(credit_clicks(f"user {i}", shown, clicks))
    return found


@pytest.mark.parametrize("method", METHODS)
def test_users_who_click_without_reading_prefer_nobody(method: str) -> None:
    found = preferred(outcomes_of(method, WORSE, BETTER, 0.0, 3000), "first", "second", level=0.9999)
    assert isinstance(found.margin, Estimate)
    assert found.margin.low < 0 < found.margin.high


@pytest.mark.parametrize("method", METHODS)
def test_users_who_read_prefer_the_better_system(method: str) -> None:
    found = preferred(outcomes_of(method, WORSE, BETTER, 1.0, 1500), "first", "second", level=0.9999)
    assert isinstance(found.margin, Estimate)
    assert isinstance(found.share, Estimate)
    assert found.margin.low > 0
    assert found.share.low > 0.5


@pytest.mark.parametrize("method", METHODS)
def test_users_prefer_neither_of_equal_systems(method: str) -> None:
    found = preferred(outcomes_of(method, BETTER, BETTER, 1.0, 1500), "first", "second", level=0.9999)
    if method.startswith("optimized"):
        assert found.ties == found.units  # nothing is earned by what both rank alike
    elif method == "probabilistic":
        assert found.ties == found.units  # and here both earn the same
    else:
        assert isinstance(found.margin, Estimate)
        assert found.margin.low < 0 < found.margin.high
