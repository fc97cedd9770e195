"""A sample ratio mismatch is found as often as it is said to be, when units are really lost from one variant."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.online_parts.looking import allowed
from benchmarks.online_parts.mismatch import SPLITS, found, stated

from rankproof.proving.sample_ratio import ALPHA, POWER

pytestmark = pytest.mark.slow

TRIALS, TOTAL = 3_000, 100_000


@pytest.mark.parametrize("split", ["50 : 50", "90 : 10", "99 : 1", "40 : 30 : 30"])
def test_a_loss_is_found_with_the_stated_power(split: str) -> None:
    shares, rng = SPLITS[split], np.random.default_rng(0)
    loss = stated(TOTAL, shares, "treatment")
    assert loss is not None
    seen = found(TOTAL, shares, {"treatment": loss}, TRIALS, rng)
    assert seen.share == pytest.approx(POWER, abs=0.015 + 3 * math.sqrt(0.09 / TRIALS))
    assert found(TOTAL, shares, {"treatment": loss / 2}, TRIALS, rng).share < 0.5
    assert found(TOTAL, shares, {}, TRIALS, rng).share <= allowed(TRIALS, ALPHA)
