"""Estimates of trials: against scipy, against the formulas written out, and several variants together."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from tests.raising import raises

from rankproof.errors import InputError, UsageError
from rankproof.kernel.estimate import Alternative, Estimate, NotEstimable
from rankproof.online.trial.estimate import estimate, estimate_variants, non_inferiority
from rankproof.online.trial.moments import Moments, from_counts, merged, moments_of
from rankproof.online.trial.records import Metric
from rankproof.proving.records import Equivalence

PLAIN = Metric("clicks")
SUCCESS = Metric("success", "proportion")


def made(answer: object) -> Estimate:
    assert isinstance(answer, Estimate)
    return answer


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("seed", range(5))
def test_welch_is_scipys(seed: int, alternative: Alternative) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.gamma(2, 3, 40 + seed), rng.gamma(2, 3.5, 300)
    theirs = stats.ttest_ind(b, a, equal_var=False, alternative=alternative)
    interval = theirs.confidence_interval(0.95)
    days = merged(moments_of(day) for day in np.array_split(b, 7))
    found = made(estimate(moments_of(a), days, PLAIN, alternative=alternative))
    assert found.p_value == pytest.approx(theirs.pvalue, rel=1e-12)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=1e-12)
    by_stats = stats.ttest_ind_from_stats(
        b.mean(), b.std(ddof=1), len(b), a.mean(), a.std(ddof=1), len(a), equal_var=False, alternative=alternative
    )
    assert found.p_value == pytest.approx(by_stats.pvalue, rel=1e-12)


def test_the_confidence_sequence_is_its_equation_written_out() -> None:
    control, treatment = from_counts(480, 5_000), from_counts(560, 5_000)
    variance = control.covariance(0, 0) / 5_000 + treatment.covariance(0, 0) / 5_000
    t, alpha = 10_000, 0.05
    sigma = math.sqrt(variance * t)
    rho2 = (-2 * math.log(alpha) + math.log(-2 * math.log(alpha) + 1)) / 8_000
    margin = sigma * math.sqrt(2 * (t * rho2 + 1) / (t**2 * rho2) * math.log(math.sqrt(t * rho2 + 1) / alpha))
    found = made(estimate(control, treatment, SUCCESS, "sequence(units=8000)"))
    assert found.value == pytest.approx(0.016, rel=1e-12)
    assert (found.low, found.high) == pytest.approx((0.016 - margin, 0.016 + margin), rel=1e-12)
    # Twice the one-sided alpha is the two-sided one, nearly: the side that does not count is hardly ever reached.
    one = made(estimate(control, treatment, SUCCESS, "sequence(units=8000)", level=0.975, alternative="greater"))
    assert one.low == pytest.approx(found.low, abs=2e-4)


def test_the_mixture_ratio_is_the_integral_over_effects() -> None:
    """The closed form against adding up likelihood ratios over a fine grid of effects."""
    control, treatment = from_counts(480, 5_000), from_counts(560, 5_000)
    found = made(estimate(control, treatment, SUCCESS, "msprt(effect=0.01)"))
    one = made(estimate(control, treatment, SUCCESS, "msprt(effect=0.01)", alternative="greater"))
    variance = control.covariance(0, 0) / 5_000 + treatment.covariance(0, 0) / 5_000
    grid = np.linspace(-0.1, 0.1, 200_001)
    ratios = np.exp((grid * found.value - grid**2 / 2) / variance) * stats.norm.pdf(grid, scale=0.01)
    step = grid[1] - grid[0]
    assert 1 / found.p_value == pytest.approx(ratios.sum() * step, rel=1e-9)
    upper = (ratios[grid > 0].sum() + ratios[100_000] / 2) * 2 * step
    assert 1 / one.p_value == pytest.approx(upper, rel=1e-6)


def test_few_units_are_noted_by_methods_that_rest_on_many() -> None:
    few = moments_of([0, 1, 0, 1, 1])
    assert made(estimate(few, few, PLAIN, "sequence")).notes[0].startswith("fewer than 100 units")
    assert made(estimate(few, few, PLAIN)).notes == ()


def test_several_variants_hold_together() -> None:
    control = from_counts(1_000, 10_000)
    treatments = {"b": from_counts(1_110, 10_000), "c": from_counts(1_085, 10_000), "d": Moments()}
    found = estimate_variants(control, treatments, SUCCESS)
    b, c, d = found
    single_b, single_c = made(b.effect), made(c.effect)
    assert single_b.p_value < 0.025 < single_c.p_value
    # Holm over the two that could be made: twice the smaller, then the larger.
    assert b.adjusted is not None
    assert c.adjusted is not None
    assert b.adjusted.p_value == pytest.approx(2 * single_b.p_value)
    assert c.adjusted.p_value == pytest.approx(max(2 * single_b.p_value, single_c.p_value))
    assert b.adjusted.low < single_b.low
    assert (b.direction, d.direction, d.adjusted) == ("better", "not shown", None)
    assert isinstance(d.effect, NotEstimable)
    (alone,) = estimate_variants(control, {"b": treatments["b"]}, Metric("failure", better="lower"))
    assert (alone.direction, alone.adjusted) == ("worse", None)
    with raises(UsageError, "tukey", "holm"):
        estimate_variants(control, treatments, SUCCESS, correction="tukey")


@pytest.mark.parametrize(("better", "margin", "holds"), [("higher", 0.02, True), ("higher", 0.005, False)])
def test_non_inferiority_is_the_one_sided_test_at_the_margin(better: str, margin: float, holds: bool) -> None:
    # 10% against 9.8% of 10,000: standard error 0.0042, so that the lower end of 95% is -0.002 - 0.0069.
    control, treatment = from_counts(1_000, 10_000), from_counts(980, 10_000)
    found = non_inferiority(control, treatment, SUCCESS, margin)
    assert isinstance(found, Equivalence)
    assert found.holds == holds == (found.low > -margin)
    assert found.low == pytest.approx(-0.0089, abs=1e-4)
    mirrored = non_inferiority(treatment, control, Metric("failure", "proportion", "lower"), margin)
    assert isinstance(mirrored, Equivalence)
    assert (mirrored.holds, mirrored.high) == (holds, pytest.approx(0.0089, abs=1e-4))


def test_wrong_requests_are_told() -> None:
    some = moments_of([1, 2, 3])
    with raises(UsageError, "confidence", "95"):
        estimate(some, some, PLAIN, level=95)
    with raises(InputError, "success", "proportion", "mean"):
        estimate(some, some, SUCCESS)
    with raises(InputError, "clicks", "mean", "ratio", "denominators"):
        estimate(some, moments_of([1, 2], [2, 2]), PLAIN)
    with raises(UsageError, "stratum"):
        estimate(some, {"a": some}, PLAIN)
    with raises(UsageError, "margin", "got 0"):
        non_inferiority(some, some, PLAIN, 0)
    with raises(UsageError, "msprt", "effect"):
        estimate(some, some, PLAIN, "msprt")
    assert isinstance(non_inferiority(some, Moments(), PLAIN, 1), NotEstimable)
    strata = {"a": some, "b": moments_of([4, 6])}
    assert made(estimate(strata, strata, PLAIN)).value == 0
