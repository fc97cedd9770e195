"""Small variants with heavy tails: the larger of two variances, shares without division, and what a reader is told."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankproof.kernel.estimate import Estimate, NotEstimable
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.trial.effects import effect_of, stratified_effect
from rankproof.online.trial.estimate import estimate
from rankproof.online.trial.moments import Moments, moments_of
from rankproof.online.trial.pooled_effect import PooledEffect, widened
from rankproof.online.trial.records import Metric, Scale
from rankproof.online.trials.contract import Effect, EffectRequest, RelativeParts, VariancePart

REVENUE = Metric("revenue")


def spent(seed: int, n: int, sigma: float = 2.0) -> Moments:
    rng = np.random.default_rng(seed)
    return moments_of(rng.lognormal(0.0, sigma, n) * (rng.random(n) < 0.1))


def test_the_larger_of_both_variances_is_taken() -> None:
    many = moments_of([0.0, 10.0] * 450)
    # Students' variance: (900 x 25 + 100 x 0.25) / 998 for each unit; Welch's: each its own.
    for few, larger in ((moments_of([4.5, 5.5] * 50), True), (moments_of([-15.0, 25.0] * 50), False)):
        own, held = (effect_of(many, few, REVENUE, variance=v) for v in ("own", "larger"))  # type: ignore[arg-type]
        assert own.value == held.value
        spreads = [m.products[0] / (m.n - 1) for m in (many, few)]
        assert own.variance == pytest.approx(spreads[0] / 900 + spreads[1] / 100, rel=1e-12)
        alike = (many.products[0] + few.products[0]) / 998 * (1 / 900 + 1 / 100)
        assert held.variance == pytest.approx(alike if larger else own.variance, rel=1e-12)
        assert held.variance >= own.variance


def test_variants_of_one_size_have_one_variance() -> None:
    """There it is the same number, whatever the units: nothing is paid."""
    own, held = (effect_of(spent(1, 500), spent(2, 500), REVENUE, variance=v) for v in ("own", "larger"))  # type: ignore[arg-type]
    assert held.variance == pytest.approx(own.variance, rel=1e-12)


def test_a_variant_without_large_buyers_is_no_proof_of_harm() -> None:
    """100 units of 10,000, and none of them bought for more than 0.1: their own variance is next to nothing."""
    control, treatment = spent(3, 9_900), moments_of([0.0] * 99 + [0.1])
    call = read_configured("trials", "sequence(units=10000)")
    request = EffectRequest(0.95, "less")
    own = call.item.answer(effect_of(control, treatment, REVENUE, "relative"), request, call.values)
    held = call.item.answer(effect_of(control, treatment, REVENUE, "relative", "larger"), request, call.values)
    assert isinstance(own, Estimate)
    assert isinstance(held, Estimate)
    assert (own.value, own.p_value < 1e-9) == (pytest.approx(-1.0, abs=0.01), True)
    assert held.p_value > 0.5
    assert held.high > 0
    assert any("vary far less" in note for note in held.notes)


def test_a_share_is_tested_without_dividing_by_the_control() -> None:
    """Fieller: the p-value at a null is that of treatment - (1 + null) x control."""
    control, treatment = spent(4, 4_000, 1.0), spent(5, 4_000, 1.0)
    for null in (-0.05, 0.0, 0.3):
        found = estimate(
            control, treatment, REVENUE, scale="relative", null=null, alternative="less", variance="larger"
        )
        c, t = control.means[0], treatment.means[0]
        alike = (control.products[0] + treatment.products[0]) / 7_998 / 4_000
        z = (t - (1 + null) * c) / math.sqrt(alike * (1 + (1 + null) ** 2))
        assert isinstance(found, Estimate)
        assert found.p_value == pytest.approx(0.5 * math.erfc(-z / math.sqrt(2)), abs=2e-4)


@pytest.mark.parametrize("method", ["welch", "sequence(units=4000)", "msprt(effect=0.1)"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("sizes", [(2_000, 2_000), (3_600, 400)])
def test_an_interval_of_shares_has_what_its_test_does_not_reject(
    method: str, alternative: str, sizes: tuple[int, int]
) -> None:
    arms = spent(6, sizes[0], 1.0), spent(7, sizes[1], 1.0)
    request = {"scale": "relative", "alternative": alternative, "variance": "larger"}
    found = estimate(*arms, REVENUE, method, **request)  # type: ignore[arg-type]
    assert isinstance(found, Estimate)
    for end in (found.low, found.high):
        if math.isfinite(end):
            there = estimate(*arms, REVENUE, method, null=end, **request)  # type: ignore[arg-type]
            assert isinstance(there, Estimate)
            assert there.p_value == pytest.approx(0.05, rel=1e-6)


def test_an_interval_of_shares_may_have_no_end() -> None:
    """Where the control itself may be 0 at this confidence, no share of it is too large."""
    half = (VariancePart(0.1, 50),)
    effect = Effect(0.5, (VariancePart(0.225, 50), *half), 100, relative=RelativeParts(half, half))
    call = read_configured("trials", "sequence(units=100)")
    found = call.item.answer(effect, EffectRequest(0.99), call.values)
    assert isinstance(found, Estimate)
    assert found.high == math.inf


def test_a_metric_below_zero_is_compared_with_its_size() -> None:
    """Losses of 10 become losses of 9: better by 10% of their size; the mirror image of gains."""
    rng = np.random.default_rng(8)
    a, b = rng.normal(10, 1, 300), rng.normal(9, 1, 100)
    for variance in ("own", "larger"):
        gains = estimate(moments_of(a), moments_of(b), REVENUE, scale="relative", variance=variance)  # type: ignore[arg-type]
        losses = estimate(moments_of(-a), moments_of(-b), REVENUE, scale="relative", variance=variance)  # type: ignore[arg-type]
        assert isinstance(gains, Estimate)
        assert isinstance(losses, Estimate)
        assert (losses.value, losses.low, losses.high) == pytest.approx((-gains.value, -gains.high, -gains.low))


def test_a_control_near_zero_is_told() -> None:
    near = moments_of([0.0] * 80 + [1.0] * 20)
    found = estimate(near, near, REVENUE, scale="relative", variance="larger")
    assert isinstance(found, Estimate)
    assert any("standard errors away from 0" in note for note in found.notes)
    far = estimate(*(spent(seed, 40_000, 0.5) for seed in (9, 10)), REVENUE, scale="relative", variance="larger")
    assert isinstance(far, Estimate)
    assert far.notes == ()


def test_an_interval_that_may_be_too_narrow_says_so() -> None:
    """Textbook's Welch at 10:90, where the small variant lacks what makes the mean."""
    found = estimate(spent(3, 9_900), moments_of([0.0] * 99 + [1.0]), REVENUE)
    assert isinstance(found, Estimate)
    assert any("too narrow" in note for note in found.notes)


