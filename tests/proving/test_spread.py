"""The standard deviation of differences and its interval: by hand, and against samples whose spread is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from rankproof.proving.plan_power import spread_of


def coverage(samples: np.ndarray, truth: float) -> float:
    found = [spread_of(sample) for sample in samples]
    return float(np.mean([(one.low or 0) <= truth <= (one.high or 0) for one in found]))


def test_four_differences_have_the_chi_square_interval() -> None:
    """-1/2, 1/2, 1/2, 1: mean 3/8, squares about it (49 + 1 + 1 + 25) / 64 = 1.1875, over 3."""
    found = spread_of(np.array([-0.5, 0.5, 0.5, 1.0]))
    assert found.sd == pytest.approx(math.sqrt(1.1875 / 3))
    assert found.low == pytest.approx(math.sqrt(1.1875 / stats.chi2.ppf(0.975, 3)))
    assert found.high == pytest.approx(math.sqrt(1.1875 / stats.chi2.ppf(0.025, 3)))
    assert found.measured_on == 4


def test_six_differences_by_hand() -> None:
    """-3, -1, 0, 0, 1, 3: variance 20 / 5 = 4; cut int(6 / (2 sqrt 2)) = 2 from each side: the center is 0.

    Kurtosis 6 (81 + 1 + 1 + 81) / 20^2 = 2.46; c = 6 / (6 - 1.959964) = 1.485135; standard error
    c sqrt((2.46 - 3/6) / 5) = 1.485135 x 0.626099 = 0.929842; t with 5 degrees of freedom is 2.570582; ends
    sqrt(4 c exp(-+ 2.570582 x 0.929842)).
    """
    found = spread_of(np.array([-3.0, -1.0, 0.0, 0.0, 1.0, 3.0]))
    assert found.sd == pytest.approx(2.0)
    assert found.low == pytest.approx(math.sqrt(4 * 1.485135 * math.exp(-2.570582 * 0.929842)), rel=1e-5)
    assert found.high == pytest.approx(math.sqrt(4 * 1.485135 * math.exp(2.570582 * 0.929842)), rel=1e-5)


def test_normal_differences_give_what_the_chi_square_gives() -> None:
    """4,000 samples: three standard errors of a 95% coverage are 1 point."""
    samples = np.random.default_rng(3).normal(0.0, 2.0, (4000, 50))
    assert coverage(samples, 2.0) == pytest.approx(0.95, abs=0.015)
    ends = np.median([spread_of(sample).high / spread_of(sample).sd for sample in samples])
    assert ends == pytest.approx(math.sqrt(49 / stats.chi2.ppf(0.025, 49)), rel=0.05)


def test_long_tails_widen_it() -> None:
    """Laplace differences have kurtosis 6: the chi-square interval covers 77% of them, this one about 93%."""
    samples = np.random.default_rng(4).laplace(0.0, 1.0, (4000, 50))
    low, high = (math.sqrt(49 / stats.chi2.ppf(tail, 49)) for tail in (0.975, 0.025))
    sd = samples.std(axis=1, ddof=1)
    plain = np.mean((sd * low <= math.sqrt(2)) & (sd * high >= math.sqrt(2)))
    assert plain < 0.82
    assert coverage(samples, math.sqrt(2)) > 0.91


def test_a_higher_level_is_wider() -> None:
    differences = np.random.default_rng(0).normal(size=30)
    narrow, wide = spread_of(differences, 0.8), spread_of(differences, 0.99)
    assert (wide.low or 0) < (narrow.low or 0) < narrow.sd < (narrow.high or 0) < (wide.high or 0)
