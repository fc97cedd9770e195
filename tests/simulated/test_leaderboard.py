"""The best against the second: chosen by the data, and still no more false claims than promised, on unfriendly data."""

from __future__ import annotations

import numpy as np
import pytest
from tests.effort import examples

from rankproof.proving.compare import compare_values
from rankproof.proving.per_unit import PerUnit
from rankproof.proving.ranks import leaderboard_of
from rankproof.proving.records import Design


def skewed(rng: np.random.Generator, queries: int, systems: int) -> np.ndarray:
    """Values of equally good systems: queries differ much, and a few are won or lost by a lot."""
    hard = rng.beta(0.6, 0.9, queries)[:, None]
    return np.clip(hard + rng.exponential(0.12, (queries, systems)) - 0.12, 0.0, 1.0)


@pytest.mark.parametrize("place", ["baseline is equal", "baseline is far below"])
def test_equal_leaders_are_seldom_called_different(place: str) -> None:
    """Three equal systems lead; the baseline is one of them, or far below, so that the pair is of the second family."""
    trials, false = examples(1000), 0
    rng = np.random.default_rng(11)
    for trial in range(trials):
        values = skewed(rng, 30, 3)
        if place == "baseline is far below":
            values = np.column_stack([values[:, 0] * 0.3, values])
        names = tuple(f"s{i}" for i in range(values.shape[1]))
        table = PerUnit("X", "higher", "mean", tuple(f"q{i}" for i in range(30)), values, low=0.0, high=1.0)
        board = leaderboard_of(compare_values(names, [table], Design(resamples=1_000, seed=trial)))
        assert board.best_second is not None
        false += board.best_second.direction != "not shown"
    # 5% promised; three standard errors of a share of 5% above it.
    assert false / trials <= 0.05 + 3 * (0.05 * 0.95 / trials) ** 0.5
