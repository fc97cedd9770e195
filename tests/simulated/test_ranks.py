"""Rank intervals hold together at least as often as promised, on real scores of which the truth is known."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.simulation.ranks import Truth, cluster_coverage, dataset_coverage, rank_coverage, true_ranks
from tests.effort import examples

LEVEL = 0.95


def within(share: float, trials: int) -> bool:
    """At least 95%, but for three standard errors of the simulation."""
    return share >= LEVEL - 3 * (LEVEL * (1 - LEVEL) / trials) ** 0.5


def test_true_ranks_of_equal_systems_reach_from_the_first_to_the_last_of_them() -> None:
    assert true_ranks(np.array([0.5, 0.9, 0.5, 0.1])) == [(2, 3), (1, 1), (2, 3), (4, 4)]


@pytest.mark.parametrize("truth", ["all equal", "half equal", "as they are"])
@pytest.mark.parametrize("queries", [12, 50])
def test_all_rank_intervals_hold_at_once(truth: Truth, queries: int, scores: dict[str, np.ndarray]) -> None:
    covered = rank_coverage(scores, truth, 5, queries, examples(150))["all"]
    assert within(covered.share, covered.trials), covered


@pytest.mark.parametrize("truth", ["all equal", "as they are"])
def test_all_rank_intervals_over_datasets_hold_at_once(truth: Truth, scores: dict[str, np.ndarray]) -> None:
    """75, 50 and 25 queries, each dataset with another measure of the same systems."""
    covered = dataset_coverage(scores, truth, 5, 50, examples(300))
    assert within(covered.share, covered.trials), covered


@pytest.mark.parametrize("truth", ["all equal", "as they are"])
@pytest.mark.parametrize("clusters", [12, 30])
def test_all_rank_intervals_of_units_in_clusters_hold_at_once(
    truth: Truth, clusters: int, scores: dict[str, np.ndarray]
) -> None:
    covered = cluster_coverage(scores, truth, 4, clusters, examples(150))["all"]
    assert within(covered.share, covered.trials), covered


def test_rank_intervals_that_are_not_told_of_clusters_hold_too_seldom(scores: dict[str, np.ndarray]) -> None:
    """What the option is for, and a check that the simulation can fail."""
    covered = cluster_coverage(scores, "all equal", 4, 30, examples(150), respected=False)["all"]
    assert not within(covered.share, covered.trials), covered
