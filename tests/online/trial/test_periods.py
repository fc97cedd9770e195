"""Days of different shares: the sample ratio of each period, and looks at all times together."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from tests.online.trial.made_up import SUCCESS, design, successes

from rankproof.kernel.estimate import Estimate
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.trial.pooled_effect import pooled_effect
from rankproof.online.trials.contract import EffectRequest
from rankproof.proving.sample_ratio import sample_ratio, sample_ratio_over

HALVES, SMALL = {"old": 0.5, "new": 0.5}, {"old": 0.9, "new": 0.1}


def test_the_sample_ratio_over_periods_by_hand() -> None:
    # 100^2 / 1000 + 100^2 / 1000 = 20 of halves; (30^2 / 900 + 30^2 / 100) = 10 of the tenth: 30 with 2 degrees.
    found = sample_ratio_over([({"old": 1100, "new": 900}, HALVES), ({"old": 930, "new": 70}, SMALL)])
    assert found.statistic == pytest.approx(30.0)
    assert found.p_value == pytest.approx(math.exp(-15.0))  # the tail of two degrees of freedom
    assert found.observed == {"old": 2030, "new": 970}
    assert found.expected == pytest.approx({"old": 1900.0, "new": 1100.0})
    assert not found.holds


def test_one_period_is_the_plain_check() -> None:
    counts = {"old": 510, "new": 490}
    assert sample_ratio_over([(counts, HALVES)]) == sample_ratio(counts, HALVES)


def test_periods_that_each_hold_hold_together() -> None:
    """Thrown together, 1,900 against 1,100 of a half each would be a mismatch."""
    found = sample_ratio_over([({"old": 1000, "new": 1000}, HALVES), ({"old": 900, "new": 100}, SMALL)])
    assert found.statistic == 0
    assert found.holds
    assert not sample_ratio({"old": 1900, "new": 1100}, HALVES).holds
    # More is known than from the first period alone, so that a smaller loss is noticed; yet it has a degree more.
    lost = found.detectable["new"]
    assert lost is not None
    assert 0 < lost < 1


@pytest.mark.slow
def test_false_alarms_over_a_ramp_that_is_looked_at_daily() -> None:
    """600 ramps of 1%, 5%, 25% and 50% for four days each, without an effect, on days of very different success.

    At most 5% ever alarm, plus 3 standard errors; a fixed test at each look alarms in far more.
    """
    rng = np.random.default_rng(0)
    asked = design({**SUCCESS, "scale": "absolute"})
    sequence, fixed = read_configured("trials", "sequence(units=20000)"), read_configured("trials", "welch")
    units, runs = 4_000, 600
    alarms = Counter[str]()
    for _ in range(runs):
        days, alarmed = [], set()
        for number, share in enumerate(share for share in (0.01, 0.05, 0.25, 0.5) for _ in range(4)):
            likely = 0.2 + 0.3 * rng.random()
            sizes = {"old": round(units * (1 - share)), "new": round(units * share)}
            counts = {name: (int(rng.binomial(n, likely)), n) for name, n in sizes.items()}
            days.append(successes(asked, f"2026-11-{number + 1:02d}", counts, {"old": 1 - share, "new": share}))
            effect = pooled_effect(days, asked.metrics[0], "old", "new").effect
            for call in (sequence, fixed):
                answer = call.item.answer(effect, EffectRequest(0.95), call.values)
                if isinstance(answer, Estimate) and answer.p_value <= 0.05:
                    alarmed.add(call.item.name)
        alarms.update(alarmed)
    assert alarms["sequence"] / runs <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)
    assert alarms["welch"] / runs > 0.15
