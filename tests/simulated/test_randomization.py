"""The sign-flip randomization test: false alarms at 0.05 and coverage, over 300 pairs of systems, 2,000 flips each.

Every rate rests on 3,000 query sets, so its Monte Carlo standard error is 0.4 points.
"""

from __future__ import annotations

import pytest
from benchmarks.simulation.studies import honesty
from benchmarks.simulation.worlds import World
from tests.shared_data import needs_shared_data

pytestmark = [pytest.mark.slow, needs_shared_data]


@pytest.mark.parametrize("n", [25, pytest.param(50, marks=pytest.mark.full)])
def test_swapped_labels_are_what_it_supposes(places: list[World], n: int) -> None:
    """Exact by construction: it cannot exceed 5% but by Monte Carlo error."""
    found = honesty(places, "randomization", "swapped", n, 10).rejects["all"]
    assert 0.04 <= found.share <= 0.05 + 3 * found.error


@pytest.mark.parametrize(("n", "most"), [(25, 0.07), pytest.param(50, 0.06, marks=pytest.mark.full)])
def test_centered_differences_are_not_symmetric_and_it_bears_that(places: list[World], n: int, most: float) -> None:
    found = honesty(places, "randomization", "centered", n, 10)
    assert 0.04 <= found.rejects["all"].share <= most
    assert 0.93 <= found.covers["all"].share <= 0.97