@pytest.mark.parametrize("variance", ["own", "larger"])
def test_unfriendly_units_give_an_answer_or_a_reason(variance: str) -> None:
    """All zeros, one unit, one whale, values below 0, 1:99; with shares and without."""
    zeros, one, whale = moments_of([0.0] * 500), moments_of([3.0]), moments_of([0.0] * 99 + [1e9])
    below, tiny, large = moments_of([-5.0, 1.0, 2.0] * 40), spent(11, 10), spent(12, 990)
    arms = (zeros, one, whale, below, tiny, large)
    for control in arms:
        for treatment in arms:
            for scale in ("absolute", "relative"):
                for method in ("welch", "sequence", "msprt(effect=0.1)"):
                    found = estimate(control, treatment, REVENUE, method, scale=scale, variance=variance)  # type: ignore[arg-type]
                    if isinstance(found, NotEstimable):
                        assert found.reason
                        continue
                    assert found.low <= found.value <= found.high
                    assert 0 <= found.p_value <= 1


def test_strata_of_one_unit_in_a_variant_have_the_variance_of_the_others() -> None:
    control = {"a": moments_of([1.0, 2.0, 6.0]), "b": moments_of([4.0, 5.0])}
    treatment = {"a": moments_of([2.0, 3.0]), "b": moments_of([7.0])}
    held = stratified_effect(control, treatment, REVENUE, variance="larger")
    assert held.variance > stratified_effect(control, treatment, REVENUE).variance


def test_each_stratum_has_the_larger_of_its_variances() -> None:
    """In one the small variant varies less than all units do, in the other more: each has its own answer."""
    control = {"a": moments_of([0.0, 10.0] * 450), "b": moments_of([0.0, 10.0] * 450)}
    treatment = {"a": moments_of([4.5, 5.5] * 50), "b": moments_of([-15.0, 25.0] * 50)}
    held = stratified_effect(control, treatment, REVENUE, variance="larger")
    alone = [effect_of(control[key], treatment[key], REVENUE, variance="larger").variance for key in "ab"]
    assert held.variance == pytest.approx(sum(alone) / 4, rel=1e-12)
    assert alone[0] > effect_of(control["a"], treatment["a"], REVENUE).variance
    assert alone[1] == effect_of(control["b"], treatment["b"], REVENUE).variance


@pytest.mark.parametrize("scale", ["absolute", "relative"])
def test_days_as_strata_raise_few_false_alarms_of_harm(scale: Scale) -> None:
    """20 or so of 400 users a day with the change, on ten days that differ: nobody spends less, and few are told so."""
    rng, alarms, before, trials = np.random.default_rng(13), 0, 0, 300 if scale == "absolute" else 120
    call = read_configured("trials", "welch")
    request = EffectRequest(0.95, "less")
    for _ in range(trials):
        days = [rng.lognormal(day / 10, 1.5, 400) for day in range(10)]
        cuts = rng.binomial(400, 0.05, 10).clip(2)
        control = {str(day): moments_of(spent[cut:]) for day, (spent, cut) in enumerate(zip(days, cuts, strict=True))}
        few = {str(day): moments_of(spent[:cut]) for day, (spent, cut) in enumerate(zip(days, cuts, strict=True))}
        for variance in ("own", "larger"):
            effect = stratified_effect(control, few, REVENUE, scale, variance=variance)  # type: ignore[arg-type]
            told = call.item.answer(effect, request, call.values)
            assert isinstance(told, Estimate)
            if variance == "own":
                before += told.p_value < 0.05
            else:
                alarms += told.p_value < 0.05
    assert alarms / trials <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / trials)
    assert before > 2 * alarms


def test_units_that_come_back_widen_shares_too() -> None:
    """Four times the variance is twice the width, also where shares are tested without dividing by the control."""
    effect = effect_of(spent(14, 40_000, 0.5), spent(15, 40_000, 0.5), REVENUE, "relative", "larger")
    assert effect.relative is not None
    wide = widened(PooledEffect(effect, effect.n, 1), 4.0).effect
    assert wide.relative is not None
    for null in (0.0, -0.1):
        assert wide.at(null).variance == pytest.approx(4 * effect.at(null).variance, rel=1e-12)
    assert wide.variance == pytest.approx(4 * effect.variance, rel=1e-12)
