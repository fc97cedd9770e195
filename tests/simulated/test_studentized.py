"""The studentized bootstrap: coverage of its 95% intervals over 300 pairs of systems, 1,000 resamples each.

Every rate rests on 3,000 query sets (1,200 of 200 queries), so its Monte Carlo standard error is 0.4 (0.6) points.
"""

from __future__ import annotations

import pytest
from benchmarks.simulation.studies import honesty
from benchmarks.simulation.worlds import World
from tests.shared_data import needs_shared_data

pytestmark = [pytest.mark.slow, needs_shared_data]


@pytest.mark.parametrize(
    ("n", "trials"),
    [(25, 10), pytest.param(50, 10, marks=pytest.mark.full), pytest.param(200, 4, marks=pytest.mark.full)],
)
def test_coverage(places: list[World], n: int, trials: int) -> None:
    found = honesty(places, "studentized", "centered", n, trials, resamples=1000)
    assert 0.93 <= found.covers["all"].share <= 0.97
    assert found.unbounded["all"].share < 0.01  # an interval without an end covers, but says nothing
