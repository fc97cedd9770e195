"""The paired t test, the default: false alarms at 0.05, and coverage of its 95% intervals, over 300 pairs of systems.

Every rate rests on 30,000 query sets, so its Monte Carlo standard error is 0.13 points.
"""

from __future__ import annotations

import pytest
from benchmarks.simulation.studies import honesty
from benchmarks.simulation.worlds import World
from tests.shared_data import needs_shared_data

pytestmark = [pytest.mark.slow, needs_shared_data]


@pytest.mark.parametrize("n", [25, pytest.param(50, marks=pytest.mark.full), pytest.param(200, marks=pytest.mark.full)])
def test_false_alarms_with_labels_swapped_at_random(places: list[World], n: int) -> None:
    assert 0.04 <= honesty(places, "t", "swapped", n, 100).rejects["all"].share <= 0.06


@pytest.mark.parametrize(
    ("n", "most"),
    [(25, 0.07), pytest.param(50, 0.06, marks=pytest.mark.full), pytest.param(200, 0.06, marks=pytest.mark.full)],
)
def test_false_alarms_and_coverage_on_centered_differences(places: list[World], n: int, most: float) -> None:
    found = honesty(places, "t", "centered", n, 100)
    assert 0.04 <= found.rejects["all"].share <= most
    assert 0.93 <= found.covers["all"].share <= 0.97


def test_the_interval_and_the_p_value_never_contradict(places: list[World]) -> None:
    found = honesty(places, "t", "centered", 25, 20)
    assert found.rejects["all"].hits + found.covers["all"].hits == found.rejects["all"].trials
