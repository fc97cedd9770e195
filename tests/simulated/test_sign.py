"""The sign test: honest about the sign, and not about the mean, whatever the number of queries.

Every rate rests on 9,000 query sets, so its Monte Carlo standard error is 0.2 points under swapped labels.
"""

from __future__ import annotations

import pytest
from benchmarks.simulation.studies import honesty
from benchmarks.simulation.worlds import World
from tests.shared_data import needs_shared_data

from rankproof.kernel import shelf

pytestmark = [pytest.mark.slow, needs_shared_data]


@pytest.mark.parametrize("n", [25, pytest.param(50, marks=pytest.mark.full), pytest.param(200, marks=pytest.mark.full)])
def test_false_alarms_with_labels_swapped_at_random(places: list[World], n: int) -> None:
    """Few values are possible, so it stays below 5% where few queries differ."""
    assert 0.025 <= honesty(places, "sign", "swapped", n, 30).rejects["all"].share <= 0.05


@pytest.mark.parametrize(("n", "least"), [(50, 0.25), pytest.param(200, 0.5, marks=pytest.mark.full)])
def test_equal_means_are_rejected_more_often_the_more_queries_there_are(
    places: list[World], n: int, least: float
) -> None:
    """Which is what its warning is for."""
    assert honesty(places, "sign", "centered", n, 30).rejects["all"].share > least
    assert shelf.find("significance", "sign").warning
    assert shelf.find("significance", "sign").about == "sign"
