"""What `rankproof power` promises is what the default test does: real differences, shifted by a known amount.

Every rate rests on 15,000 query sets, so its Monte Carlo standard error is 0.4 points at most.
"""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.simulation.studies import planned, realized, spread_covers
from benchmarks.simulation.worlds import World
from tests.shared_data import needs_shared_data

pytestmark = [pytest.mark.slow, needs_shared_data]
# Each size and each power once; all of their pairs in the full form.
QUICK = {(25, 0.8), (50, 0.5), (200, 0.95)}
CASES = [
    pytest.param(n, promised, marks=[] if (n, promised) in QUICK else [pytest.mark.full])
    for n in (25, 50, 200)
    for promised in (0.5, 0.8, 0.95)
]


@pytest.mark.parametrize(("n", "promised"), CASES)
def test_the_promised_power_is_met_within_three_points(places: list[World], n: int, promised: float) -> None:
    assert realized(places, n, promised, 50)["all"].share == pytest.approx(promised, abs=0.03)


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_sided_too(places: list[World], alternative: str) -> None:
    found = realized(places, 50, 0.8, 50, alternative=alternative)
    assert found["all"].share == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize("n", [15, 20])
def test_the_interval_of_a_spread_of_few_queries_covered_less_than_was_said(places: list[World], n: int) -> None:
    """Of 18,000 query sets. With the normal quantile in place of the t quantile it is 92.5% with 20 queries."""
    found = spread_covers(places, n, 60)
    assert 0.933 <= found["all"].share <= 0.97
    assert found["AP"].share >= 0.9


def test_the_interval_of_a_measured_spread_covers_the_true_one(places: list[World]) -> None:
    """Of 3,000 query sets of 50, 90% or more: a chi-square interval would cover 83% for AP."""
    assert 0.9 <= spread_covers(places, 50, 10)["all"].share <= 0.97


def test_a_plan_from_a_pilot_of_50_queries(places: list[World]) -> None:
    """It meets 80% on average, give or take; one made with the upper end of the range meets it nearly always."""
    plain, careful = planned(places, 50, 2), planned(places, 50, 2, careful=True)
    assert plain.mean() == pytest.approx(0.8, abs=0.05)
    assert np.quantile(plain, 0.05) < 0.75  # a measured spread is uncertain: half of all plans are too small
    assert np.mean(careful >= 0.8) > 0.9
