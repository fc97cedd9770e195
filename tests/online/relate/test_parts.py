"""Signs, lines, enough, noise and contests: small tables, by hand where that can be done."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from rankproof.kernel.estimate import Estimate, NotEstimable
from rankproof.online.relate.contest import corrected, difference, ranked
from rankproof.online.relate.correlate import enough, foretold, line, signs
from rankproof.online.relate.records import OnlineOutcomes

X = np.array([0.01, -0.02, 0.03, 0.0, 0.02, 0.05, -0.01, 0.04])
Y = np.array([0.5, -0.4, 0.9, 0.1, 0.2, 1.3, 0.3, -0.1])
NOTHING = np.zeros(8)


def test_signs_by_hand() -> None:
    """Agree: 1, 2, 3, 5, 6. Disagree: 7, 8. The fourth has none. 5 of 7, p = 2 (1 + 7 + 21) / 2^7 = 0.453125."""
    found = signs(X, Y, 0.95)
    assert (found.agree, found.disagree, found.unsigned) == (5, 2, 1)
    assert isinstance(found.share, Estimate)
    assert (found.share.value, found.share.p_value) == (pytest.approx(5 / 7), pytest.approx(0.453125))
    assert isinstance(signs(NOTHING, Y, 0.95).share, NotEstimable)


def test_what_gains_offline_turned_out_to_be() -> None:
    shown = [True, True, False, True, True, True, True, True]
    # Better offline: 1, 3, 5, 6, 8, of which 3 was not shown and 8 was shown to be worse.
    assert foretold(X, Y, shown) == OnlineOutcomes(better=3, worse=1, neither=1)


def test_a_line_is_that_of_least_squares() -> None:
    answer, found = line(X, Y, 0.95)
    plain = stats.linregress(X, Y)
    assert isinstance(answer, Estimate)
    assert found is not None
    assert (answer.value, found.intercept) == (pytest.approx(plain.slope), pytest.approx(plain.intercept))
    # HC3, written out: the inverse of X'X around X' diag(e^2 / (1 - h)^2) X.
    design = np.stack([np.ones(8), X], axis=1)
    inverse = np.linalg.inv(design.T @ design)
    left = Y - design @ np.array([plain.intercept, plain.slope])
    leverage = np.einsum("ij,jk,ik->i", design, inverse, design)
    variance = (inverse @ design.T @ np.diag((left / (1 - leverage)) ** 2) @ design @ inverse)[1, 1]
    assert answer.high - answer.value == pytest.approx(stats.t.ppf(0.975, 6) * math.sqrt(variance))


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        (X[:3], Y[:3], "3 changes are too few"),
        (NOTHING, Y, "all the same"),
        (X, 2 * X, "all changes lie on one line"),
        (np.array([0.0, 0.0, 0.0, 1.0]), np.array([1.0, 2.0, 3.0, 4.0]), "one change alone"),
    ],
)
def test_no_line(x: np.ndarray, y: np.ndarray, words: str) -> None:
    answer, found = line(x, y, 0.95)
    assert isinstance(answer, NotEstimable)
    assert words in answer.reason
    assert found is None


def test_enough_is_where_the_chance_of_a_shown_gain_is_reached() -> None:
    x = np.linspace(-0.02, 0.06, 17)
    y = 10 * x + 0.05 * np.resize([1, -1, 0.5, -0.5], 17)
    slope, found = line(x, y, 0.95)
    answer = enough(x, slope, found, 0.05, 0.95, 0.8)
    assert found is not None
    assert answer.difference is not None
    limit = 1.959964 * 0.05
    assert found.chance_above(answer.difference, limit) >= 0.8 > found.chance_above(answer.difference - 0.0005, limit)
    assert enough(x, slope, found, 5.0, 0.95, 0.8).reason == "it lies beyond the differences that were seen"
    assert "no standard errors" in enough(x, slope, found, None, 0.95, 0.8).reason
    flat, other = line(X, Y[::-1].copy(), 0.95)
    assert enough(X, flat, other, 0.05, 0.95, 0.8).reason == "no slope above 0 is shown"


def test_without_noise_the_correlation_is_pearsons() -> None:
    found = corrected(X, NOTHING, Y, NOTHING, 0.95)
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(stats.pearsonr(X, Y).statistic, abs=1e-3)
    # The likelihood ratio of a correlation r against 0 is (1 - r^2)^(-n / 2).
    ratio = -8 * math.log(1 - found.value**2)
    assert found.p_value == pytest.approx(2 * stats.t.sf(math.sqrt(ratio), 6), rel=1e-2)


def test_noise_takes_a_correlation_down_and_the_correction_brings_it_back() -> None:
    """500 changes: true correlation 0.8; half of what is measured offline is noise, and a fifth online.

    Spearman's attenuation: 0.8 x sqrt(0.5 x 0.8) = 0.506.
    """
    rng = np.random.default_rng(3)
    true = rng.normal(size=500)
    x = true + rng.normal(size=500)
    y = 0.8 * true + 0.6 * rng.normal(size=500) + 0.5 * rng.normal(size=500)
    assert stats.pearsonr(x, y).statistic == pytest.approx(0.506, abs=0.1)
    found = corrected(x, np.ones(500), y, np.full(500, 0.5), 0.95)
    assert isinstance(found, Estimate)
    assert found.low < 0.8 < found.high
    assert found.value == pytest.approx(0.8, abs=0.12)


def test_noise_that_explains_everything_leaves_nothing_to_tell() -> None:
    found = corrected(X, np.full(8, 0.05), Y, NOTHING, 0.95)
    assert isinstance(found, NotEstimable)
    assert found.reason == "the offline differences vary no more than their standard errors explain"
    assert isinstance(corrected(X[:4], NOTHING[:4], Y[:4], NOTHING[:4], 0.95), NotEstimable)


def test_a_contest_by_zous_own_steps() -> None:
    """r1 = corr(a, y), r2 = corr(b, y), r12 = corr(a, b), put together as the paper does."""
    rng = np.random.default_rng(1)
    y = rng.normal(size=30)
    a, b = y + 0.5 * rng.normal(size=30), y + 2 * rng.normal(size=30)
    one, two, both = (stats.pearsonr(*pair).statistic for pair in ((a, y), (b, y), (a, b)))
    l1, u1 = stats.pearsonr(a, y).confidence_interval(0.95)
    l2, u2 = stats.pearsonr(b, y).confidence_interval(0.95)
    c = (both - one * two / 2) * (1 - one**2 - two**2 - both**2) + both**3
    c /= (1 - one**2) * (1 - two**2)
    low = one - two - math.sqrt((one - l1) ** 2 + (u2 - two) ** 2 - 2 * c * (one - l1) * (u2 - two))
    high = one - two + math.sqrt((u1 - one) ** 2 + (two - l2) ** 2 - 2 * c * (u1 - one) * (two - l2))
    found = difference(a, b, y, "pearson", 0.95)
    assert isinstance(found, Estimate)
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    assert (found.p_value <= 0.05) == (low > 0 or high < 0)
    at_p = difference(a, b, y, "pearson", 1 - found.p_value)
    assert isinstance(at_p, Estimate)
    assert at_p.low == pytest.approx(0, abs=1e-9)


def test_the_best_measure_is_named_only_as_far_as_it_is_shown() -> None:
    rng = np.random.default_rng(1)
    names = [f"c{i}" for i in range(30)]
    y = rng.normal(size=30)
    sides = {
        "good": y + 0.3 * rng.normal(size=30),
        "also": y + 0.35 * rng.normal(size=30),
        "poor": rng.normal(size=30),
    }
    values = {name: dict(zip(names, side.tolist(), strict=True)) for name, side in sides.items()}
    found = ranked("success", list(values), values, dict(zip(names, y.tolist(), strict=True)), "spearman", 0.95)
    assert found.best in ("good", "also")
    assert found.beaten == ("poor",)
    assert len(found.contests) == 3
    assert all(contest.adjusted is not None for contest in found.contests)
    assert "is shown to tell more than poor, not more than the others" in found.sentence
    two = ranked("success", ["good", "also"], values, dict(zip(names, y.tolist(), strict=True)), "pearson", 0.95)
    assert "no measure is shown to tell more than another" in two.sentence
    assert two.contests[0].adjusted is None


def test_contests_that_cannot_be_held() -> None:
    same = difference(X, 2 * X, Y, "pearson", 0.95)
    assert isinstance(same, NotEstimable)
    assert same.reason == "the two measures say the same of every change"
    assert "too few" in difference(X[:4], Y[:4], Y[:4], "pearson", 0.95).reason
    assert "does not vary" in difference(NOTHING, X, Y, "spearman", 0.95).reason
