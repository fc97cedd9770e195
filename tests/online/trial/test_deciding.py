"""Deciding: one verdict of a trial, by one-sided bounds; the sample ratio first, and no look before its time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.online.trial.made_up import LATENCY, SUCCESS, design, drawn, successes
from tests.raising import raises

from rankproof.errors import UnknownName
from rankproof.kernel.estimate import Estimate
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.trial.days import TWO_VARIANTS, Day, DayCell
from rankproof.online.trial.decide import decide, judge_variants
from rankproof.online.trial.estimate import estimate
from rankproof.online.trial.quantiles import stratified_quantile_effect
from rankproof.online.trials.contract import EffectRequest
from rankproof.proving.verdict import Verdict


def days_of(asked: Any, n: int = 5, seed: int = 0, **how: Any) -> list[Day]:
    rng = np.random.default_rng(seed)
    return [drawn(asked, f"2026-11-{i + 1:02d}", rng, **how) for i in range(n)]


def statuses(verdict: Verdict) -> list[str]:
    return [ruling.status for ruling in verdict.rulings]


BOTH = design(SUCCESS, LATENCY)


def test_a_better_variant_passes_and_the_bounds_are_those_of_the_method() -> None:
    days = days_of(BOTH, success={"old": 0.3, "new": 0.42})
    verdict = decide(BOTH, days)
    assert verdict.status == "PASS", verdict.reasons
    assert (verdict.candidate, verdict.baseline, verdict.policy) == ("new", "old", "made up")
    ratio, success, latency = verdict.rulings
    assert (ratio.rule, success.rule, latency.rule) == ("sample_ratio", "better", "not_worse")
    assert [success.measure, latency.measure] == ["success", "latency"]
    assert (success.threshold, latency.threshold) == (0.0, 0.15)
    arms = [{d.label: d.moments[DayCell("success", name)] for d in days} for name in ("old", "new")]
    plain = estimate(
        *arms, BOTH.metrics[0].metric, BOTH.method, scale="relative", alternative="greater", variance="larger"
    )
    assert isinstance(plain, Estimate)
    assert isinstance(success.answer, Estimate)
    assert (success.answer.low, success.observed) == pytest.approx((plain.low, plain.value), rel=1e-12)
    tallies = [{d.label: d.tallies[DayCell("latency", name)] for d in days} for name in ("old", "new")]
    effect = stratified_quantile_effect(tallies[0], tallies[1], BOTH.metrics[1].metric, "relative")
    call = read_configured("trials", BOTH.method)
    margin = call.item.answer(effect, EffectRequest(0.95, "less", 0.15), call.values)
    assert isinstance(latency.answer, Estimate)
    assert latency.answer.high == pytest.approx(margin.high, rel=1e-12)
    assert latency.status == "PASS"


def test_a_worse_variant_fails_and_an_open_one_says_what_would_decide_it() -> None:
    worse = decide(BOTH, days_of(BOTH, success={"old": 0.3, "new": 0.42}, latency={"new": 150.0}))
    assert statuses(worse) == ["PASS", "PASS", "FAIL"]
    assert worse.status == "FAIL"
    assert "latency changes by +" in worse.reasons[0]
    open_one = decide(BOTH, days_of(BOTH, success={"old": 0.3, "new": 0.31}))
    assert open_one.status == "UNDECIDED"
    told = open_one.rulings[1].decides
    assert told.startswith("If what was seen is the truth, about ")
    assert "more days at this rate) would make it " in told


def test_what_is_only_watched_decides_nothing() -> None:
    asked = design(SUCCESS, {"ready": "latency", "role": "watch"})
    verdict = decide(asked, days_of(asked, success={"old": 0.3, "new": 0.42}, latency={"new": 500.0}))
    assert [ruling.measure for ruling in verdict.rulings] == ["sample_ratio", "success"]
    assert verdict.status == "PASS"


def test_a_sample_ratio_mismatch_withholds_everything() -> None:
    days = days_of(BOTH, success={"old": 0.3, "new": 0.6})
    lost = [replace(day, units={"old": day.units["old"], "new": day.units["new"] * 3 // 4}) for day in days]
    verdict = decide(BOTH, lost)
    assert verdict.status == "FAIL"
    assert statuses(verdict) == ["FAIL", "FAIL", "UNDECIDED", "UNDECIDED"]
    assert [ruling.rule for ruling in verdict.rulings[:2]] == ["sample_ratio", "part_ratios"]
    assert all(ruling.observed is None and ruling.answer is None for ruling in verdict.rulings[1:])
    assert "no number of this trial can be trusted" in verdict.reasons[0]


def test_a_method_of_one_look_does_not_look_early() -> None:
    asked = design(SUCCESS, method="welch", units=5_000)
    days = days_of(asked, success={"old": 0.3, "new": 0.6})
    early = decide(asked, days[:3])
    assert early.status == "UNDECIDED"
    assert early.rulings[1].answer is None
    assert early.rulings[1].reason.startswith("welch takes one look, at 5,000 users; 3,000 came so far.")
    assert early.rulings[1].decides == "2,000 more users, 2 more days at this rate."
    full = decide(asked, days)
    assert full.status == "PASS"
    assert "look: welch takes one; this is it, and whatever it says stands" in full.notes


def test_confidence_widens_bounds() -> None:
    days = days_of(BOTH)
    usual, sure = decide(BOTH, days), decide(BOTH, days, confidence=0.999)
    assert isinstance(usual.rulings[1].answer, Estimate)
    assert isinstance(sure.rulings[1].answer, Estimate)
    assert sure.rulings[1].answer.low < usual.rulings[1].answer.low
    assert (sure.confidence, sure.rulings[1].confidence) == (0.999, 0.999)


THREE = {"old": 0.4, "a": 0.3, "b": 0.3}


def test_of_several_variants_the_one_that_is_furthest_is_judged_at_a_level_that_pays_for_the_choice() -> None:
    asked = design(SUCCESS, shares=THREE)
    days = days_of(asked, 8, success={"old": 0.3, "a": 0.15, "b": 0.45})
    judged = judge_variants(asked, days)
    assert dict(judged.statuses) == {"a": "FAIL", "b": "PASS"}
    verdict = decide(asked, days)
    assert (verdict.candidate, verdict.status) == ("b", "PASS")
    assert verdict.rulings[1].confidence == pytest.approx(0.975)
    assert any("2 against old" in note for note in verdict.notes)
    assert decide(asked, days, variant="a").status == "FAIL"
    with raises(UnknownName) as unknown:
        decide(asked, days, variant="c")
    assert (unknown.value.kind, unknown.value.name, unknown.value.near) == ("variant with a treatment", "c", [])
    plain = design(SUCCESS, shares=THREE, correction="none")
    assert decide(plain, days).rulings[1].confidence == 0.95


def test_failures_are_corrected_over_the_metrics() -> None:
    """Two metrics, one with a one-sided p of 4%: alone it fails, after Holm over two it is open."""
    # 1,000 units each: 300 successes against 265 is z = -1.74; by Welch p is 0.041.
    asked = design(SUCCESS, {**SUCCESS, "name": "again"}, method="welch", units=2_000)
    one = successes(asked, "2026-11-01", {"old": (300, 1000), "new": (265, 1000)})
    same = {DayCell("again", name): one.moments[DayCell("success", "old")] for name in ("old", "new")}
    verdict = decide(asked, [replace(one, moments={**one.moments, **same})])
    assert statuses(verdict) == ["PASS", "UNDECIDED", "UNDECIDED"]
    assert "after Holm's correction over the 2 rules" in verdict.rulings[1].reason
    assert "users" in verdict.rulings[1].decides
    assert "queries" not in verdict.rulings[1].decides
    alone = design(SUCCESS, method="welch", units=2_000)
    assert decide(alone, [successes(alone, "2026-11-01", {"old": (300, 1000), "new": (265, 1000)})]).status == "FAIL"


def test_what_is_taken_for_granted_is_said() -> None:
    twice = [replace(day, dropped={TWO_VARIANTS: 7}) for day in days_of(BOTH, 1)]
    notes = decide(BOTH, twice).notes
    assert "left out: 7 users seen in two variants on one day" in notes
    assert any("on one day only" in note for note in notes)
    daily = design(SUCCESS, enter="every_day")
    assert any("counts anew on every day" in note for note in decide(daily, days_of(daily, 1)).notes)
