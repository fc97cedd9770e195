"""Plan an interleaving experiment: units for a preference, with one look at the end or with many.

The test is that of `anytime` for the share of wins, looked at a number of times at even steps up to the planned end.
Its power is summed, not drawn: from look to look the distribution of the wins among experiments that go on is convolved
with the binomial one of the units that came in between. For shares nearer to 1/2 than the limit, where counts are so
many that whole numbers no longer matter, units grow with the inverse square of the distance.

The test is the exact two-sided binomial one of the share of wins. Its power goes up and down as units are added, one
by one, since counts are whole; the answer is the number from which on it no longer falls below the requested power.
Beyond a hundred thousand units the normal approximation takes over, where the two differ by less than one in a
thousand.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.kernel.least import least
from rankproof.kernel.sections import counted
from rankproof.online.interleaving.records import UnitsNeeded
from rankproof.proving.sequential import log_evidence


@dataclass(frozen=True, slots=True)
class PlannedShare:
    """One share of wins: with one look (`fixed`) and with many (`anytime`); days where units of a day are known."""

    share: float
    fixed: UnitsNeeded
    anytime: UnitsNeeded
    fixed_days: int | None = None
    anytime_days: int | None = None


@dataclass(frozen=True, slots=True)
class InterleavingPlan:
    """The plan for several shares.

    decided   the share of units that are no ties
    units     how many there are; None where that is to be computed
    """

    rows: tuple[PlannedShare, ...]
    decided: float
    units: int | None
    per_day: int | None
    power: float
    level: float
    looks: int

    def average_units(self, row: PlannedShare) -> float | None:
        """Units, ties among them, when an experiment with many looks is over, on average; None where unknown."""
        return None if row.anytime.average is None else row.anytime.average / self.decided

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "decided": self.decided,
            "units": self.units,
            "per_day": self.per_day,
            "power": self.power,
            "level": self.level,
            "looks": self.looks,
            "shares": [
                {
                    "share": row.share,
                    "fixed": _needed(row.fixed, row.fixed_days),
                    "sequential": _needed(row.anytime, row.anytime_days),
                }
                for row in self.rows
            ],
        }


def _needed(needed: UnitsNeeded, days: int | None) -> dict[str, object]:
    return {
        "decided_units": needed.decided,
        "units": needed.units,
        "power": needed.power,
        "exact": needed.exact,
        "average_decided_units": needed.average,
        "days": days,
    }


EXACT = 100_000


def units_needed(share: float, decided: float = 1.0, power: float = 0.8, level: float = 0.95) -> UnitsNeeded:
    """Units needed to detect a share of wins, where `decided` of all units are no ties."""
    check_plan(share, decided, power, level)
    about = _approximate(share, power, level)
    if about > EXACT:
        decided_units, reached, exact = math.ceil(about), power, False
    else:
        # The approximation is near: the whole saw lies in this window.
        tried = np.arange(max(1, int(about * 0.8) - 60), int(about * 1.2) + 60)
        powers = power_at(tried, share, level)
        below = np.flatnonzero(powers < power)
        at = int(below[-1]) + 1 if len(below) else 0
        decided_units, reached, exact = int(tried[at]), float(powers[at]), True
    return UnitsNeeded(share, decided_units, math.ceil(round(decided_units / decided, 6)), reached, exact)


def power_at(decided: NDArray[np.int64], share: float, level: float = 0.95) -> NDArray[np.float64]:
    """The power of the exact test, for each number of decided units."""
    from scipy.stats import binom  # here: loading scipy is for those who test

    tail = (1 - level) / 2
    # The most losses, or wins, that the test still rejects; -1 where it rejects nothing.
    edge = binom.ppf(tail, decided, 0.5)
    edge = np.where(binom.cdf(edge, decided, 0.5) <= tail, edge, edge - 1)
    power: NDArray[np.float64] = binom.cdf(edge, decided, share) + binom.cdf(edge, decided, 1 - share)
    return power


def _approximate(share: float, power: float, level: float) -> float:
    from scipy.special import ndtri

    reach, beyond = float(ndtri((1 + level) / 2)), float(ndtri(power))
    return ((reach * 0.5 + beyond * math.sqrt(share * (1 - share))) / abs(share - 0.5)) ** 2


def check_plan(share: float, decided: float, power: float, level: float) -> None:
    """Raises an error for values that cannot be planned with."""
    if not 0 < share < 1 or share == 0.5:
        raise UsageError(f"The share of wins to show must lie between 0 and 1 and not be 0.5; got {share}.")
    if not 0 < decided <= 1:
        raise UsageError(f"The rate of decided units must lie above 0 and be 1 at most; got {decided}.")
    for what, value in (("power", power), ("level", level)):
        if not 0.5 <= value < 1:
            raise UsageError(f"The {what} must be 0.5 or more and below 1; got {value}.")


LOOKS = 100
# The least distance from 1/2 that is summed as it is.
NEAREST = 0.01
MOST = 10_000_000


def units_needed_anytime(
    share: float, decided: float = 1.0, power: float = 0.8, level: float = 0.95, looks: int = LOOKS
) -> UnitsNeeded:
    """Units needed to detect a share of wins by the last of so many looks; one may stop at each of them."""
    check_plan(share, decided, power, level)
    distance = abs(share - 0.5)
    summed = 0.5 + max(distance, NEAREST)
    decided_units = least(lambda n: power_anytime(n, summed, level, looks)[0] >= power, 2, MOST)
    assert decided_units is not None  # with shares this far from 1/2, a few ten thousand units are enough
    reached, average = power_anytime(decided_units, summed, level, looks)
    growth = max(1.0, (NEAREST / distance) ** 2)
    decided_units = math.ceil(round(decided_units * growth, 6))
    units = math.ceil(round(decided_units / decided, 6))
    return UnitsNeeded(share, decided_units, units, reached, distance >= NEAREST, looks, average * growth)


def power_anytime(decided: int, share: float, level: float = 0.95, looks: int = LOOKS) -> tuple[float, float]:
    """The probability of a significant preference by the last look; and the mean number of decided units at the end."""
    from scipy.stats import binom  # here: loading scipy is for those who test

    sizes = np.unique(np.ceil(decided * np.arange(1, looks + 1) / looks).astype(np.int64))
    edges = _edges(sizes, level, decided)
    going, first, before = np.ones(1), 0, 0  # the probability of each number of wins, from `first` on
    detected = average = 0.0
    for size, edge in zip(sizes.tolist(), edges.tolist(), strict=True):
        new_units = size - before
        going = np.convolve(going, binom.pmf(np.arange(new_units + 1), new_units, share))
        # Significant from `edge` wins on, or with as many losses.
        low, high = max(size - edge + 1 - first, 0), max(edge - first, 0)
        stopped = float(going[:low].sum() + going[high:].sum())
        detected += stopped
        average += stopped * size
        going, first, before = going[low:high], first + low, size
    return detected, average + (1 - detected) * decided


def _edges(sizes: NDArray[np.int64], level: float, units: int) -> NDArray[np.int64]:
    """For each number of decided units, the least significant number of wins; more than all where there is none."""
    limit = -math.log(1 - level)
    low, high = sizes // 2, sizes + 1  # not enough; enough, or beyond what there can be
    while np.any(high - low > 1):
        middle = (low + high) // 2
        enough = log_evidence(middle, sizes - middle, level, units) >= limit
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high


# Decided units beyond which every share of interest is detected, and sums take long.
MOST_UNITS = 1_000_000


def plan(
    shares: Sequence[float],
    decided: float = 1.0,
    units: int | None = None,
    per_day: int | None = None,
    power: float = 0.8,
    level: float = 0.95,
    looks: int = LOOKS,
) -> InterleavingPlan:
    """For each share the units it takes; with `units` the power that they have instead."""
    for share in shares:
        check_plan(share, decided, power, level)
    rows = []
    if units is None:
        for share in shares:
            fixed = units_needed(share, decided, power, level)
            anytime = units_needed_anytime(share, decided, power, level, looks)
            rows.append(PlannedShare(share, fixed, anytime, _days(fixed.units, per_day), _days(anytime.units, per_day)))
    else:
        there = math.floor(round(units * decided, 6))
        if not 1 <= there <= MOST_UNITS:
            raise UsageError(
                f"{counted(units, 'unit')} with a share of {decided:g} decided give "
                f"{counted(there, 'decided unit')}; a plan needs 1 to {MOST_UNITS:,} of them."
            )
        for share in shares:
            once = float(power_at(np.array([there]), share, level)[0])
            often, average = power_anytime(there, share, level, looks)
            fixed = UnitsNeeded(share, there, units, once, True)
            rows.append(PlannedShare(share, fixed, UnitsNeeded(share, there, units, often, True, looks, average)))
    return InterleavingPlan(tuple(rows), decided, units, per_day, power, level, looks)


def _days(units: int, per_day: int | None) -> int | None:
    return None if per_day is None else math.ceil(units / per_day)
