"""Sets of changes from worlds that are known: intervals cover, equal measures are told apart as rarely as promised.

Each world has 1,000 sets (100 where noise is taken out); a rate of 95% has a standard error of 0.69 points (2.2). The
coefficients of correlation are cheap, and have 4,000 sets.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankproof.kernel.estimate import Estimate
from rankproof.online.relate.contest import corrected, difference
from rankproof.online.relate.correlate import correlation, line

pytestmark = pytest.mark.slow

SETS = 1_000
LEAST = 0.95 - 3 * math.sqrt(0.05 * 0.95 / SETS)


def pair(rng: np.random.Generator, n: int, rho: float) -> tuple[np.ndarray, np.ndarray]:
    """Two normal numbers for each change."""
    x = rng.standard_normal(n)
    return x, rho * x + math.sqrt(1 - rho * rho) * rng.standard_normal(n)


@pytest.mark.parametrize("n", [8, pytest.param(20, marks=pytest.mark.full)])
@pytest.mark.parametrize("rho", [0.0, 0.6])
def test_correlations_are_covered(n: int, rho: float) -> None:
    true = {
        "pearson": rho,
        "spearman": 6 / math.pi * math.asin(rho / 2),
        "kendall": 2 / math.pi * math.asin(rho),
    }
    rng = np.random.default_rng([n, round(10 * rho)])
    covered = dict.fromkeys(true, 0)
    for _ in range(4 * SETS):
        x, y = pair(rng, n, rho)
        for kind, value in true.items():
            found = correlation(kind, x, y, 0.95)
            covered[kind] += not isinstance(found, Estimate) or found.low <= value <= found.high
    least = 0.95 - 3 * math.sqrt(0.05 * 0.95 / (4 * SETS))
    # The standard error of Kendall's is a round one: 93.9% with 8 changes that have nothing to do with each other.
    floors = {"pearson": least, "spearman": least, "kendall": 0.93}
    assert all(count / (4 * SETS) >= floors[kind] for kind, count in covered.items()), covered


@pytest.mark.parametrize("n", [12, pytest.param(30, marks=pytest.mark.full)])
@pytest.mark.parametrize("by", ["pearson", "spearman"])
def test_measures_that_are_equally_good_are_rarely_told_apart(n: int, by: str) -> None:
    rng = np.random.default_rng([n, len(by)])
    told = 0
    for _ in range(SETS):
        y = rng.standard_normal(n)
        shared = rng.standard_normal(n)  # what both measures see that users do not
        first, second = (y + 0.7 * shared + 0.7 * rng.standard_normal(n) for _ in range(2))
        found = difference(first, second, y, by, 0.95)
        told += isinstance(found, Estimate) and found.p_value <= 0.05
    assert told / SETS <= 1 - LEAST, told / SETS


@pytest.mark.parametrize("n", [8, pytest.param(20, marks=pytest.mark.full)])
def test_slopes_are_covered_where_trials_differ_in_size(n: int) -> None:
    rng = np.random.default_rng(n)
    covered = 0
    for _ in range(SETS):
        x = rng.standard_normal(n)
        y = 0.5 * x + rng.uniform(0.2, 1.5, n) * rng.standard_normal(n)
        found, _ = line(x, y, 0.95)
        assert isinstance(found, Estimate)
        covered += found.low <= 0.5 <= found.high
    assert covered / SETS >= LEAST, covered / SETS


@pytest.mark.parametrize(("n", "rho"), [(8, 0.6), pytest.param(20, 0.9, marks=pytest.mark.full)])
def test_the_correlation_behind_the_noise_is_covered(n: int, rho: float) -> None:
    """Standard errors differ from change to change; a fifth of what is measured is noise, on either side."""
    rng = np.random.default_rng([n, round(10 * rho)])
    covered = made = 0
    for _ in range(100):
        x, y = pair(rng, n, rho)
        x_errors, y_errors = np.sqrt(0.25 * rng.uniform(0.5, 1.5, (2, n)))
        x, y = x + x_errors * rng.standard_normal(n), y + y_errors * rng.standard_normal(n)
        found = corrected(x, x_errors, y, y_errors, 0.95)
        if isinstance(found, Estimate):
            made += 1
            covered += found.low <= rho <= found.high
    assert made > 80
    assert covered / made >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / 100), covered / made
