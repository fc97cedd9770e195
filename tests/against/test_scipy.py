"""The significance and corrections shelves against scipy.stats: the same numbers, or as near as chance allows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from rankproof.kernel import shelf
from rankproof.kernel.estimate import Alternative, Estimate
from rankproof.proving.significance.contract import SignificanceRequest
from rankproof.testing.statistics import family

CLOSE = {"rel": 1e-9, "abs": 1e-12}
every_alternative = pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])


def ours(method: str, d: np.ndarray, seed: int = 0, **asked: object) -> Estimate:
    found = shelf.find("significance", method).infer(d, SignificanceRequest(**asked), np.random.default_rng(seed))
    assert isinstance(found, Estimate)
    return found


def scores(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two systems on n queries, with differences that are skewed."""
    chance = np.random.default_rng(seed)
    baseline = chance.beta(2, 3, n)
    return baseline, baseline + 0.3 * (chance.beta(1, 4, n) - 0.15)


@every_alternative
@pytest.mark.parametrize("n", [2, 5, 50, 6_980])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.9999])
def test_paired_t(n: int, level: float, alternative: Alternative) -> None:
    baseline, candidate = scores(n, n)
    d = candidate - baseline
    found = ours("t", d, level=level, alternative=alternative)
    theirs = stats.ttest_rel(candidate, baseline, alternative=alternative)
    assert found.p_value == pytest.approx(theirs.pvalue, **CLOSE)
    assert (found.low, found.high) == pytest.approx(tuple(theirs.confidence_interval(level)), **CLOSE)
    moved = ours("t", d, level=level, alternative=alternative, null=0.03)
    theirs = stats.ttest_1samp(d, 0.03, alternative=alternative)
    assert moved.p_value == pytest.approx(theirs.pvalue, **CLOSE)
    assert (moved.low, moved.high) == pytest.approx((found.low, found.high), **CLOSE)


def flipped(d: np.ndarray, alternative: Alternative, resamples: int, seed: int = 0) -> float:
    return stats.permutation_test(
        (d,), np.mean, permutation_type="samples", vectorized=True, n_resamples=resamples, batch=2_000,
        alternative=alternative, rng=np.random.default_rng(seed),
    ).pvalue  # fmt: skip


@every_alternative
@pytest.mark.parametrize("n", [2, 7, 11])
@pytest.mark.parametrize("grid", [False, True], ids=["any", "eighths"])
def test_all_sign_flips(n: int, grid: bool, alternative: Alternative) -> None:
    """Ties are many among eighths, and must count as in scipy."""
    baseline, candidate = scores(n + 20, n)
    d = np.round(40 * (candidate - baseline)) / 8 if grid else candidate - baseline
    found = ours("randomization", d, alternative=alternative, resamples=2**n)
    assert found.resamples is None
    assert found.p_value == pytest.approx(flipped(d, alternative, 2**n), **CLOSE)
    moved = ours("randomization", d, alternative=alternative, null=0.25, resamples=2**n)
    assert moved.p_value == pytest.approx(flipped(d - 0.25, alternative, 2**n), **CLOSE)


@every_alternative
@pytest.mark.parametrize("n", [20, 60])
def test_random_sign_flips_agree_within_five_standard_errors(n: int, alternative: Alternative) -> None:
    baseline, candidate = scores(n + 40, n)
    d = candidate - baseline - 0.01
    found = ours("randomization", d, alternative=alternative, resamples=50_000)
    theirs = flipped(d, alternative, 50_000)
    assert found.resamples == 50_000
    sides = 2 if alternative == "two-sided" else 1
    error = sides * math.sqrt(2 * (theirs / sides) * (1 - theirs / sides) / 50_000)
    assert found.p_value == pytest.approx(theirs, abs=5 * error)


@every_alternative
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_bca_has_the_same_ends_from_the_same_resamples(level: float, alternative: Alternative) -> None:
    """Sixty-fourths have exact sums, so that both see the same ties with the observed mean."""
    baseline, candidate = scores(3, 30)
    for d in (candidate - baseline, np.round(64 * (candidate - baseline)) / 64):
        d = np.append(d, [0.5, -0.25])
        found = ours("bca", d, seed=4, level=level, alternative=alternative, resamples=4_000)
        theirs = stats.bootstrap(
            (d,), np.mean, n_resamples=4_000, batch=700, confidence_level=level, alternative=alternative, method="BCa",
            rng=np.random.default_rng(4),
        ).confidence_interval  # fmt: skip
        assert (found.low, found.high) == pytest.approx(tuple(theirs), **CLOSE)


def test_bca_p_value_is_where_the_interval_of_scipy_touches_the_null() -> None:
    baseline, candidate = scores(8, 80)
    d = candidate - baseline
    p = ours("bca", d, seed=4, resamples=4_000).p_value
    touching = stats.bootstrap(
        (d,), np.mean, n_resamples=4_000, confidence_level=1 - p, method="BCa", rng=np.random.default_rng(4)
    ).confidence_interval
    assert 0.001 < p < 0.5
    assert min(abs(touching.low), abs(touching.high)) == pytest.approx(0, abs=1e-9)


@every_alternative
@pytest.mark.parametrize("n", [6, 13, 14, 50, 51, 300])
@pytest.mark.parametrize("kind", ["any", "ties", "ties and zeros"])
def test_wilcoxon(n: int, kind: str, alternative: Alternative) -> None:
    """Thirteen and fifty queries are the last that are gone through with and without ties or zeros."""
    baseline, candidate = scores(n + 60, n)
    d = candidate - baseline
    if kind != "any":
        d = np.round(20 * d) / 8 + (0.0625 if kind == "ties" else 0.0)
    found = ours("wilcoxon", d, alternative=alternative)
    assert found.p_value == pytest.approx(stats.wilcoxon(d, alternative=alternative).pvalue, **CLOSE)


@every_alternative
@pytest.mark.parametrize("n", [6, 50, 300])
def test_sign(n: int, alternative: Alternative) -> None:
    baseline, candidate = scores(n + 80, n)
    d = np.round(20 * (candidate - baseline)) / 8
    found = ours("sign", d, alternative=alternative)
    theirs = stats.binomtest(int((d > 0).sum()), int((d != 0).sum()), alternative=alternative)
    assert found.p_value == pytest.approx(theirs.pvalue, **CLOSE)


@pytest.mark.parametrize("count", [1, 2, 30])
def test_benjamini_hochberg(count: int) -> None:
    p_values = np.random.default_rng(count).beta(0.5, 4, count)
    adjusted = shelf.find("corrections", "bh").adjust(family(p_values.tolist()), np.random.default_rng(0))
    assert [one.p_value for one in adjusted] == pytest.approx(stats.false_discovery_control(p_values), **CLOSE)
