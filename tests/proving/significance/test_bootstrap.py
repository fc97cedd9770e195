"""The bootstrap methods: against a plain reference with the same resamples, and where resamples fail."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankproof.kernel.estimate import Estimate
from rankproof.proving.significance import bca, studentized
from rankproof.proving.significance._bootstrap import Resamples
from rankproof.proving.significance.contract import SignificanceRequest

SKEWED = np.array([0.0, 0.02, 0.05, -0.04, 0.4, 0.11, 0.0, 0.31, -0.02, 0.07, 0.9, -0.1])


def ask(module: object, d: np.ndarray, **asked: object) -> Estimate:
    found = module.infer(d, SignificanceRequest(**asked), np.random.default_rng(0))
    assert isinstance(found, Estimate)
    return found


def test_sums_are_those_of_the_queries_that_were_drawn() -> None:
    d = np.random.default_rng(4).normal(size=(7, 2))
    sums = Resamples(7, 50, np.random.default_rng(9)).sums(d)
    drawn = np.random.default_rng(9).integers(0, 7, (50, 7))
    assert sums == pytest.approx(d[drawn].sum(axis=1).T)


def test_studentized_against_a_plain_reference() -> None:
    """t* of each resample; the 25th of 999 from either side are the last that a 5% test leaves out."""
    n = len(SKEWED)
    drawn = SKEWED[np.random.default_rng(0).integers(0, n, (999, n))]
    t = (drawn.mean(axis=1) - SKEWED.mean()) / (drawn.std(axis=1, ddof=1) / math.sqrt(n))
    error, observed = SKEWED.std(ddof=1) / math.sqrt(n), SKEWED.mean() / (SKEWED.std(ddof=1) / math.sqrt(n))
    found = ask(studentized, SKEWED, resamples=999)
    t.sort()
    # (1 + 24) / 1000 = 0.025 still rejects, so the ends are the 25th.
    assert found.low == pytest.approx(SKEWED.mean() - error * t[-25])
    assert found.high == pytest.approx(SKEWED.mean() - error * t[24])
    greater, less = 1 + np.count_nonzero(t >= observed), 1 + np.count_nonzero(t <= observed)
    assert found.p_value == pytest.approx(2 * min(greater, less) / 1000)


def test_the_longer_tail_has_the_longer_side() -> None:
    found = ask(studentized, SKEWED, resamples=9_999)
    assert found.high - found.value > 1.5 * (found.value - found.low)


def test_resamples_without_spread_leave_the_interval_open() -> None:
    """Two of 25 queries differ: a resample misses both with (23/25)^25 = 12%, more than 2.5%, and has no
    standard error; its mean is 0, below the observed one, so t* has no bound on that side and the upper end has none.
    """
    d = np.zeros(25)
    d[:2] = 0.5, 0.4
    found = ask(studentized, d, resamples=9_999)
    assert found.high == math.inf
    assert math.isfinite(found.low)
    (note,) = found.notes
    assert note.startswith("open interval: in 12")
    assert ask(studentized, d, resamples=9_999, alternative="greater").notes == ()


def test_bca_warns_below_fifty_queries() -> None:
    d = np.random.default_rng(1).normal(size=50)
    assert ask(bca, d, resamples=999).notes == ()
    assert ask(bca, d[:49], resamples=999).notes == (
        "49 queries: below 50 BCa intervals are too short and p-values too small",
    )


def test_bca_has_no_bound_where_resamples_cannot_tell() -> None:
    """999 resamples say nothing of a tail of 1 in 2,000."""
    d = np.random.default_rng(1).normal(0.1, 1, 60)
    found = ask(bca, d, resamples=999, level=0.999)
    assert (found.low, found.high) == (-math.inf, math.inf)
    assert found.notes == ("no bound at 99.9%: the 999 random resamples are too few for it",)
    # All resamples are on one side of -5, and still the p-value is no less than 999 of them can give.
    assert 2 / 1000 <= ask(bca, d, resamples=999, null=-5.0).p_value < 5 / 1000


def test_bca_without_bias_and_skew_is_the_percentile_interval() -> None:
    """Differences that are symmetric about 0 have no acceleration; what is left is the bias of the resamples."""
    d = np.concatenate([np.arange(1, 31), -np.arange(1, 31)]) / 10
    found = ask(bca, d, resamples=9_999)
    means = d[np.random.default_rng(0).integers(0, 60, (9_999, 60))].mean(axis=1)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(means, [0.025, 0.975])), abs=0.01)
    assert found.p_value > 0.95
