"""CUPED on skewed means and on ratios: the variance that theory leaves, and intervals that hold the effect."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.online_parts.cuped import NEAR, ratio, skewed, tried

pytestmark = pytest.mark.slow

TRIALS = 400


@pytest.mark.parametrize("kind", ["mean", "ratio"])
def test_one_minus_rho_squared_is_left(kind: str) -> None:
    case = skewed(0.7) if kind == "mean" else ratio(16, 0)
    found = tried(case, TRIALS, np.random.default_rng(0))
    assert found.told == pytest.approx(case.left, rel=NEAR)
    assert found.kept == pytest.approx(case.left, rel=NEAR)
    low, high = found.spread(np.random.default_rng(1))
    assert low * 0.95 <= case.left <= high * 1.05
    assert found.covers.share == pytest.approx(0.95, abs=3 * math.sqrt(0.95 * 0.05 / TRIALS))


def test_the_skewed_covariate_has_the_correlation_that_was_asked_for() -> None:
    units = skewed(0.5).draw(np.random.default_rng(0), 1_000_000, 0.0)
    assert float(np.corrcoef(units.numerator, units.covariate)[0, 1]) == pytest.approx(0.5, abs=0.01)
