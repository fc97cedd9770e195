"""Decisions and choices: what cannot be held, and what is counted once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.raising import raises

from rankproof.online.counterfactual.records import PlacedPages
from rankproof.testing.statistics import logged_decisions, pages_of

LOG = logged_decisions(propensities=[0.5, 0.25], rewards=[1, 0], new=[1, 1])


def test_sums_and_counts() -> None:
    assert LOG.weights.tolist() == [2, 4]
    assert LOG.by_page(LOG.weights * LOG.rewards).tolist() == [2, 0]
    assert LOG.pages_of_queries.tolist() == [2]
    assert LOG.shown.tolist() == [2]
    assert LOG.clipped(3).weights.tolist() == [2, 3]
    count, of = replace(LOG, units=np.array([7, 7])).numbered_units
    assert (count, of.tolist()) == (1, [0, 0])


@pytest.mark.parametrize(
    ("change", "values"),
    [
        ({"weights": np.array([1.0, -1.0])}, ("weights", 0)),
        ({"weights": np.array([1.0, np.inf])}, ("weights", "finite")),
        ({"looked": np.array([1.0, 0.0])}, ("looked",)),
        ({"logged": np.array([1.0])}, ("logged", (1,), 2)),
        ({"cells": np.array([0])}, ("cells", (1,), 2)),
        ({"queries": np.array([], dtype=np.int64)}, ("page", "decision")),
    ],
)
def test_what_cannot_be(change: dict[str, np.ndarray], values: tuple[object, ...]) -> None:
    with raises(ValueError, *values):
        replace(LOG, **change)


def test_propensities_of_places() -> None:
    pages = pages_of("q: a b", "q: a")
    below_the_end = np.array([[0.5, 0.5], [1.0, 0.0]])
    assert PlacedPages(pages, below_the_end).propensities is below_the_end
    with raises(ValueError, "propensity", 0, 1):
        PlacedPages(pages, np.array([[0.5, 0.0], [1.0, 1.0]]))
    with raises(ValueError, "propensities", (2, 3), (2, 2)):
        PlacedPages(pages, np.ones((2, 3)))
