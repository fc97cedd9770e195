"""The difference estimator and its intervals on a few numbers, worked through by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankproof.judging.correction.totals import PartialSum, Total, Units, total


def units(
    z: list[float] | np.ndarray,
    x: np.ndarray,
    p: float | np.ndarray,
    *,
    rows: np.ndarray | None = None,
    clusters: bool = False,
    signs: np.ndarray | None = None,
    queries: int = 10,
) -> Units:
    """Units whose first auxiliary is also the most that each is worth; the first ones are sampled unless said."""
    frame = len(x)
    most = np.abs(x[:, 0])
    signs = np.ones(frame) if signs is None else signs
    return Units(
        np.arange(len(z)) if rows is None else rows, np.asarray(z, dtype=float), x, np.broadcast_to(p, frame).copy(),
        np.where(signs < 0, -most, 0.0), np.where(signs > 0, most, 0.0), np.arange(frame) % queries, queries, clusters,
    )  # fmt: skip


def of(these: Units) -> Total:
    found = total(these)
    assert found is not None
    return found


def test_right_whatever_the_model_says() -> None:
    """A frame of 20, of which every second was drawn (p = 1/2), all with influence 1, people's gain 1 in 4 of the 10:
    the auxiliary is constant, so the estimate is 20 x 4 / 10 = 8."""
    found = of(units([1.0] * 4 + [0.0] * 6, np.ones((20, 1)), 0.5))
    assert found.value == pytest.approx(8.0)
    # Residuals 0.6 (4) and -0.4 (6), expanded by 2. The column of ones and the auxiliary are the same, so each leverage
    # is 1/10: 0.6 / 0.9 and 0.4 / 0.9. Variance 9/10 x 1/2 x 4 x (4 x 0.36 + 6 x 0.16) / 0.81 = 5.3333, which is
    # 20^2 x (1 - 1/2) / 10 x s^2 with s^2 = 0.2667 = 2.4 / 9.
    assert found.error**2 == pytest.approx(20**2 * 0.5 / 10 * 2.4 / 9)
    assert found.freedom == 9  # one coefficient, though two columns


def test_a_model_that_is_always_right_leaves_no_doubt() -> None:
    gains = np.tile([0.0, 1.0, 2.0, 3.0], 20)
    weights = np.linspace(1.0, 2.0, 80)
    x = np.column_stack([weights, weights * gains])
    found = of(units((weights * gains)[:20], x, 0.25))
    assert found.value == pytest.approx(float(weights @ gains))
    assert found.weight == pytest.approx(1.0)
    assert found.error == pytest.approx(0.0, abs=1e-9)


def test_a_model_on_another_scale_is_as_good() -> None:
    """Twice the gain and one more: the weight is a half, and the constant is taken up by the influence."""
    gains = np.tile([0.0, 1.0, 2.0, 3.0], 20)
    weights = np.linspace(1.0, 2.0, 80)
    found = of(units((weights * gains)[:20], np.column_stack([weights, weights * (2 * gains + 1)]), 0.25))
    assert found.weight == pytest.approx(0.5)
    assert found.value == pytest.approx(float(weights @ gains))


def test_everything_judged_is_no_estimate() -> None:
    found = of(units([0.5, 0.25], np.ones((2, 1)), 1.0))
    assert (found.value, found.error) == (0.75, 0.0)
    assert found.interval(0.95) == (0.75, 0.75)


def test_too_few_pairs_say_nothing() -> None:
    x = np.zeros((500, 1))
    x[:6] = 1.0  # 6 with influence, less 2 coefficients: 4 degrees of freedom
    assert total(units([0.0] * 50, x, 0.1)) is None


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
        errors.append(of(units((weights * gains)[rows], x, p, rows=rows)).value - weights @ gains)
    assert abs(np.mean(errors)) < 3 * np.std(errors) / 20


# ---- intervals that know the range ---------------------------------------------------------------------------------


def test_a_sample_without_a_miss_leaves_what_it_can_miss() -> None:
    """40 of 200 units, all relevant: the effective number is 40 / (1 - 0.2) = 50, and Wilson's lower end of 1 is
    50 / (50 + t^2); the interval of the spread alone was one point."""
    found = of(units([0.005] * 40, np.full((200, 1), 0.005), 0.2))
    assert found.error == pytest.approx(0.0, abs=1e-12)
    t = 2.0226909  # of 39 degrees of freedom
    low, high = found.interval(0.95)
    assert high == pytest.approx(1.0)
    assert low == pytest.approx(50 / (50 + t**2), abs=1e-6)


def test_in_the_middle_of_its_range_the_interval_is_students() -> None:
    rng = np.random.default_rng(0)
    z = rng.random(2000) / 10_000
    found = of(units(z, np.full((10_000, 1), 1 / 10_000), 0.2))
    low, high = found.interval(0.95)
    assert high - low == pytest.approx(2 * 1.9611 * found.error, rel=0.01)
    assert (low + high) / 2 == pytest.approx(found.value, abs=found.error / 20)


def test_an_interval_keeps_to_the_range_of_its_sum() -> None:
    part = PartialSum(value=0.99, variance=0.01, least=0.0, most=1.0, size=30, events=1, prior=2.0)
    low, high = part.ends(2.0)
    assert 0 < low < 0.99 < high <= 1.0
    outside = PartialSum(value=1.05, variance=0.01, least=0.0, most=1.0, size=30, events=1, prior=2.0)
    assert outside.ends(2.0)[1] <= 1.0


def test_a_sum_that_no_unit_was_drawn_for_can_be_anything() -> None:
    assert PartialSum(0.4, 0.0, 0.0, 1.0, 0.0, 0, 2.0).ends(2.0) == (0.0, 1.0)


def test_the_ends_of_a_difference_come_from_both_of_its_sums() -> None:
    """Newcombe: the lower end is below by the root of both distances squared."""
    rng = np.random.default_rng(1)
    signs = np.repeat([1.0, -1.0], 100)
    x = (signs / 100)[:, None]
    rows = rng.permutation(200)[:60]
    z = np.where(rng.random(60) < 0.9, 1.0, 0.0) * x[rows, 0]
    found = of(units(z, x, 0.3, rows=rows, signs=signs))
    assert len(found.parts) == 2
    t = 2.0 + 1e-2 * 0.1758  # of 58 degrees of freedom: 2.0017
    plus, minus = found.parts
    below = math.hypot(plus.value - plus.ends(t)[0], minus.value - minus.ends(t)[0])
    assert found.interval(0.95)[0] == pytest.approx(found.value - below, abs=1e-4)
    assert found.error**2 == pytest.approx(plus.variance + minus.variance)


def test_queries_that_differ_widen_the_interval_over_queries() -> None:
    """Ten queries of 40 units; all relevant in five of them, none in the other five, and half of the units drawn."""
    query = np.repeat(np.arange(10), 40)
    x = np.full((400, 1), 1 / 400)
    rows = np.arange(0, 400, 2)
    z = (query[rows] < 5) / 400
    these = units(z, x, 0.5, rows=rows)
    clustered = Units(these.rows, these.z, these.x, these.p, these.least, these.most, query, 10)
    found = of(clustered)
    # By query 0.1 or 0: the estimated standard error of the sum of ten is the root of 10 x 0.1^2 x 0.25 x 10/9 / ...
    assert found.error_queries == pytest.approx(math.sqrt(10 * 10 / 9 * 0.05**2), rel=0.05)
    assert found.error_queries > 2 * found.error
    low, high = found.interval_queries(0.95) or (0.0, 0.0)
    assert low < found.interval(0.95)[0]
    assert high > found.interval(0.95)[1]


def test_whole_queries_add_their_own_spread() -> None:
    """8 of 40 queries: variance (1 - 8/40) s^2 / 8 given the queries, and s^2 / 40 more over queries."""
    values = np.array([0.2, 0.4, 0.6, 0.8, 0.3, 0.5, 0.7, 0.5]) / 40
    found = of(units(values, np.full((40, 1), 1 / 40), 0.2, clusters=True, queries=40))
    spread = float((values * 40).var(ddof=1))
    assert found.error**2 == pytest.approx(0.8 * spread / 8)
    assert found.error_queries**2 == pytest.approx(0.8 * spread / 8 + spread / 40)
    assert found.freedom_queries == 7
