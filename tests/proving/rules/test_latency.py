"""Percentiles and their bounds by order statistics, by hand and against the binomial distribution."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from rankproof.errors import UsageError
from rankproof.proving.percentile import nearest_rank, percentile, requests_needed
from rankproof.testing.ruling import case_of, rule_on


def test_the_nearest_rank_by_hand() -> None:
    """Of ten times the 90th percentile is the ninth, the 95th the tenth; of twenty the 95th is the nineteenth."""
    ten = np.arange(1.0, 11.0)
    assert [nearest_rank(ten, share) for share in (0.5, 0.9, 0.95, 0.01)] == [5.0, 9.0, 10.0, 1.0]
    assert nearest_rank(np.arange(1.0, 21.0), 0.95) == 19.0


def test_bounds_of_a_median_by_hand() -> None:
    """Of 5 times: P(B <= 0) = 1/32 = 0.031, P(B <= 3) = 26/32 = 0.81, P(B <= 4) = 31/32 = 0.97.

    So the smallest is a lower bound (0.031 <= 0.05, 6/32 is not) and the largest an upper one (0.97 >= 0.95).
    """
    seen = percentile(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), 0.5, 3.5, 0.95)
    assert (seen.value, seen.low, seen.high, seen.over) == (3.0, 1.0, 5.0, 2)
    assert seen.p_over == pytest.approx(26 / 32)  # at least 2 of 5 over, each with 1/2


def test_too_few_requests_have_no_bound() -> None:
    seen = percentile(np.array([1.0, 2.0, 3.0, 4.0]), 0.5, 3.5, 0.95)
    assert (seen.low, seen.high) == (-math.inf, math.inf)  # 1/16 = 0.0625 on either side


@pytest.mark.parametrize("n", [1, 20, 59, 500])
@pytest.mark.parametrize("share", [0.5, 0.95, 0.99])
def test_passing_and_failing_agree_with_the_binomial_test(n: int, share: float) -> None:
    """Upper bound within the budget: so few over it were unlikely (5%) if the share over it were as allowed."""
    times = np.arange(1.0, n + 1)
    for over in range(n + 1):
        seen = percentile(times, share, budget=n - over + 0.5, level=0.95)
        assert seen.over == over
        assert (seen.high <= n - over + 0.5) == (binom.cdf(over, n, 1 - share) <= 0.05 + 1e-12)
        assert (seen.low > n - over + 0.5) == (binom.sf(over - 1, n, 1 - share) <= 0.05 + 1e-12)


def test_the_bounds_hold_as_often_as_they_say() -> None:
    """The 90th percentile of exponential times is ln 10; each one-sided bound misses it in at most 5% of samples."""
    rng = np.random.default_rng(7)
    low = high = 0
    for _ in range(2000):
        seen = percentile(rng.exponential(size=120), 0.9, 1.0, 0.95)
        low += seen.low > math.log(10)
        high += seen.high < math.log(10)
    assert low / 2000 < 0.065
    assert high / 2000 < 0.065


def test_a_latency_rule_passes_fails_and_is_undecided() -> None:
    asked = {"rule": "latency", "percentile": 95, "budget_ms": 250}
    fast = rule_on(case_of(latencies=[100.0] * 100), **asked)
    assert (fast.status, fast.unit, fast.better) == ("PASS", "ms", "lower")
    slow = rule_on(case_of(latencies=[100.0] * 80 + [300.0] * 20), **asked)
    assert slow.status == "FAIL"
    assert slow.p_fail == pytest.approx(binom.sf(19, 100, 0.05))
    between = rule_on(case_of(latencies=[100.0] * 96 + [300.0] * 4), **asked)
    assert between.status == "UNDECIDED"
    assert "requests" in between.decides


def test_the_plain_percentile_on_request() -> None:
    asked = {"rule": "latency", "percentile": 95, "budget_ms": 250, "basis": "point"}
    ruling = rule_on(case_of(latencies=[100.0] * 19 + [300.0]), **asked)
    assert (ruling.status, ruling.p_fail, ruling.basis) == ("PASS", None, "point")
    assert 'basis = "point"' in ruling.reason
    assert rule_on(case_of(latencies=[100.0] * 18 + [300.0] * 2), **asked).status == "FAIL"


def test_how_many_requests_would_decide_it() -> None:
    """No request of 20 over the budget: 59 without one pass p95, since 0.95^59 < 0.05 < 0.95^58."""
    assert requests_needed(0, 20, 0.95, 0.95) == 59
    decides = rule_on(case_of(latencies=[1.0] * 20), "latency", percentile=95, budget_ms=2).decides
    assert decides == (
        "If 0.00% of all requests go over the budget, as seen, about 59 requests (39 more) make it pass."
    )
    assert requests_needed(5, 100, 0.95, 0.95) is None  # as many as may


def test_without_a_latency_file_there_is_nothing_to_judge() -> None:
    with pytest.raises(UsageError):
        rule_on(case_of(), "latency", percentile=95, budget_ms=250)
