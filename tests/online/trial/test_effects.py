"""Effects: against units treated one by one, as the definitions say."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.online.trial.effects import effect_of, stratified_effect, variance_kept
from rankproof.online.trial.moments import Moments, from_counts, moments_of
from rankproof.online.trial.records import Metric

PLAIN = Metric("clicks")
RATIO = Metric("clicks per search", "ratio")
TIGHT = 1e-12


def units(n: int, seed: int, lift: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Clicks, searches and clicks before the trial of n users."""
    rng = np.random.default_rng(seed)
    before = rng.gamma(2.0, 1.5, n)
    searches = rng.poisson(2 + before) + 1.0
    return rng.poisson(before * 0.5 + lift, n) + 0.2 * searches, searches, before


def test_means_by_hand() -> None:
    # Variances 5/3 and 14/3 over 4 units each.
    effect = effect_of(moments_of([1, 2, 3, 4]), moments_of([3, 4, 5, 8]), PLAIN)
    assert (effect.value, effect.n) == (2.5, 8)
    assert [part.variance for part in effect.parts] == pytest.approx([5 / 12, 14 / 12], rel=TIGHT)


def test_a_relative_effect_by_hand() -> None:
    # 5 / 2.5 - 1 = 1; d(t/c) = dt/c - t dc/c^2: (14/12) / 6.25 and (5/12) x 25 / 39.0625.
    effect = effect_of(moments_of([1, 2, 3, 4]), moments_of([3, 4, 5, 8]), PLAIN, "relative")
    assert effect.value == pytest.approx(1.0, rel=TIGHT)
    assert [p.variance for p in effect.parts] == pytest.approx([5 / 12 * 25 / 39.0625, 14 / 12 / 6.25], rel=TIGHT)


def test_a_proportion_by_hand() -> None:
    # 0.2 (1 - 0.2) x 10/9 / 10 = 0.16 / 9 and 0.24 / 9.
    effect = effect_of(from_counts(2, 10), from_counts(4, 10), Metric("success", "proportion"))
    assert effect.value == pytest.approx(0.2, rel=TIGHT)
    assert [part.variance for part in effect.parts] == pytest.approx([0.16 / 9, 0.24 / 9], rel=TIGHT)


def test_a_ratio_is_linearized_unit_by_unit() -> None:
    arms = [units(200, 1), units(300, 2, 0.3)]
    ratios = [y.sum() / d.sum() for y, d, _ in arms]
    parts = [
        ((y - ratio * d) / d.mean()).var(ddof=1) / len(y) for (y, d, _), ratio in zip(arms, ratios, strict=True)
    ]  # fmt: skip
    control, treatment = (moments_of(y, d) for y, d, _ in arms)
    effect = effect_of(control, treatment, RATIO)
    assert effect.value == pytest.approx(ratios[1] - ratios[0], rel=TIGHT)
    assert [part.variance for part in effect.parts] == pytest.approx(parts, rel=TIGHT)


def test_the_delta_method_agrees_with_the_jackknife() -> None:
    """Leaving out one user at a time knows nothing of the formula; both are the same to first order in 1 / n."""
    y, d, _ = units(4_000, 5)
    without = (y.sum() - y) / (d.sum() - d)
    jackknife = (len(y) - 1) / len(y) * ((without - without.mean()) ** 2).sum()
    half = effect_of(moments_of(y, d), moments_of(y, d), RATIO).parts[0].variance
    assert half == pytest.approx(jackknife, rel=2e-3)


@pytest.mark.parametrize("metric", [Metric("clicks", covariate="before"), Metric("c/s", "ratio", covariate="before")])
def test_cuped_is_the_plain_effect_of_adjusted_units(metric: Metric) -> None:
    arms = [units(200, 3), units(300, 4, 0.3)]
    ones = metric.kind == "mean"
    y, d, x = (np.concatenate([arm[i] for arm in arms]) for i in range(3))
    d = np.ones_like(d) if ones else d
    z = (y - y.sum() / d.sum() * d) / d.mean()
    theta = np.cov(z, x)[0, 1] / x.var(ddof=1)
    values, variances = [], []
    for y_arm, d_arm, x_arm in arms:
        d_arm = np.ones_like(d_arm) if ones else d_arm
        ratio = y_arm.sum() / d_arm.sum()
        adjusted = (y_arm - ratio * d_arm) / d_arm.mean() - theta * (x_arm - x.mean())
        values.append(ratio + adjusted.mean())
        variances.append(adjusted.var(ddof=1) / len(y_arm))
    made = [moments_of(y_arm, None if ones else d_arm, x_arm) for y_arm, d_arm, x_arm in arms]
    effect = effect_of(*made, metric)
    assert effect.value == pytest.approx(values[1] - values[0], rel=1e-11)
    assert [part.variance for part in effect.parts] == pytest.approx(variances, rel=1e-11)
    relative = effect_of(*made, metric, "relative")
    assert relative.value == pytest.approx(values[1] / values[0] - 1, rel=1e-11)


def test_what_a_covariate_leaves_is_1_minus_the_squared_correlation() -> None:
    y, _, x = units(500, 7)
    everyone = moments_of(y[:200], covariate=x[:200]), moments_of(y[200:], covariate=x[200:])
    assert variance_kept(*everyone) == pytest.approx(1 - np.corrcoef(y, x)[0, 1] ** 2, rel=1e-11)
    assert variance_kept(moments_of([1, 1]), moments_of([1])) is None
    constant = effect_of(moments_of([1, 2], covariate=[3, 3]), moments_of([2, 4]), Metric("a"))
    assert constant == effect_of(moments_of([1, 2]), moments_of([2, 4]), Metric("a"))


def test_strata_by_hand() -> None:
    # Weights 4/10 and 6/10; effects 2 and 1: 0.8 + 0.6. Variances 2 and 2 over 2; 1 and 1 over 3.
    control = {"phone": moments_of([0, 2]), "desk": moments_of([4, 5, 6])}
    treatment = {"phone": moments_of([2, 4]), "desk": moments_of([5, 6, 7])}
    effect = stratified_effect(control, treatment, PLAIN)
    assert effect.value == pytest.approx(1.4, rel=TIGHT)
    assert effect.variance == pytest.approx(2 * (0.16 * 1 + 0.36 / 3), rel=TIGHT)
    assert stratified_effect(control, {"phone": treatment["phone"]}, PLAIN).value is None


def test_no_effect_where_there_is_none_to_speak_of() -> None:
    some = moments_of([1.0, 2.0, 4.0])
    assert "no units" in effect_of(Moments(), some, PLAIN).reason
    assert "denominators" in effect_of(moments_of([1, 2], [0, 0]), moments_of([1, 2], [1, 1]), RATIO).reason
    assert "too near to 0" in effect_of(moments_of([-1, 1, 0]), some, PLAIN, "relative").reason
    scale: Any = "both"
    with raises(UsageError, "absolute", "relative", "'both'"):
        effect_of(some, some, PLAIN, scale)


def test_a_share_of_a_negative_control_keeps_its_direction() -> None:
    effect = effect_of(moments_of([-10, -11, -12]), moments_of([-9, -10, -11]), PLAIN, "relative")
    assert effect.value == pytest.approx(1 / 11, rel=TIGHT)
    assert math.isfinite(effect.variance)
