"""The difference estimator on a few numbers, worked through by hand."""

from __future__ import annotations

import numpy as np
import pytest

from rankproof.judging.correction.frame import total


def test_right_whatever_the_model_says() -> None:
    """Over all samples of a tiny frame the mean of the plain estimate is the sum; here, one that can be followed.

    A frame of 20, of which every second was drawn (p = 1/2), all with influence 1, people's gain 1 in 4 of the 10: the
    auxiliary is constant, so the estimate is 20 x 4 / 10 = 8.
    """
    z = np.array([1.0] * 4 + [0.0] * 6)
    found = total(z, np.ones((10, 1)), np.array([20.0]), np.full(10, 0.5))
    assert found is not None
    assert found.value == pytest.approx(8.0)
    # Residuals 0.6 (4) and -0.4 (6), expanded by 2. The column of ones and the auxiliary are the same, so each leverage
    # is 1/10: 0.6 / 0.9 and 0.4 / 0.9. Variance 9/10 x 1/2 x 4 x (4 x 0.36 + 6 x 0.16) / 0.81 = 5.3333, which is
    # 20^2 x (1 - 1/2) / 10 x s^2 with s^2 = 0.2667 = 2.4 / 9.
    assert found.error**2 == pytest.approx(20**2 * 0.5 / 10 * 2.4 / 9)


def test_a_model_that_is_always_right_leaves_no_doubt() -> None:
    gains = np.array([0.0, 1.0, 2.0, 3.0] * 5)
    weights = np.linspace(1.0, 2.0, 20)
    x = np.column_stack([weights, weights * gains])
    found = total(weights * gains, x, np.array([60.0, 100.0]), np.full(20, 0.25))
    assert found is not None
    assert found.value == pytest.approx(100.0)
    assert found.weight == pytest.approx(1.0)
    assert found.error == pytest.approx(0.0, abs=1e-9)


def test_a_model_on_another_scale_is_as_good() -> None:
    """Twice the gain and one more: the weight is a half, and the constant is taken up by the influence."""
    gains = np.array([0.0, 1.0, 2.0, 3.0] * 5)
    weights = np.linspace(1.0, 2.0, 20)
    x = np.column_stack([weights, weights * (2 * gains + 1)])
    found = total(weights * gains, x, np.array([60.0, 260.0]), np.full(20, 0.25))
    assert found is not None
    assert found.weight == pytest.approx(0.5)
    assert found.value == pytest.approx(0.5 * 260 - 0.5 * 60)


def test_everything_judged_is_no_estimate() -> None:
    found = total(np.array([0.5, 0.25]), np.ones((2, 1)), np.array([2.0]), np.ones(2))
    assert found is not None
    assert (found.value, found.error) == (0.75, 0.0)


def test_too_few_pairs_say_nothing() -> None:
    x = np.zeros((50, 1))
    x[:6] = 1.0  # 6 with influence, less 2 coefficients: 4 degrees of freedom
    assert total(np.zeros(50), x, np.array([100.0]), np.full(50, 0.1)) is None


def test_unequal_probabilities_by_hand() -> None:
    """Without auxiliaries to speak of, the estimate is that of Horvitz and Thompson: the sum of z / p."""
    p = np.array([0.9, 0.5, 0.5, 0.3, 0.3, 0.25, 0.25, 0.2])
    z = 10 * p + np.array([0.1, -0.1, 0.1, -0.1, 0.1, -0.1, 0.1, -0.1]) * p
    # A constant influence over p is taken up; the ones take up z / p = 10: the sum is 8 x 10 whatever the total of x.
    found = total(z, np.column_stack([p]), np.array([8.0]), p)
    assert found is not None
    assert found.value == pytest.approx(80.0, abs=0.5)


@pytest.mark.parametrize("seed", range(3))
def test_over_many_draws_it_is_right(seed: int) -> None:
    """A useless model and unequal probabilities: no bias beyond three standard errors of the simulation."""
    from rankproof.judging.correction.plan import draw, probabilities

    rng = np.random.default_rng(seed)
    weights = rng.random(300)
    gains = rng.integers(0, 4, 300).astype(float)
    x = np.column_stack([weights, weights * rng.integers(0, 4, 300)])
    p = probabilities(weights, 80)
    errors = []
    for _ in range(400):
        rows = np.flatnonzero(draw(p, rng))
        found = total((weights * gains)[rows], x[rows], x.sum(axis=0), p[rows])
        assert found is not None
        errors.append(found.value - weights @ gains)
    assert abs(np.mean(errors)) < 3 * np.std(errors) / 20
