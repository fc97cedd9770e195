"""Benjamini-Hochberg: where no hypothesis is false, its false discovery rate is the family error, at most 5%.

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
def test_false_discoveries_where_there_is_nothing_to_discover(scores: Scores, n: int) -> None:
    found = family_error(scores, "bh", "permuted", n, 500)["all"]
    assert 0.02 <= found.share <= 0.05 + 3 * found.error
