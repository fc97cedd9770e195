"""Gaffke's bound on values of real systems: a target that is just missed seldom passes, one just met seldom fails.

Rates rest on 1,500 query sets a cell (Monte Carlo standard error 0.6 points); docs/statistics.md has those of 10,000.
"""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.simulation.sparse import ALPHA, MEASURES, Answers, answers, scores, value_worlds
from tests.shared_data import needs_shared_data

pytestmark = [pytest.mark.slow, needs_shared_data]
TRIALS = 1500
SHORT = ("P@10", "ERR@20", "hit")


@pytest.mark.parametrize("measure", [m if m in SHORT else pytest.param(m, marks=pytest.mark.full) for m in MEASURES])
@pytest.mark.parametrize("n", [10, pytest.param(25, marks=pytest.mark.full), 50])
def test_a_target_at_the_truth(measure: str, n: int) -> None:
    rng = np.random.default_rng(n)
    worlds = list(value_worlds({measure: scores()[measure]}))
    found = sum((answers(world, n, -(-TRIALS // len(worlds)), rng, "gaffke") for world in worlds), Answers())
    most = ALPHA + 3 * (ALPHA * (1 - ALPHA) / found.passes.trials) ** 0.5
    assert found.passes.share <= most
    assert found.fails.share <= most
    assert found.covers.share >= 0.93
