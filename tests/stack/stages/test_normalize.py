"""Normalized scores by hand, and where there is nothing to divide by."""

from __future__ import annotations

import numpy as np
import pytest

from rankproof.reading.ranking import Ranking
from rankproof.stack.stages.normalize import METHODS
from rankproof.testing.rankings import passed

HALVES = {"a": 4.0, "b": 4.0, "c": 2.0, "d": -2.0}


@pytest.mark.parametrize(
    ("method", "values"),
    [
        ("minmax", [1, 1, 4 / 6, 0]),
        # Mean 2; squares 4, 4, 0, 16: the deviation is the root of 24 / 4.
        ("zscore", [2 / 6**0.5, 2 / 6**0.5, 0, -4 / 6**0.5]),
        # Above the last: 6, 6, 4, 0, of 16.
        ("sum", [6 / 16, 6 / 16, 4 / 16, 0]),
        ("rank", [1, 0.75, 0.5, 0.25]),
    ],
)
def test_by_hand(method: str, values: list[float]) -> None:
    found = passed("normalize", HALVES, method=method)
    assert list(found) == ["b", "a", "c", "d"]
    assert list(found.values()) == pytest.approx(values, abs=1e-4)


@pytest.mark.parametrize(("method", "value"), [("minmax", 1), ("zscore", 0), ("sum", 0.5), ("rank", None)])
def test_scores_that_are_alike(method: str, value: float | None) -> None:
    found = passed("normalize", {"a": 7.0, "b": 7.0}, method=method)
    assert found == ({"b": 1.0, "a": 0.5} if value is None else {"b": value, "a": value})


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("top", [1.7e308, 1e200, 1e-300, 5e-324])
def test_vast_and_tiny_scores_stay_numbers_and_never_rise(method: str, top: float) -> None:
    scaled = METHODS[method](np.array([top, top / 2, 0.0, -top]))
    Ranking(("a", "b", "c", "d"), scaled)  # finite, and never rising


def test_after_the_scale_the_scores_still_order_the_documents() -> None:
    rng = np.random.default_rng(4)
    for _ in range(200):
        scores = np.sort(rng.normal(0, 10 ** rng.uniform(-8, 8), 50))[::-1] + rng.normal(0, 1e6)
        for method in METHODS.values():
            Ranking(tuple(str(i) for i in range(50)), method(scores))
