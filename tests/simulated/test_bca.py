"""The BCa bootstrap: its intervals are a little too short with few queries, which is why it warns below 50.

Every rate rests on 3,000 query sets (900 of 200 queries) with 1,000 resamples each, so its Monte Carlo standard error
is 0.5 (0.8) points.
"""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.simulation.studies import honesty
from benchmarks.simulation.worlds import World
from tests.shared_data import needs_shared_data

from rankproof.kernel import shelf
from rankproof.kernel.estimate import Estimate
from rankproof.proving.significance.contract import SignificanceRequest

pytestmark = [pytest.mark.slow, needs_shared_data]


@pytest.mark.parametrize(
    ("n", "trials", "least"),
    [
        (25, 10, 0.91),
        pytest.param(50, 10, 0.92, marks=pytest.mark.full),
        pytest.param(200, 3, 0.92, marks=pytest.mark.full),
    ],
)
def test_coverage(places: list[World], n: int, trials: int, least: float) -> None:
    assert least <= honesty(places, "bca", "centered", n, trials, resamples=1000).covers["all"].share <= 0.97


def test_the_t_interval_covers_more_with_few_queries(places: list[World]) -> None:
    bca, t = (
        honesty(places, method, "centered", 25, 10, resamples=1000).covers["all"].share for method in ("bca", "t")
    )
    assert bca < t


@pytest.mark.parametrize(("n", "warns"), [(49, True), (50, False)])
def test_it_warns_below_50_queries(places: list[World], n: int, warns: bool) -> None:
    differences = places[0].differences[:n]
    answer = shelf.find("significance", "bca").infer(
        differences, SignificanceRequest(resamples=2000), np.random.default_rng(0)
    )
    assert isinstance(answer, Estimate)
    assert any("50" in note for note in answer.notes) == warns
