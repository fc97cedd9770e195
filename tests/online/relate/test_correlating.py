"""Coefficients against scipy and by hand, intervals and p-values that agree, and what cannot be told."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from rankproof.kernel.estimate import Estimate, NotEstimable
from rankproof.online.relate.correlate import correlation, kendall, pearson, spearman

X = np.array([0.01, -0.02, 0.03, 0.0, 0.02, 0.05, -0.01, 0.04, 0.02])
Y = np.array([0.5, -0.4, 0.9, 0.1, 0.2, 1.3, 0.3, 0.8, 0.2])


def test_the_coefficients_are_those_of_scipy() -> None:
    assert pearson(X, Y) == pytest.approx(stats.pearsonr(X, Y).statistic)
    assert spearman(X, Y) == pytest.approx(stats.spearmanr(X, Y).statistic)
    assert kendall(X, Y) == pytest.approx(stats.kendalltau(X, Y).statistic)


def test_pearsons_interval_is_that_of_scipy() -> None:
    found = correlation("pearson", X, Y, 0.9)
    assert isinstance(found, Estimate)
    assert (found.low, found.high) == pytest.approx(tuple(stats.pearsonr(X, Y).confidence_interval(0.9)))


@pytest.mark.parametrize(("kind", "below"), [("spearman", 6), ("kendall", 5)])
def test_the_intervals_of_ranks_by_hand(kind: str, below: int) -> None:
    """Nine changes: arctanh of the coefficient, with 1.96 standard errors on either side."""
    found = correlation(kind, X, Y, 0.95)
    assert isinstance(found, Estimate)
    error = math.sqrt(((1 + found.value**2 / 2) if kind == "spearman" else 0.437) / below)
    assert math.atanh(found.high) - math.atanh(found.value) == pytest.approx(1.959964 * error, rel=1e-5)
    assert math.atanh(found.value) - math.atanh(found.low) == pytest.approx(1.959964 * error, rel=1e-5)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(math.atanh(found.value) / error))


@pytest.mark.parametrize("kind", ["pearson", "spearman", "kendall"])
def test_what_cannot_be_told(kind: str) -> None:
    for x, y, words in (
        ([1.0, 2.0, 3.0], [1.0, 3.0, 2.0], "3 changes are too few"),
        ([1.0] * 9, list(range(9)), "one side does not vary"),
        (list(range(9)), list(range(9)), "all changes agree"),
        ([], [], "fewer than two changes"),
    ):
        found = correlation(kind, np.array(x, dtype=float), np.array(y, dtype=float), 0.95)
        assert isinstance(found, NotEstimable)
        assert words in found.reason
