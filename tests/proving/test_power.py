"""Power of the paired t test: against published tables, an independent integral, a simulation, and its own limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.proving.power import MOST_QUERIES, power_at, queries_needed, smallest_difference


@pytest.mark.parametrize(
    ("effect", "power", "alternative", "n"),
    [
        # Paired (one-sample) t test at 0.05: the numbers that G*Power and R's power.t.test(type="paired") give.
        (0.2, 0.8, "two-sided", 199),
        (0.5, 0.8, "two-sided", 34),
        (0.8, 0.8, "two-sided", 15),
        (0.2, 0.9, "two-sided", 265),
        (0.5, 0.9, "two-sided", 44),
        (0.2, 0.8, "greater", 156),
        (0.5, 0.8, "greater", 27),
        (0.8, 0.8, "greater", 12),
    ],
)
def test_queries_needed_of_published_tables(effect: float, power: float, alternative: str, n: int) -> None:
    assert queries_needed(1.0, effect, power=power, alternative=alternative) == n
    assert queries_needed(0.25, 0.25 * effect, power=power, alternative=alternative) == n


def integral(n: int, effect: float, level: float) -> float:
    """Two-sided power without a noncentral t: over all values s of the sample's sd, T is normal."""
    df = n - 1
    critical = stats.t.ppf((1 + level) / 2, df)

    def given(s: float) -> float:
        density = 2 * df * s * stats.chi2.pdf(df * s * s, df)
        shift = math.sqrt(n) * effect
        return density * (stats.norm.sf(critical * s - shift) + stats.norm.cdf(-critical * s - shift))

    return float(integrate.quad(given, 0, 1)[0] + integrate.quad(given, 1, 8)[0])


@pytest.mark.parametrize("n", [2, 3, 10, 50, 400])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_power_is_the_integral_over_the_standard_deviation(n: int, level: float) -> None:
    for shift in (0.0, 0.3, 1.0, 2.0, 3.0, 5.0):
        effect = shift / math.sqrt(n)
        assert float(power_at(1.0, n, effect, level=level)) == pytest.approx(integral(n, effect, level), abs=1e-8)


def test_power_is_what_simulated_normal_differences_give() -> None:
    """40,000 samples: the standard error is 0.25 points at most; three of them are allowed."""
    samples = np.random.default_rng(7).normal(0.1, 0.25, (40_000, 30))
    p = stats.ttest_1samp(samples, 0, axis=1).pvalue
    promised = float(power_at(0.25, 30, 0.1))
    assert np.mean(p < 0.05) == pytest.approx(promised, abs=3 * math.sqrt(promised * (1 - promised) / 40_000))


def test_power_at_no_difference_is_the_false_alarms() -> None:
    for alternative in ("two-sided", "greater", "less"):
        assert float(power_at(0.3, 40, 0.0, alternative=alternative)) == pytest.approx(0.05)


def test_one_side_does_not_see_the_other() -> None:
    assert float(power_at(0.2, 50, -0.1, alternative="greater")) < 0.001
    assert float(power_at(0.2, 50, -0.1, alternative="less")) == pytest.approx(
        float(power_at(0.2, 50, 0.1, alternative="greater"))
    )
    assert queries_needed(0.2, -0.1, alternative="greater") is None
    assert queries_needed(0.2, -0.1, alternative="less") == queries_needed(0.2, 0.1, alternative="greater")


@pytest.mark.parametrize("n", [2, 3, 4, 25, 1000, 10**6, MOST_QUERIES])
@pytest.mark.parametrize("power", [0.1, 0.5, 0.8, 0.99, 0.99999])
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_the_smallest_difference_has_just_that_power(n: int, power: float, alternative: str) -> None:
    found = smallest_difference(0.2, n, power=power, alternative=alternative)
    assert float(power_at(0.2, n, found, alternative=alternative)) == pytest.approx(power, abs=1e-7)
    assert float(power_at(0.2, n, found * 0.999, alternative=alternative)) < power


@pytest.mark.parametrize("effect", [0.01, 0.07, 0.3, 1.0, 3.0])
def test_the_queries_needed_are_the_fewest(effect: float) -> None:
    n = queries_needed(1.0, effect)
    assert n is not None
    assert float(power_at(1.0, n, effect)) >= 0.8
    assert n == 2 or float(power_at(1.0, n - 1, effect)) < 0.8


def test_power_never_falls_with_the_difference_or_the_queries() -> None:
    """scipy's series strays at isolated points and fails at some huge shifts: neither shows."""
    for n in (2, 3, 5, 50, 10**4, MOST_QUERIES):
        power = power_at(1.0, n, np.linspace(0, 60, 2001) / math.sqrt(n))
        assert np.isfinite(power).all()
        assert np.diff(power).min() > -1e-9
        assert power[-1] > 0.9999
    assert np.diff(power_at(1.0, np.arange(2, 3000), 0.05)).min() > 0
    assert float(power_at(1.0, 50, 1e6)) == 1.0


def test_no_number_of_queries() -> None:
    assert queries_needed(0.2, 0.0) is None
    assert queries_needed(1.0, 1e-5) is None  # 7.8 / 1e-10 queries: far beyond the limit
    assert queries_needed(1.0, 1e-4) == pytest.approx(7.849e8, rel=1e-3)  # (1.960 + 0.842)^2 / 1e-8


@pytest.mark.parametrize(
    ("arguments", "values"),
    [
        ({"sd": 0.0}, ["deviation", "0 came"]),
        ({"sd": math.nan}, ["deviation", "nan"]),
        ({"n": 1}, ["2", "1", "queries"]),
        ({"power": 0.05}, ["power", "0.95", "0.05 came"]),
        ({"power": 1.0}, ["power", "0.05", "1 came"]),
        ({"level": 95.0}, ["confidence", "0.95", "95"]),
        ({"alternative": "more"}, ["two-sided", "greater", "less", "'more'"]),
    ],
)
def test_what_cannot_be_planned_with(arguments: dict[str, object], values: list[str]) -> None:
    with raises(UsageError, *values):
        smallest_difference(**{"sd": 0.2, "n": 50, **arguments})
