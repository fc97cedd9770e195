"""Whole ramps, looked at every day: how often a harmless change is rolled back, and how soon a regression is."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from tests.simulated.ramps import Change, ramp

from rankproof.online.interleaving.preference import UNITS
from rankproof.online.ramp.records import RATIO_ALARM
from rankproof.proving.sequential import log_evidence

ALLOWED = 0.05
# A fifth more users leave, from the second step on, where 5% of the traffic has the change.
REGRESSION = Change(left=0.2, from_step=2)


def ends(count: int, change: Change, units: int, seed: int) -> Counter[tuple[str, int]]:
    """How ramps end: the last action, and the step where it was taken."""
    found = (ramp(np.random.default_rng([seed, i]), change, units=units)[0] for i in range(count))
    return Counter((decision.action, decision.step) for decision in found)


def rolled_back(found: Counter[tuple[str, int]]) -> int:
    return sum(count for (action, _), count in found.items() if action == "STOP_AND_ROLL_BACK")


def at_most(count: int, allowed: float) -> float:
    """The allowed share of so many, and three standard errors."""
    return count * allowed + 3 * math.sqrt(count * allowed * (1 - allowed))


def check_harmless(count: int) -> None:
    """With 20 users a day in the change at first, and one metric in which a few users count for very much."""
    assert rolled_back(ends(count, Change(), 2_000, 1)) <= at_most(count, ALLOWED)


@pytest.mark.slow
def test_a_harmless_change_is_rarely_rolled_back() -> None:
    check_harmless(40)


@pytest.mark.full
def test_a_harmless_change_is_rarely_rolled_back_in_many_ramps() -> None:
    check_harmless(600)


@pytest.mark.slow
def test_a_regression_at_5_percent_goes_no_further() -> None:
    found = ends(20, REGRESSION, 10_000, 2)
    assert found["STOP_AND_ROLL_BACK", 2] + found["STOP_AND_ROLL_BACK", 3] >= 19
    assert found["COMMIT", 4] == 0


def test_shares_looked_at_every_day_raise_few_false_alarms() -> None:
    """100,000 ramps of 28 days with 1,000 units each at 5%; the test of one look is wrong far more often."""
    rng = np.random.default_rng(3)
    new = rng.binomial(1_000, 0.05, size=(100_000, 28)).cumsum(axis=1)
    units = 1_000 * np.arange(1, 29)
    always = log_evidence(new, units - new, 1 - RATIO_ALARM, UNITS, 0.05) >= -math.log(RATIO_ALARM)
    alarms = int(always.any(axis=1).sum())
    assert alarms <= at_most(len(new), RATIO_ALARM)
    single = np.abs(new - 0.05 * units) / np.sqrt(units * 0.05 * 0.95) > 3.2905  # p < 0.001 at one look
    assert int(single.any(axis=1).sum()) > 5 * len(new) * RATIO_ALARM
