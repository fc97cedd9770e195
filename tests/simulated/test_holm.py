"""Holm's correction: at least one false alarm among all pairs of five equal systems, in at most 5% of families.

Every rate rests on 1,500 families of 10 t tests, so its Monte Carlo standard error is 0.6 points.
"""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.simulation.families import family_error
from tests.shared_data import needs_shared_data

pytestmark = [pytest.mark.slow, needs_shared_data]

Scores = dict[str, np.ndarray]


@pytest.mark.parametrize("n", [25, pytest.param(50, marks=pytest.mark.full)])
def test_family_error(scores: Scores, n: int) -> None:
    """Below 5%: the tests share systems, and Holm does not use that."""
    found = family_error(scores, "holm", "permuted", n, 500)["all"]
    assert 0.02 <= found.share <= 0.05 + 3 * found.error
