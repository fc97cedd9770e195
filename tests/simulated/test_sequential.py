"""Looking after every 1% of traffic: fixed tests find what is not there, always-valid ones keep their promise.

Each world has 1,000 trials (333 in `make test`) of 20,000 units, looked at 100 times; a rate of 5% has a Monte Carlo
standard error of 0.69 (1.19) points. The numbers are skewed on purpose: proportions of 10%, and lognormal revenue that
most units do not have.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import pytest
from tests.effort import examples

from rankproof.kernel.estimate import Estimate
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.trial.effects import effect_of, variance_kept
from rankproof.online.trial.moments import Moments, moments_of
from rankproof.online.trial.records import Metric
from rankproof.online.trials.contract import EffectRequest
from rankproof.proving.sample_ratio import mismatch_power, sample_ratio

pytestmark = pytest.mark.slow

TRIALS, LOOKS, UNITS = examples(1_000), 100, 20_000
ALLOWED = 0.05 + 3 * math.sqrt(0.05 * 0.95 / TRIALS)
WORLDS = ("proportion", "revenue")
METHODS = ("welch", "sequence(units=20000)", "msprt(effect=0.02)")
METRIC = Metric("made up")


def draw(world: str, rng: np.random.Generator, lift: float) -> np.ndarray:
    """One variant's units in the order they came, by look."""
    shape = (LOOKS, UNITS // 2 // LOOKS)
    if world == "proportion":
        return (rng.random(shape) < 0.1 + lift).astype(np.float64)
    return (rng.random(shape) < 0.3) * rng.lognormal(0.0, 0.8, shape) + lift


def so_far(units: np.ndarray) -> Iterator[Moments]:
    """The moments at each look; the numbers are small, so that raw sums of squares lose nothing."""
    sums, squares = units.sum(axis=1).cumsum(), (units * units).sum(axis=1).cumsum()
    for look, (total, square) in enumerate(zip(sums.tolist(), squares.tolist(), strict=True), start=1):
        n = look * units.shape[1]
        yield Moments(n, (total / n, 1.0, 0.0), (square - total * total / n, 0.0, 0.0, 0.0, 0.0, 0.0))


@lru_cache
def missed(world: str, lift: float, alternative: str = "two-sided") -> dict[str, float]:
    """By method, the share of trials in which at least one look's interval does not contain the true lift."""
    rng = np.random.default_rng([WORLDS.index(world), round(1e6 * lift)])
    calls = {text: read_configured("trials", text) for text in METHODS}
    asked = EffectRequest(alternative=alternative, null=lift)
    trials = dict.fromkeys(METHODS, 0)
    for _ in range(TRIALS):
        wrong = set()
        for control, treatment in zip(so_far(draw(world, rng, 0.0)), so_far(draw(world, rng, lift)), strict=True):
            effect = effect_of(control, treatment, METRIC)
            for text, call in calls.items():
                answer = call.item.answer(effect, asked, call.values)
                assert isinstance(answer, Estimate)
                if not answer.low <= lift <= answer.high:
                    wrong.add(text)
        for text in wrong:
            trials[text] += 1
    return {text: count / TRIALS for text, count in trials.items()}


@pytest.mark.parametrize("world", ["proportion", pytest.param("revenue", marks=pytest.mark.full)])
def test_false_alarms_without_any_effect(world: str) -> None:
    found = missed(world, 0.0)
    assert found["welch"] > 0.15
    assert all(share <= ALLOWED for text, share in found.items() if text != "welch"), found


def test_intervals_hold_the_true_effect_at_all_times_together() -> None:
    found = missed("proportion", 0.02)
    assert found["welch"] > 0.15
    assert all(1 - share >= 0.95 for text, share in found.items() if text != "welch"), found


@pytest.mark.parametrize("rho", [0.3, 0.7, 0.9])
def test_a_covariate_takes_away_the_square_of_its_correlation(rho: float) -> None:
    """Over 400 trials the variance of the adjusted effect is 1 - rho^2 of the plain one's: 7% is one standard error."""
    rng = np.random.default_rng(round(10 * rho))
    effects: dict[str, list[float]] = {"": [], "before": []}
    kept, told = [], []
    for _ in range(400):
        x = rng.normal(5.0, 2.0, (2, 1_000))
        y = rho * (x - 5.0) / 2.0 + math.sqrt(1 - rho * rho) * rng.normal(size=x.shape)
        control, treatment = (moments_of(y[i], covariate=x[i]) for i in range(2))
        kept.append(variance_kept(control, treatment))
        variances = []
        for covariate, values in effects.items():
            effect = effect_of(control, treatment, Metric("made up", covariate=covariate))
            values.append(effect.value)
            variances.append(effect.variance)
        told.append(variances[1] / variances[0])
    left = 1 - rho * rho
    assert np.mean(kept) == pytest.approx(left, rel=0.01)
    assert np.mean(told) == pytest.approx(left, rel=0.01)
    assert np.var(effects["before"]) / np.var(effects[""]) == pytest.approx(left, rel=0.21)


def test_a_sample_ratio_mismatch_is_found_with_the_stated_power() -> None:
    rng = np.random.default_rng(0)
    shares = {"a": 0.5, "b": 0.5}
    loss = sample_ratio({"a": 50_000, "b": 50_000}, shares).detectable["b"]
    assert loss is not None
    true = {"a": 1.0, "b": 1 - loss}
    assert mismatch_power(100_000, shares, true) == pytest.approx(0.9, abs=1e-9)

    def alarms(share: float) -> float:
        drawn = rng.binomial(100_000, share, 4_000).tolist()
        return sum(not sample_ratio({"a": 100_000 - b, "b": b}, shares).holds for b in drawn) / 4_000

    assert alarms(true["b"] / (1 + true["b"])) == pytest.approx(0.9, abs=3 * math.sqrt(0.09 / 4_000))
    assert alarms(0.5) <= 0.001 + 3 * math.sqrt(0.001 / 4_000)


@pytest.mark.parametrize("alternative", ["greater", pytest.param("less", marks=pytest.mark.full)])
def test_one_side_keeps_its_promise_at_every_look(alternative: str) -> None:
    """Without an effect, a one-sided bound passes 0 at some look in no more trials than the level allows."""
    found = missed("proportion", 0.0, alternative)
    assert found["welch"] > 0.15
    assert all(0 < share <= ALLOWED for text, share in found.items() if text != "welch"), found
