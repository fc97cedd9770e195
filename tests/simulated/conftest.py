"""What the simulations share, made once: the score matrices, and 100 pairs of systems from each of the three."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.simulation.worlds import World, matrices, worlds


@pytest.fixture(scope="session")
def scores() -> dict[str, np.ndarray]:
    """The scores by measure, topics by systems."""
    return matrices()


@pytest.fixture(scope="session")
def places(scores: dict[str, np.ndarray]) -> list[World]:
    """300 pairs of real systems."""
    return worlds(scores, pairs=100)
