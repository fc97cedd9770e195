"""No correction: ten tests among five equal systems give a false alarm in more than a fifth of families.

The rate rests on 1,500 families of 10 t tests, so its Monte Carlo standard error is 1.2 points.
"""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.simulation.families import family_error
from tests.shared_data import needs_shared_data

pytestmark = [pytest.mark.slow, needs_shared_data]

Scores = dict[str, np.ndarray]


def test_what_a_correction_is_for(scores: Scores) -> None:
    assert family_error(scores, "none", "permuted", 50, 500)["all"].share > 0.2
