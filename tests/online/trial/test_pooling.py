"""Pooling: days of different shares are compared within themselves, and strata of few units harm nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.online.trial.made_up import LATENCY, day, design, successes

from rankproof.online.trial.days import DayCell
from rankproof.online.trial.decide import decide
from rankproof.online.trial.effects import effect_of, stratified_effect
from rankproof.online.trial.moments import Tally, from_counts, moments_of, tally_of
from rankproof.online.trial.pooled_effect import pooled_effect
from rankproof.online.trial.quantiles import quantile_effect, stratified_quantile_effect
from rankproof.online.trial.records import Metric

ABSOLUTE = design({"ready": "success", "scale": "absolute"})
(SUCCESS,) = ABSOLUTE.metrics


def test_days_of_one_share_are_strata_of_one_period() -> None:
    days = [successes(ABSOLUTE, f"2026-11-0{i}", {"old": (30 + i, 100), "new": (40 - i, 101)}) for i in range(1, 4)]
    found = pooled_effect(days, SUCCESS, "old", "new")
    arms = [{d.label: d.moments[DayCell("success", name)] for d in days} for name in ("old", "new")]
    plain = stratified_effect(arms[0], arms[1], SUCCESS.metric, variance="larger")
    assert (found.periods, found.n, found.effect) == (1, 603, plain)


def test_a_day_whose_shares_were_not_those_planned_makes_no_effect() -> None:
    """60 : 40 on a poor day and 40 : 60 on a rich one, planned 50 : 50: by hand the variants are alike on both days."""
    poor = successes(ABSOLUTE, "2026-11-02", {"old": (60, 600), "new": (40, 400)})
    rich = successes(ABSOLUTE, "2026-11-03", {"old": (160, 400), "new": (240, 600)})
    found = pooled_effect([poor, rich], SUCCESS, "old", "new")
    assert found.effect.value == pytest.approx(0.0, abs=1e-15)
    blind = effect_of(from_counts(220, 1000), from_counts(280, 1000), SUCCESS.metric)
    assert blind.value == pytest.approx(0.06)


def test_simpsons_paradox_by_hand() -> None:
    """The new ranking loses on both days and wins where days are thrown together, for it had its traffic on the better.

    Monday, 10% new: 100 of 900 (11.1%) against 5 of 100 (5%).
    Sunday, 90% new: 60 of 100 (60%) against 495 of 900 (55%).
    Together: 160 of 1,000 (16%) against 500 of 1,000 (50%).
    """
    monday = successes(ABSOLUTE, "2026-11-02", {"old": (100, 900), "new": (5, 100)}, {"old": 0.9, "new": 0.1})
    sunday = successes(ABSOLUTE, "2026-11-08", {"old": (60, 100), "new": (495, 900)}, {"old": 0.1, "new": 0.9})
    blind = effect_of(from_counts(160, 1000), from_counts(500, 1000), SUCCESS.metric)
    assert blind.value == pytest.approx(0.34)
    found = pooled_effect([monday, sunday], SUCCESS, "old", "new")
    # Both periods know 900 x 100 / 1,000 = 90: the mean of -0.0611 and -0.05.
    assert found.effect.value == pytest.approx((5 / 100 - 100 / 900 + 495 / 900 - 60 / 100) / 2, rel=1e-12)
    # The unit's variance on each day, of both variants as if alike: n p (1 - p) of each, over 998. It is larger than
    # that of each variant by itself. Weights of a half: a quarter of the sum of the variances of both differences.
    alike = [(900 * p * (1 - p) + 100 * q * (1 - q)) / 998 for p, q in ((100 / 900, 5 / 100), (495 / 900, 60 / 100))]
    assert found.effect.variance == pytest.approx(sum(alike) * (1 / 900 + 1 / 100) / 4, rel=1e-12)
    assert found.periods == 2
    assert found.effect.n == 4 * 180
    verdict = decide(ABSOLUTE, [monday, sunday])
    assert verdict.rulings[1].observed == found.effect.value
    assert any("shares of traffic changed" in note for note in verdict.notes)


def test_a_change_of_shares_that_changes_nothing_finds_nothing() -> None:
    """400 ramps from 5% to 50% on a day on which everybody succeeds more: intervals of 95% cover 0 as they say."""
    rng = np.random.default_rng(0)
    z = []
    for _ in range(400):
        days = []
        for date, share, likely in (("2026-11-01", 0.05, 0.2), ("2026-11-02", 0.5, 0.4)):
            counts = {"old": round(2_000 * (1 - share)), "new": round(2_000 * share)}
            came = {name: (int(rng.binomial(n, likely)), n) for name, n in counts.items()}
            days.append(successes(ABSOLUTE, date, came, {"old": 1 - share, "new": share}))
        effect = pooled_effect(days, SUCCESS, "old", "new").effect
        assert effect.value is not None
        z.append(effect.value / math.sqrt(effect.variance))
    assert np.mean(np.abs(z) <= 1.96) == pytest.approx(0.95, abs=3 * math.sqrt(0.95 * 0.05 / 400))
    assert abs(np.mean(z)) < 3 / math.sqrt(400)


def test_thin_strata_are_added_to_others_of_their_period() -> None:
    rng = np.random.default_rng(3)
    moments = {}
    for name, sizes in (("old", (50, 1, 40)), ("new", (50, 3, 0))):
        for stratum, n in zip("abc", sizes, strict=True):
            if n:
                moments[DayCell("success", name, stratum)] = moments_of((rng.random(n) < 0.5).astype(float))
    found = pooled_effect([day(ABSOLUTE, "2026-11-01", {"old": 91, "new": 53}, moments)], SUCCESS, "old", "new")
    assert found.n == 144
    assert found.effect.value is not None  # b and c together have 41 and 3 units


def test_a_period_without_units_in_a_variant_is_left_out_and_counted() -> None:
    first = successes(ABSOLUTE, "2026-11-01", {"old": (30, 99), "new": (1, 1)}, {"old": 0.99, "new": 0.01})
    second = successes(ABSOLUTE, "2026-11-02", {"old": (50, 100), "new": (60, 100)})
    found = pooled_effect([first, second], SUCCESS, "old", "new")
    assert (found.left_out, found.n, found.periods) == (100, 200, 1)
    assert found.effect.value == pytest.approx(0.1)
    nothing = pooled_effect([first], SUCCESS, "old", "new")
    assert (nothing.effect.value, nothing.left_out) == (None, 100)


def test_quantiles_are_weighed_too() -> None:
    """A slow Sunday on which the new ranking had most traffic does not make it slow."""
    asked = design({**LATENCY, "scale": "absolute"})
    rng = np.random.default_rng(4)
    days = []
    for date, share, slow in (("2026-11-02", 0.1, 1.0), ("2026-11-08", 0.9, 3.0)):
        counts = {"old": round(4_000 * (1 - share)), "new": round(4_000 * share)}
        tallies = {
            DayCell("latency", name): tally_of(np.round(slow * rng.lognormal(4, 0.3, n), 1).tolist())
            for name, n in counts.items()
        }
        days.append(day(asked, date, counts, {}, tallies, {"old": 1 - share, "new": share}))
    effect = pooled_effect(days, asked.metrics[0], "old", "new").effect
    assert effect.value is not None
    assert abs(effect.value) < 3 * math.sqrt(effect.variance)
    blind = quantile_effect(*(sum((d.tallies[DayCell("latency", n)] for d in days), Tally()) for n in ("old", "new")),
                            asked.metrics[0].metric)  # fmt: skip
    assert blind.value is not None
    assert blind.value > 5 * math.sqrt(blind.variance)


def test_the_standard_error_of_a_weighed_quantile_is_what_repetition_gives() -> None:
    rng = np.random.default_rng(5)
    metric = Metric("latency", "quantile", "lower", at=0.9)
    values, told = [], []
    for _ in range(200):
        arms = [
            {"phone": tally_of(rng.lognormal(5, 0.5, 600)), "desk": tally_of(rng.lognormal(4, 0.5, 900))}
            for _ in range(2)
        ]
        effect = stratified_quantile_effect(arms[0], arms[1], metric)
        values.append(effect.value)
        told.append(effect.variance)
    assert np.sqrt(np.mean(told)) == pytest.approx(np.std(values, ddof=1), rel=0.15)
