"""Sizing: units and days before a trial, by every method, from numbers and from days of the past."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.online.trial.made_up import LATENCY, SUCCESS, day, design, drawn, successes
from tests.raising import raises

from rankproof.errors import InputError, UsageError
from rankproof.online.trial.days import DayCell
from rankproof.online.trial.moments import moments_of
from rankproof.online.trial.plan import PlanRequest, plan_design, plan_numbers


def test_a_mean_by_hand() -> None:
    # One-sided 95% at 80%: 4 x (1.6449 + 0.8416)^2 x sd^2 / effect^2 = 4 x 6.1826 x 9 / 0.01 = 22,257.
    plan = plan_numbers(mean=5.0, sd=3.0, effect=0.1, size=PlanRequest("absolute", per_day=2_000))
    fixed, late, even, sequence, mixture = plan.metrics[0].methods
    assert fixed.units == pytest.approx(22_257, rel=1e-3)
    assert (fixed.days, fixed.always_valid) == (14, False)
    assert sequence.units is not None
    assert mixture.units is not None
    assert fixed.units is not None
    assert fixed.units < sequence.units < mixture.units * 1.2
    assert sequence.method == f"sequence(units={sequence.units})"
    assert (sequence.always_valid, mixture.always_valid) == (True, True)
    # Weeks of 2,000 units a day: looks after each day, at 1.055 and 1.28 times the traffic of the fixed test at most.
    assert [plan.looks for plan in (fixed, late, even, sequence)] == [1, 14, 21, None]
    assert late.units == pytest.approx(1.0552 * fixed.units, rel=1e-3)
    assert even.units == pytest.approx(1.28 * fixed.units, rel=5e-3)
    assert late.units < 1.1 * fixed.units < even.units < sequence.units
    assert (late.method, late.days, late.always_valid) == ("obrien_fleming(days=14)", 14, False)


def test_units_say_what_they_show() -> None:
    plan = plan_numbers(rate=0.3, effect=None, size=PlanRequest(units=10_000))
    fixed, late, even, sequence, mixture = plan.metrics[0].methods
    assert fixed.smallest < late.smallest < even.smallest < sequence.smallest  # type: ignore[operator]
    assert (fixed.units, sequence.units, mixture.units) == (None, None, None)
    assert fixed.smallest is not None
    assert sequence.smallest is not None
    assert fixed.smallest < sequence.smallest
    two = plan_numbers(rate=0.3, effect=None, size=PlanRequest(units=10_000, one_sided=False)).metrics[0].methods[0]
    assert two.smallest is not None
    assert two.smallest > fixed.smallest


def test_a_design_plans_goals_and_margins() -> None:
    asked = design(SUCCESS, {"ready": "abandonment", "role": "guardrail", "margin": 0.1}, LATENCY)
    rng = np.random.default_rng(0)
    base = drawn(asked, "2026-10-01", rng)
    abandoned = moments_of(rng.binomial(3, 0.2, 500).astype(float), np.full(500, 3.0))
    past = day(
        asked, "2026-10-01", base.units, {**base.moments, DayCell("abandonment", "old"): abandoned}, base.tallies
    )
    plan = plan_design(asked, [past], effect=0.05, size=PlanRequest(per_day=100))
    assert [(found.metric, found.asks, found.effect) for found in plan.metrics] == [
        ("success", "an effect", 0.05),
        ("abandonment", "a margin", 0.1),
    ]
    # Relative margin of 10% of 20%: sd of a user's rate is sqrt(0.16 / 3); 4 x 6.1826 x var / 0.02^2.
    margin = plan.metrics[1].methods[0].units
    assert margin == pytest.approx(4 * 6.1826 * (0.2 * 0.8 / 3) / 0.02**2, rel=0.25)
    assert plan.metrics[1].sd == pytest.approx(math.sqrt(0.16 / 3), rel=0.1)


def test_a_covariate_makes_it_shorter() -> None:
    rng = np.random.default_rng(1)
    before = rng.normal(10, 3, 4_000)
    value = before + rng.normal(0, 4, 4_000)
    units = []
    for more in ({}, {"covariate": "before"}):
        asked = design({"name": "clicks", "value": "clicks", **more})
        moments = {DayCell("clicks", "old"): moments_of(value, None, before if more else None)}
        plan = plan_design(
            asked, [day(asked, "2026-10-01", {"old": 4_000, "new": 0}, moments)], effect=0.02, size=PlanRequest()
        )
        units.append(plan.metrics[0].methods[0].units or 0)
        assert plan.metrics[0].variance_kept == (pytest.approx(0.64, abs=0.03) if more else None)
    assert units[1] / units[0] == pytest.approx(0.64, abs=0.03)


def test_variants_share_the_risk() -> None:
    levels = [
        plan_design(asked, [successes(asked, "2026-10-01", dict.fromkeys(asked.shares, (30, 100)))], effect=0.1,
                    size=PlanRequest()).level
        for asked in (design(), design(shares={"old": 0.4, "a": 0.4, "b": 0.2}))
    ]  # fmt: skip
    assert levels == pytest.approx([0.95, 0.975])


def test_what_cannot_be_planned_is_said() -> None:
    with raises(UsageError, "--rate", "--mean", "--sd", "--past"):
        plan_numbers(effect=0.1, size=PlanRequest())
    with raises(UsageError, "--rate", "--mean", "--sd", "--past"):
        plan_numbers(rate=0.3, mean=1.0, sd=1.0, effect=0.1, size=PlanRequest())
    with raises(UsageError, "rate", "30"):
        plan_numbers(rate=30, effect=0.1, size=PlanRequest())
    with raises(UsageError, "both", "--mean", "--sd"):
        plan_numbers(mean=3.0, effect=0.1, size=PlanRequest())
    with raises(UsageError, "--effect", "--units"):
        plan_numbers(rate=0.3, effect=None, size=PlanRequest())
    with raises(UsageError, "effect", "got 0"):
        plan_numbers(rate=0.3, effect=0.0, size=PlanRequest())
    asked = design({**SUCCESS, "margin": 0.02})
    past = successes(asked, "2026-10-01", {"old": (30, 100), "new": (30, 100)})
    with raises(UsageError, "success", "0.02"):
        plan_design(asked, [past], effect=0.01, size=PlanRequest())
    with raises(InputError, "1", "old", "success"):
        plan_design(
            asked, [successes(asked, "2026-10-01", {"old": (0, 1), "new": (1, 1)})], effect=0.1, size=PlanRequest()
        )
    quantiles = design({**LATENCY, "role": "decision", "goal": "not_worse"})
    with raises(UsageError, "quantiles", "mean"):
        plan_design(
            quantiles, [drawn(quantiles, "2026-10-01", np.random.default_rng(0))], effect=0.1, size=PlanRequest()
        )
