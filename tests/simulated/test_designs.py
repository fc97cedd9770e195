"""Weights, strata and clusters: intervals cover and gates err as they do for a random sample; t that ignores them not.

1,000 query sets a cell from real differences (standard error of the coverage 0.7 points); docs/statistics.md
has five measures with 2,000 each.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.simulation.designs import Design, DesignAnswers, answers, designs
from benchmarks.simulation.sparse import SparseWorld, scores, sparse_worlds
from tests.shared_data import needs_shared_data

pytestmark = [pytest.mark.slow, needs_shared_data]
TRIALS = 1000
DENSE = 0.75
# Those of which every query set is answered by t take seconds; with Gaffke's bounds they take minutes.
QUICK = (
    "25 clusters of unequal size, 50% copied",
    "25 clusters of 5, 90% copied",
    "50 queries, traffic weights",
    "60 queries in 3 strata",
)


def worlds(measure: str) -> list[SparseWorld]:
    made = sparse_worlds({measure: scores()[measure]}, 40, 0.0)
    return [world for world in made if np.mean(world.changes != 0) >= DENSE]


def cells() -> list[object]:
    return [pytest.param(d, marks=[] if d.name in QUICK else pytest.mark.full, id=d.name) for d in designs()]


def answered(design: Design, method: str = "t_or_gaffke") -> DesignAnswers:
    return answers(worlds("nDCG@20"), design, TRIALS, np.random.default_rng(3), method)


@pytest.mark.parametrize("design", cells())
def test_designs_keep_the_promise(design: Design) -> None:
    found = answered(design)
    assert found.covers.trials == TRIALS
    assert found.covers.share >= 0.93 - 3 * 0.007
    for rate in (found.passes, found.fails):
        assert rate.share <= 0.07 + 3 * 0.007


def test_a_test_that_ignores_clusters_calls_equal_systems_different() -> None:
    """The same query sets, taken for queries drawn one by one: the interval is far too short."""
    (design,) = (d for d in designs() if d.name == "25 clusters of 5, 90% copied")

    def naive(changes, rng):
        values, sampling, truth = design.draw(changes, rng)
        alone = replace(sampling, clusters=np.arange(len(values)))
        return values, alone, truth

    assert answered(Design(design.name, naive), "t").covers.share < 0.75
    assert answered(design, "t").covers.share > 0.92
