"""Limits of planned looks against spotify-confidence 4, which has those of the R package ldbounds.

It spends a power of time, which is given to our integration as it is.
"""

from __future__ import annotations

import numpy as np
import pytest

from rankproof.proving.group_sequential import limits

solver = pytest.importorskip(
    "spotify_confidence.analysis.frequentist.sequential_bound_solver", reason="spotify-confidence is not installed"
)


@pytest.mark.parametrize(
    "times", [[0.2, 0.4, 0.6, 0.8, 1.0], [0.1, 0.15, 0.7, 0.95, 1.0], [k / 14 for k in range(1, 15)]]
)
@pytest.mark.parametrize("power", [1.0, 2.0, 3.0])
@pytest.mark.parametrize("error", [0.01, 0.05])
def test_the_same_limits(times: list[float], power: float, error: float) -> None:
    theirs = solver.bounds(np.array(times), error, power, 8.0, 1).bounds
    mine = limits([error * time**power for time in times], times)
    assert mine == pytest.approx(theirs, abs=1e-3)
