"""Effects, sample ratios and power of trials against tea-tasting 1.14, to 1e-6.

Compared: Welch's t-test of means, of proportions as means of 0 and 1, and of ratios of means (delta method); the same
with CUPED; relative effects of all of them; the sample ratio of two variants; least effects and units by power.
tea-tasting has no sequential method: those are held against gbstats in test_gbstats.py.

Two things are the same in another form. Relative intervals are made for the logarithm of the ratio of means there, for
the ratio here: the half width of one is that of the other divided by the ratio. Power is of the normal test there, of
the t interval here: they meet for many units, and at 20,000 units they agree to four digits. A two-sided test that
finds the effect on the wrong side counts as power there, not here: 3e-6 of the units.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from rankproof.kernel.estimate import Alternative, Estimate
from rankproof.online.trial.estimate import estimate
from rankproof.online.trial.moments import Moments, moments_of
from rankproof.online.trial.power import smallest_effect, units_needed
from rankproof.online.trial.records import Kind, Metric, Scale
from rankproof.proving.sample_ratio import sample_ratio

tea = pytest.importorskip("tea_tasting", reason="tea-tasting is not installed")
pandas = pytest.importorskip("pandas", reason="pandas is not installed")

TOLERANCE = 1e-6
COLUMNS = ("clicks", "searches", "before")


def users(seed: int, gain: float, n: int) -> Any:
    """Clicks, searches, success and clicks before of users in two variants of different sizes."""
    rng = np.random.default_rng(seed)
    variant = (rng.random(n) < 0.4).astype(int)
    searches = 1.0 + rng.poisson(3, n)
    before = rng.gamma(2, 1, n)
    clicks = (rng.poisson((0.4 + gain * variant) * searches) + np.round(before)).astype(float)
    success = (rng.random(n) < 0.3 + gain * variant).astype(float)
    return pandas.DataFrame(
        {"variant": variant, "clicks": clicks, "searches": searches, "before": before, "success": success}
    )


@pytest.fixture(params=[(0, 0.0, 400), (1, 0.1, 3_000), (2, -0.05, 30_000)], ids=["null", "gain", "loss"])
def data(request: pytest.FixtureRequest) -> Any:
    return users(*request.param)


def arms(data: Any, value: str, below: str = "", before: str = "") -> list[Moments]:
    return [
        moments_of(part[value], part[below] if below else None, part[before] if before else None)
        for _, part in data.groupby("variant")
    ]


CASES: dict[str, tuple[Kind, str, str, str, Any]] = {
    "mean": ("mean", "clicks", "", "", lambda how: tea.Mean("clicks", **how)),
    "proportion": ("proportion", "success", "", "", lambda how: tea.Mean("success", **how)),
    "ratio": ("ratio", "clicks", "searches", "", lambda how: tea.RatioOfMeans("clicks", "searches", **how)),
    "mean with CUPED": ("mean", "clicks", "", "before", lambda how: tea.Mean("clicks", "before", **how)),
    "ratio with CUPED": (
        "ratio", "clicks", "searches", "before", lambda how: tea.RatioOfMeans("clicks", "searches", "before", **how)
    ),
}  # fmt: skip


def mine(case: str, data: Any, alternative: Alternative, scale: Scale) -> Estimate:
    kind, value, below, before, _ = CASES[case]
    found = estimate(
        *arms(data, value, below, before), Metric("m", kind, covariate=before), scale=scale, alternative=alternative
    )
    assert isinstance(found, Estimate)
    return found


def theirs(case: str, data: Any, alternative: Alternative) -> Any:
    metric = CASES[case][-1]({"alternative": alternative, "equal_var": False, "use_t": True, "confidence_level": 0.95})
    return metric.analyze(data, control=0, treatment=1, variant="variant")


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("case", CASES)
def test_effects(data: Any, case: str, alternative: Alternative) -> None:
    ours, other = mine(case, data, alternative, "absolute"), theirs(case, data, alternative)
    found = [ours.value, ours.low, ours.high, ours.p_value]
    expected = [other.effect_size, other.effect_size_ci_lower, other.effect_size_ci_upper, other.pvalue]
    assert found == pytest.approx(expected, rel=TOLERANCE, abs=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_relative_effects(data: Any, case: str) -> None:
    ours, other = mine(case, data, "two-sided", "relative"), theirs(case, data, "two-sided")
    assert ours.value == pytest.approx(other.rel_effect_size, rel=TOLERANCE)
    ratio = 1 + other.rel_effect_size
    logarithmic = math.log1p(other.rel_effect_size_ci_upper) - math.log(ratio)
    assert (ours.high - ours.value) / ratio == pytest.approx(logarithmic, rel=TOLERANCE)


@pytest.mark.parametrize("ratio", [1, 0.25, 3])
def test_sample_ratios(data: Any, ratio: float) -> None:
    counts = data["variant"].value_counts().to_dict()
    ours = sample_ratio({"old": counts[0], "new": counts[1]}, {"old": 1, "new": ratio})
    other = tea.SampleRatio(ratio, method="norm", correction=False)
    p = other.analyze(data, control=0, treatment=1, variant="variant").pvalue
    assert ours.p_value == pytest.approx(p, rel=TOLERANCE, abs=1e-300)


POWERED: dict[str, tuple[str, str, Any]] = {
    "mean": ("", "", lambda how: tea.Mean("clicks", **how)),
    "ratio": ("searches", "", lambda how: tea.RatioOfMeans("clicks", "searches", **how)),
    "mean with CUPED": ("", "before", lambda how: tea.Mean("clicks", "before", **how)),
}
ASKED = {"use_t": False, "equal_var": False, "alpha": 0.05, "power": 0.8}


@pytest.mark.parametrize(("units", "tolerance"), [(100_000_000, TOLERANCE), (20_000, 1e-4)])
@pytest.mark.parametrize("case", POWERED)
def test_least_effects(case: str, units: int, tolerance: float) -> None:
    past, metric, made = planned(case)
    for one_sided, alternative, near in ((True, "greater", tolerance), (False, "two-sided", max(tolerance, 3e-6))):
        other = made({**ASKED, "alternative": alternative, "n_obs": units}).solve_power(PAST, "effect_size")
        found = smallest_effect(past, metric, units, one_sided=one_sided)
        assert found == pytest.approx(next(iter(other)).effect_size, rel=near)


@pytest.mark.parametrize(("effect", "tolerance"), [(0.0008, TOLERANCE), (0.05, 1e-4)])
@pytest.mark.parametrize("case", POWERED)
def test_units(case: str, effect: float, tolerance: float) -> None:
    past, metric, made = planned(case)
    other = made({**ASKED, "alternative": "greater", "effect_size": effect}).solve_power(PAST, "n_obs")
    found = units_needed(past, metric, effect, one_sided=True)
    # Ours is the next whole number, and half of it is rounded to whole units.
    assert found == pytest.approx(next(iter(other)).n_obs, rel=tolerance, abs=4)


PAST = users(7, 0.0, 5_000)


def planned(case: str) -> tuple[Moments, Metric, Any]:
    below, before, made = POWERED[case]
    past = moments_of(PAST["clicks"], PAST[below] if below else None, PAST[before] if before else None)
    return past, Metric("clicks", "ratio" if below else "mean", covariate=before), made
