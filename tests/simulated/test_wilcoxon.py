"""Wilcoxon's signed-rank test: honest where differences are symmetric, and not about the mean where they are not.

Every rate rests on 3,000 query sets, so its Monte Carlo standard error is 0.4 points under swapped labels.
"""

from __future__ import annotations

import pytest
from benchmarks.simulation.studies import honesty
from benchmarks.simulation.worlds import World
from tests.shared_data import needs_shared_data

from rankproof.kernel import shelf

pytestmark = [pytest.mark.slow, needs_shared_data]


def test_false_alarms_with_labels_swapped_at_random(places: list[World]) -> None:
    assert 0.035 <= honesty(places, "wilcoxon", "swapped", 50, 10).rejects["all"].share <= 0.06


@pytest.mark.parametrize(("n", "least"), [(50, 0.10), pytest.param(200, 0.25, marks=pytest.mark.full)])
def test_equal_means_are_rejected_more_often_the_more_queries_there_are(
    places: list[World], n: int, least: float
) -> None:
    """Which is what its warning is for."""
    assert honesty(places, "wilcoxon", "centered", n, 5).rejects["all"].share > least
    assert shelf.find("significance", "wilcoxon").warning
    assert shelf.find("significance", "wilcoxon").about != "mean"
