"""Pacing: how many units it takes to show a preference when one looks on the way and stops once it is shown.

The test is that of `anytime` for the share of wins, looked at a number of times at even steps up to the planned end.
Its power is summed, not drawn: from look to look the distribution of the wins among experiments that go on is convolved
with the binomial one of the units that came in between. For shares nearer to 1/2 than the limit, where counts are so
many that whole numbers no longer matter, units grow with the inverse square of the distance.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.interleaving.anytime import log_evidence
from rankproof.flow.interleaving.sizing import check_plan
from rankproof.flow.searching import least
from rankproof.records.interleaving import UnitsNeeded

LOOKS = 100
# The least distance from 1/2 that is summed as it is.
NEAREST = 0.01
MOST = 10_000_000


def units_needed_anytime(
    share: float, decided: float = 1.0, power: float = 0.8, level: float = 0.95, looks: int = LOOKS
) -> UnitsNeeded:
    """Units that show a share of wins by the last of so many looks, each as good a time to stop as any."""
    check_plan(share, decided, power, level)
    distance = abs(share - 0.5)
    summed = 0.5 + max(distance, NEAREST)
    found = least(lambda n: power_anytime(n, summed, level, looks)[0] >= power, 2, MOST)
    assert found is not None  # with shares this far from 1/2, a few ten thousand units are enough
    has, average = power_anytime(found, summed, level, looks)
    growth = max(1.0, (NEAREST / distance) ** 2)
    found = math.ceil(round(found * growth, 6))
    units = math.ceil(round(found / decided, 6))
    return UnitsNeeded(share, found, units, has, distance >= NEAREST, looks, average * growth)


def power_anytime(decided: int, share: float, level: float = 0.95, looks: int = LOOKS) -> tuple[float, float]:
    """The chance that a preference is shown by the last look; and how many units are decided when it is over."""
    from scipy.stats import binom  # here: loading scipy is for those who test

    sizes = np.unique(np.ceil(decided * np.arange(1, looks + 1) / looks).astype(np.int64))
    edges = _edges(sizes, level, decided)
    going, first, before = np.ones(1), 0, 0  # the chance of each number of wins, from `first` on
    shown = average = 0.0
    for size, edge in zip(sizes.tolist(), edges.tolist(), strict=True):
        came = size - before
        going = np.convolve(going, binom.pmf(np.arange(came + 1), came, share))
        # Shown from `edge` wins on, or with as many losses.
        low, high = max(size - edge + 1 - first, 0), max(edge - first, 0)
        stopped = float(going[:low].sum() + going[high:].sum())
        shown += stopped
        average += stopped * size
        going, first, before = going[low:high], first + low, size
    return shown, average + (1 - shown) * decided


def _edges(sizes: NDArray[np.int64], level: float, units: int) -> NDArray[np.int64]:
    """For each number of decided units the least number of wins that shows a preference; more than all: none does."""
    limit = -math.log(1 - level)
    low, high = sizes // 2, sizes + 1  # not enough; enough, or beyond what there can be
    while np.any(high - low > 1):
        middle = (low + high) // 2
        enough = log_evidence(middle, sizes - middle, level, units) >= limit
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high
