"""The betting bound: proven never to err more than it promises, and seen not to, with less power than Gaffke's."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.simulation.sparse import ALPHA, scores, sparse_worlds
from benchmarks.simulation.worlds import drawn
from tests.shared_data import needs_shared_data

from rankproof.proving.bounded_mean import Weighted, betting_p, gaffke_p

pytestmark = [pytest.mark.slow, needs_shared_data]


@pytest.mark.parametrize("unchanged", [0.0, 0.8])
def test_false_answers_and_power(unchanged: float) -> None:
    """1,500 query sets of 25 and of 50: at the truth, and 2.5 standard errors from it."""
    rng = np.random.default_rng(5)
    false = found = by_gaffke = trials = 0
    for world in sparse_worlds({name: scores()[name] for name in ("AP", "RR", "hit")}, 25, unchanged):
        for n in (25, 50):
            far = world.truth - 2.5 * float(world.changes.std()) / n**0.5
            for sample in drawn(world.changes, n, 10, rng).T:
                false += betting_p(sample, -1.0, 1.0, world.truth) <= ALPHA
                found += betting_p(sample, -1.0, 1.0, far) <= ALPHA
                by_gaffke += gaffke_p(Weighted.of(sample), -1.0, far) <= ALPHA
                trials += 1
    assert trials == 1500
    assert false / trials <= ALPHA + 3 * (ALPHA * (1 - ALPHA) / trials) ** 0.5
    assert found < by_gaffke
