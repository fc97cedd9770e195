"""Reading: what stands beside the verdict; effects, segments, days, trend and projection."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.online.trial.made_up import LATENCY, SUCCESS, day, design, drawn

from rankproof.kernel import shelf
from rankproof.kernel.estimate import Estimate, NotEstimable
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.trial.days import Day, DayCell
from rankproof.online.trial.moments import from_counts, moments_of
from rankproof.online.trial.power import units_to_decide
from rankproof.online.trial.read import read_trial, trend
from rankproof.online.trial.results import TrialReading
from rankproof.online.trials.contract import Effect, EffectRequest, VariancePart
from rankproof.proving.verdict import Verdict

BOTH = design(SUCCESS, LATENCY)


def days_of(asked: Any, n: int = 4, **how: Any) -> list[Day]:
    rng = np.random.default_rng(0)
    return [drawn(asked, f"2026-11-{i + 1:02d}", rng, **how) for i in range(n)]


def reading_of(verdict: Verdict) -> TrialReading:
    assert verdict.trial is not None
    return verdict.trial


def test_effects_are_two_sided_and_of_all_metrics() -> None:
    reading = reading_of(read_trial(BOTH, days_of(BOTH, success={"new": 0.45})))
    success, latency = reading.effects
    assert isinstance(success.estimated.effect, Estimate)
    assert math.isfinite(success.estimated.effect.high)
    assert (success.estimated.direction, latency.estimated.direction) == ("better", "not shown")
    assert success.control == pytest.approx(0.3, abs=0.05)
    assert success.treatment == pytest.approx(0.45, abs=0.05)
    assert success.estimated.effect.n == sum(reading.units.values()) == 4_000
    assert (reading.dates[0], len(reading.dates), reading.per_day) == ("2026-11-01", 4, 1000)


def test_cuped_says_how_much_variance_is_left() -> None:
    asked = design({"name": "clicks", "value": "clicks", "covariate": "before"})
    rng = np.random.default_rng(1)
    moments = {}
    for name in ("old", "new"):
        before = rng.normal(10, 3, 5_000)
        moments[DayCell("clicks", name)] = moments_of(before + rng.normal(0, 4, 5_000), None, before)
    (effect,) = reading_of(read_trial(asked, [day(asked, "2026-11-01", {"old": 5_000, "new": 5_000}, moments)])).effects
    assert effect.variance_kept == pytest.approx(16 / 25, abs=0.02)  # 1 - rho squared, 9 of 25


def test_segments_are_a_family_of_their_own() -> None:
    asked = design(SUCCESS)
    base = days_of(asked, 1)[0]
    cells = {}
    for country, (old, new) in {"de": (100, 200), "fr": (150, 150), "it": (140, 145)}.items():
        cells[DayCell("success", "old", segment=f"country={country}")] = from_counts(old, 500)
        cells[DayCell("success", "new", segment=f"country={country}")] = from_counts(new, 500)
    reading = reading_of(read_trial(asked, [replace(base, moments={**base.moments, **cells})]))
    assert [effect.segment for effect in reading.segments] == ["country=de", "country=fr", "country=it"]
    assert reading.family == 3
    first = reading.segments[0].estimated
    assert isinstance(first.effect, Estimate)
    assert first.adjusted is not None
    assert first.adjusted.p_value == pytest.approx(min(1, 3 * first.effect.p_value))
    assert first.direction == "better"


def test_the_effect_of_each_day_and_a_line_through_them() -> None:
    """The gain falls from 30 points by 10 a day: found, and its slope is what it was made with."""
    asked = design({**SUCCESS, "scale": "absolute"})
    days = [
        replace(
            day(
                asked,
                f"2026-11-0{i + 1}",
                {"old": 2_000, "new": 2_000},
                {
                    DayCell("success", "old"): from_counts(600, 2_000),
                    DayCell("success", "new"): from_counts(1_200 - 200 * i, 2_000),
                },
            )
        )
        for i in (0, 1, 3)  # a day without a file keeps its place
    ]
    reading = reading_of(read_trial(asked, days))
    assert [found.date for found in reading.by_day] == ["2026-11-01", "2026-11-02", "2026-11-04"]
    assert [found.effect.value for found in reading.by_day] == pytest.approx([0.3, 0.2, 0.0])
    (line,) = reading.trends
    assert isinstance(line.slope, Estimate)
    assert line.slope.value == pytest.approx(-0.1)
    assert line.slope.p_value < 0.001


def test_a_trend_by_hand() -> None:
    # Effects 1, 2, 6 on days 0, 1, 2 with variance 1 each: slope (6 - 1) / 2, variance 1 / 2.
    effects = [Effect(value, (VariancePart(1.0, 50),), 50) for value in (1.0, 2.0, 6.0)]
    found = trend([0.0, 1.0, 2.0], effects, 0.95)
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(2.5)
    assert (found.high - found.low) / 2 == pytest.approx(1.959963984540054 * math.sqrt(0.5))
    two = trend([0.0, 1.0], effects[:2], 0.95)
    assert isinstance(two, NotEstimable)
    assert "3 days" in two.reason


def test_a_projection_is_decided_as_often_as_it_says() -> None:
    """At the projected size a true effect of the size that was seen is decided in about 80% of trials at that look."""
    call = read_configured("trials", "sequence(units=4000)")
    seen = Effect(0.02, (VariancePart(0.21 / 2_000, 2_000), VariancePart(0.21 / 2_000, 2_000)), 4_000)
    units = units_to_decide(seen, 4_000, 0.0, call, 0.95)
    assert units is not None
    assert units > 4_000
    variance = 4 * 0.21 / units
    rng = np.random.default_rng(0)
    passed = 0
    for value in rng.normal(0.02, math.sqrt(variance), 2_000):
        effect = Effect(float(value), (VariancePart(variance / 2, units // 2),) * 2, units)
        answer = call.item.answer(effect, EffectRequest(0.95, "greater"), call.values)
        passed += answer.low > 0
    assert passed / 2_000 == pytest.approx(0.8, abs=3 * math.sqrt(0.16 / 2_000))
    assert units_to_decide(Effect(0.0, seen.parts, 4_000), 4_000, 0.0, call, 0.95) is None


def test_open_rulings_are_projected() -> None:
    reading = reading_of(read_trial(BOTH, days_of(BOTH, success={"new": 0.31})))
    (found,) = [projection for projection in reading.projections if projection.metric == "success"]
    assert found.units is not None
    assert found.more == found.units - 4_000
    assert found.days == math.ceil(found.more / 1_000)


def test_nothing_is_shown_that_may_not_be_seen() -> None:
    early = design(SUCCESS, method="welch", units=10_000)
    reading = reading_of(read_trial(early, days_of(early)))
    assert reading.withheld == "welch takes one look, at 10,000 users"
    assert (reading.effects, reading.segments, reading.by_day, reading.projections) == ((), (), (), ())
    broken = [replace(found, units={"old": 700, "new": 300}) for found in days_of(BOTH)]
    assert reading_of(read_trial(BOTH, broken)).withheld == "units did not come in the planned shares"


THREE = design(SUCCESS, LATENCY, shares={"old": 0.4, "a": 0.3, "b": 0.3})


@pytest.mark.parametrize(
    "form", [name for name, item in shelf.everything("reports").items() if "verdict" in item.holds]
)
def test_every_form_of_a_verdict_holds_a_trial(form: str) -> None:
    report = shelf.find("reports", form)
    for verdict in (
        read_trial(BOTH, days_of(BOTH, success={"new": 0.45})),
        read_trial(THREE, days_of(THREE, 2)),
        read_trial(BOTH, [replace(found, units={"old": 700, "new": 300}) for found in days_of(BOTH)]),
    ):
        text = report.verdict(verdict, observed={})
        assert text == report.verdict(verdict, observed={})
        assert verdict.candidate in text
        if form == "json":
            assert json.loads(text)["schema"] == "trial/1"
        if form in ("table", "markdown", "html"):
            assert "Units" in text
            assert ("withheld" in text) == (not reading_of(verdict).effects)
        if form == "html":
            assert ("cannot be trusted: units did not come" in text) == (not reading_of(verdict).sample_ratio.holds)
            assert "goals of the A/B test" in text or not reading_of(verdict).sample_ratio.holds
