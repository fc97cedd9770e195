"""Wilcoxon and sign test: intervals counted by hand, and what their answers say about themselves."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from rankproof.kernel.estimate import Estimate
from rankproof.proving.significance import sign, wilcoxon
from rankproof.proving.significance.contract import SignificanceRequest


def ask(module: object, d: list[float], **asked: object) -> Estimate:
    found = module.infer(np.array(d, dtype=np.float64), SignificanceRequest(**asked), np.random.default_rng(0))
    assert isinstance(found, Estimate)
    return found


def test_wilcoxon_ends_are_averages_of_two() -> None:
    """Seven differences without ties: 28 averages. P(W <= 2) = 3/128 = 0.0234 and P(W <= 3) = 5/128 = 0.039:
    with 0, 1 or 2 averages below it a value is rejected at 95%, so the ends are the third from each side.
    """
    d = [1.0, 2.5, 4.3, 5.1, 7.2, 8.9, 12.4]
    averages = sorted((a + b) / 2 for a, b in itertools.combinations_with_replacement(d, 2))
    found = ask(wilcoxon, d)
    assert (found.low, found.high) == pytest.approx((averages[2], averages[-3]), abs=1e-9)
    assert found.p_value == 2 / 128
    assert found.value == pytest.approx(np.mean(d))


def test_sign_ends_are_differences() -> None:
    """Eight differences: P(B <= 0) = 1/256 and P(B <= 1) = 9/256 = 0.035, so one side may have none: at 95%
    the ends are the least and the greatest. Against "greater" at 95% one may lie below.
    """
    d = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, -0.05]
    found = ask(sign, d)
    assert (found.low, found.high) == pytest.approx((-0.05, 0.7))
    assert found.p_value == 2 * 9 / 256
    one_sided = ask(sign, d, alternative="greater")
    assert (one_sided.low, one_sided.high, one_sided.p_value) == (pytest.approx(0.1), math.inf, 9 / 256)


@pytest.mark.parametrize("module", [sign, wilcoxon])
def test_zeros_are_left_out_and_counted(module: object) -> None:
    d = [0.0, 0.0, 0.3, 0.2, 0.5, 0.1, 0.4, 0.6, 0.7]
    with_zeros, without = ask(module, d), ask(module, d[2:])
    assert (with_zeros.low, with_zeros.high) == pytest.approx((without.low, without.high))
    assert with_zeros.p_value == without.p_value
    assert with_zeros.value == pytest.approx(2.8 / 9)  # the mean of all nine
    assert with_zeros.notes[-1] == "2 queries have no difference from 0 and are left out"
    assert "median" in with_zeros.notes[0]


def test_a_zero_by_rounding_is_a_zero() -> None:
    found = ask(sign, [0.3 - 0.1, 0.5, 0.6, 0.7], null=0.2)
    assert found.notes[-1] == "1 query has no difference from 0.2 and is left out"
    assert found.p_value == 2 / 8


def test_ties_of_both_signs_keep_p_value_and_interval_together() -> None:
    """Many differences of one size, on both sides of 0: the average 0 has a weight of its own."""
    rng = np.random.default_rng(2)
    for _ in range(200):
        d = rng.choice([-0.25, 0.25, 0.5, -0.5, 0.0], 40, p=[0.2, 0.3, 0.2, 0.1, 0.2])
        found = ask(wilcoxon, d.tolist())
        assert (found.low <= 0 <= found.high) == (found.p_value > 1 - 0.95)


@pytest.mark.parametrize("module", [sign, wilcoxon])
def test_few_queries_have_a_p_value_and_no_bound(module: object) -> None:
    found = ask(module, [0.1, 0.2, 0.3, 0.4, 0.5])
    assert (found.p_value, found.low, found.high) == (2 / 32, -math.inf, math.inf)
    assert found.notes[1] == "no bound at 95%: the 5 queries that differ are too few for it"


def test_many_queries_take_no_matrix_of_pairs() -> None:
    """Seven thousand queries have 24 million averages; the ends are found without them."""
    d = np.random.default_rng(0).normal(0.1, 1, 7_000)
    found = ask(wilcoxon, d.tolist())
    assert found.low < np.median((d[:-1] + d[1:]) / 2) < found.high
    # For normal differences the pseudomedian is the mean, and its interval nearly as short as Student's.
    assert found.high - found.low == pytest.approx(2 * 1.96 / math.sqrt(7_000) * math.sqrt(math.pi / 3), rel=0.03)
