"""Sizing: how many units an interleaving experiment takes to show a preference.

The test is the exact two-sided binomial one of the share of wins. Its power goes up and down as units are added, one
by one, since counts are whole; the answer is the number from which on it no longer falls below what was asked for.
Beyond a hundred thousand units the normal approximation takes over, where the two differ by less than one in a
thousand.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.records.interleaving import UnitsNeeded

EXACT = 100_000


def units_needed(share: float, decided: float = 1.0, power: float = 0.8, level: float = 0.95) -> UnitsNeeded:
    """Units that show a share of wins, where `decided` of all units are no ties."""
    check_plan(share, decided, power, level)
    about = _approximate(share, power, level)
    if about > EXACT:
        found, has, exact = math.ceil(about), power, False
    else:
        # The approximation is near: the whole saw lies in this window.
        tried = np.arange(max(1, int(about * 0.8) - 60), int(about * 1.2) + 60)
        powers = power_at(tried, share, level)
        below = np.flatnonzero(powers < power)
        at = int(below[-1]) + 1 if len(below) else 0
        found, has, exact = int(tried[at]), float(powers[at]), True
    return UnitsNeeded(share, found, math.ceil(round(found / decided, 6)), has, exact)


def power_at(decided: NDArray[np.int64], share: float, level: float = 0.95) -> NDArray[np.float64]:
    """The power of the exact test, for each number of decided units."""
    from scipy.stats import binom  # here: loading scipy is for those who test

    tail = (1 - level) / 2
    # The most losses, or wins, that the test still rejects; -1 where it rejects nothing.
    edge = binom.ppf(tail, decided, 0.5)
    edge = np.where(binom.cdf(edge, decided, 0.5) <= tail, edge, edge - 1)
    found: NDArray[np.float64] = binom.cdf(edge, decided, share) + binom.cdf(edge, decided, 1 - share)
    return found


def _approximate(share: float, power: float, level: float) -> float:
    from scipy.special import ndtri

    reach, beyond = float(ndtri((1 + level) / 2)), float(ndtri(power))
    return ((reach * 0.5 + beyond * math.sqrt(share * (1 - share))) / abs(share - 0.5)) ** 2


def check_plan(share: float, decided: float, power: float, level: float) -> None:
    """An error for what cannot be planned."""
    if not 0 < share < 1 or share == 0.5:
        raise UsageError(f"The share of wins to show must lie between 0 and 1 and not be 0.5; got {share}.")
    if not 0 < decided <= 1:
        raise UsageError(f"The rate of decided units must lie above 0 and be 1 at most; got {decided}.")
    for what, value in (("power", power), ("level", level)):
        if not 0.5 <= value < 1:
            raise UsageError(f"The {what} must be 0.5 or more and below 1; got {value}.")
