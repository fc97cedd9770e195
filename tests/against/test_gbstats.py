"""Effects of trials against gbstats 0.8, GrowthBook's statistics: Welch, ratios, CUPED, sequential.

Where the two differ on purpose: gbstats divides the variance of a proportion by n, not n - 1; it takes the degrees of
freedom of a relative effect from the absolute one; and a relative effect with CUPED is a share of the control without
adjustment there, with it here. Those are not compared.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rankproof.kernel.estimate import Estimate
from rankproof.online.trial.estimate import estimate
from rankproof.online.trial.moments import Moments, moments_of
from rankproof.online.trial.records import Metric, Scale

tests = pytest.importorskip("gbstats.frequentist.tests", reason="gbstats is not installed")
statistics = pytest.importorskip("gbstats.models.statistics", reason="gbstats is not installed")

TOLERANCE = 1e-6
Column = NDArray[np.float64]


def mean_statistic(y: Column) -> Any:
    return statistics.SampleMeanStatistic(n=len(y), sum=float(y.sum()), sum_squares=float((y * y).sum()))


def arm(seed: int, shift: float, n: int) -> tuple[Column, Column, Column]:
    """Clicks, searches and a covariate of users: skewed, correlated, of different sizes."""
    rng = np.random.default_rng(seed)
    searches = 1.0 + rng.poisson(3, n)
    before = rng.gamma(2, 1, n)
    clicks = rng.poisson((0.4 + shift) * searches) + np.round(before)
    return clicks.astype(np.float64), searches, before


@pytest.fixture(params=[(0, 0.0, 400), (1, 0.1, 2_000), (2, -0.05, 30_000)], ids=["null", "gain", "loss"])
def arms(request: pytest.FixtureRequest) -> tuple[tuple[Column, Column, Column], tuple[Column, Column, Column]]:
    seed, shift, n = request.param
    return arm(seed, 0.0, n), arm(seed + 100, shift, n + 17)


def ours(a: Moments, b: Moments, metric: Metric, method: str, scale: Scale = "absolute") -> Estimate:
    answer = estimate(a, b, metric, method, scale=scale)
    assert isinstance(answer, Estimate)
    return answer


def theirs(a: Any, b: Any, sequential: int | None, scale: str = "absolute") -> Any:
    if sequential is None:
        return tests.TwoSidedTTest(a, b, tests.FrequentistConfig(difference_type=scale)).compute_result()
    asked = tests.SequentialConfig(difference_type=scale, sequential_tuning_parameter=sequential)
    return tests.SequentialTwoSidedTTest(a, b, asked).compute_result()


def same(mine: Estimate, other: Any) -> None:
    found = [mine.value, mine.low, mine.high, mine.p_value]
    assert other.error_message is None
    assert found == pytest.approx([other.expected, *other.ci, other.p_value], rel=TOLERANCE, abs=TOLERANCE)


@pytest.mark.parametrize(("method", "units"), [("welch", None), ("sequence(units=5000)", 5000)])
def test_means(arms: Any, method: str, units: int | None) -> None:
    (a, _, _), (b, _, _) = arms
    mine = ours(moments_of(a), moments_of(b), Metric("clicks"), method)
    same(mine, theirs(mean_statistic(a), mean_statistic(b), units))


def test_relative_means_at_all_times(arms: Any) -> None:
    (a, _, _), (b, _, _) = arms
    mine = ours(moments_of(a), moments_of(b), Metric("clicks"), "sequence(units=700)", "relative")
    same(mine, theirs(mean_statistic(a), mean_statistic(b), 700, "relative"))


@pytest.mark.parametrize(("method", "units"), [("welch", None), ("sequence(units=5000)", 5000)])
def test_ratios(arms: Any, method: str, units: int | None) -> None:
    def ratio(y: Column, d: Column) -> Any:
        return statistics.RatioStatistic(
            n=len(y),
            m_statistic=mean_statistic(y),
            d_statistic=mean_statistic(d),
            m_d_sum_of_products=float((y * d).sum()),
        )

    (a, below_a, _), (b, below_b, _) = arms
    metric = Metric("clicks per search", "ratio")
    mine = ours(moments_of(a, below_a), moments_of(b, below_b), metric, method)
    same(mine, theirs(ratio(a, below_a), ratio(b, below_b), units))


@pytest.mark.parametrize(("method", "units"), [("welch", None), ("sequence(units=5000)", 5000)])
def test_cuped(arms: Any, method: str, units: int | None) -> None:
    def adjusted(y: Column, x: Column, theta: float) -> Any:
        return statistics.RegressionAdjustedStatistic(
            n=len(y),
            post_statistic=mean_statistic(y),
            pre_statistic=mean_statistic(x),
            post_pre_sum_of_products=float((x * y).sum()),
            theta=theta,
        )

    (a, _, before_a), (b, _, before_b) = arms
    theta = statistics.compute_theta(adjusted(a, before_a, 0.0), adjusted(b, before_b, 0.0))
    metric = Metric("clicks", covariate="before")
    mine = ours(moments_of(a, None, before_a), moments_of(b, None, before_b), metric, method)
    same(mine, theirs(adjusted(a, before_a, theta), adjusted(b, before_b, theta), units))
