"""Group-sequential tests: the limits that a standardized effect must pass at each of some planned looks.

An error-spending function says how much of the allowed error may be spent by a fraction of the trial. The limit of a
look is where the probability of passing it, without having passed one before, is what that look may spend (Lan and
DeMets, Discrete sequential boundaries for clinical trials, Biometrika 70, 1983). The probability comes from integrating
over where the effect stood at the look before, again and again (Armitage, McPherson and Rowe, Journal of the Royal
Statistical Society A 132, 1969; Jennison and Turnbull, Group Sequential Methods, 2000, chapter 19). Looks may be missed
or added and information may come unevenly: what counts is what has come.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# The error that may be spent on one side by a fraction of the trial, of the error allowed on it in all.
Spending = Callable[[float, float], float]

# Standard errors beyond which nothing is integrated, and errors too small to have a limit within them.
FURTHEST, NOTHING = 6.0, 1e-9
# Points to integrate over: so many for each standard deviation of what a look adds, within these numbers.
DENSITY, FEWEST, MOST = 1.2, 48, 800
# A look that adds less than this share of information sees what the one before saw.
NEW = 2e-4
HALVINGS = 36
# Secants at most, and the difference in standard errors at which a power is the one that was asked for.
SECANTS, SAME = 20, 1e-7


def obrien_fleming_spending(error: float, fraction: float) -> float:
    """Next to nothing early, so that the last look is nearly that of a fixed test (Lan and DeMets 1983).

    >>> round(obrien_fleming_spending(0.05, 0.5), 7)
    0.0055746
    """
    from scipy.special import ndtr, ndtri

    return 2 * float(ndtr(ndtri(error / 2) / math.sqrt(fraction))) if fraction < 1 else error


def pocock_spending(error: float, fraction: float) -> float:
    """About as much at each look, so that large effects end a trial early (Lan and DeMets 1983).

    >>> round(pocock_spending(0.05, 0.5), 4)
    0.031
    """
    return error * math.log1p((math.e - 1) * fraction) if fraction < 1 else error


def limits(spent: Sequence[float], information: Sequence[float], *, two_sided: bool = False) -> tuple[float, ...]:
    """The limit at each look, in standard errors; infinity where a look may spend nothing.

    spent         in all by each look, on one side; not falling
    information   at each look, in any unit; not falling
    two_sided     whether a trial ends on the other side too, by the same limit
    """
    found: list[float] = []
    seen: list[tuple[float, float, _Grid]] = []  # looks that others add to: information, spent, where trials stand
    for error, here in zip(spent, information, strict=True):
        while seen and here - seen[-1][0] <= NEW * here:
            seen.pop()
        _, earlier, grid = seen[-1] if seen else (0.0, 0.0, _Grid.none())
        limit = _limit(grid, error - earlier, here)
        low = max(-limit, -FURTHEST) if two_sided else -FURTHEST
        found.append(limit)
        seen.append((here, error, grid.on(low, min(limit, FURTHEST), here)))
    return tuple(found)


def passed(limits_at: Sequence[float], information: Sequence[float], drift: float = 0.0, *, two_sided: bool) -> float:
    """The probability that some look passes its limit: the error without a drift, the power with one.

    drift   of the standardized effect, times the root of the information: what it is expected to be where that is 1
    """
    grid = _Grid.none()
    total = 0.0
    for at, limit in enumerate(limits_at):
        total += grid.beyond(limit, information[at], drift)
        if two_sided:
            total += grid.below(-limit, information[at], drift)
        low = max(-limit, -FURTHEST) if two_sided else -FURTHEST
        grid = grid.on(low, min(limit, FURTHEST), information[at], drift)
    return total


@lru_cache
def inflation(kind: str, looks: int, level: float, power: float, two_sided: bool) -> float:
    """How many times the traffic of a fixed test a plan of equal looks takes at most, for the same power."""
    from scipy.special import ndtri

    error = (1 - level) / (2 if two_sided else 1)
    information = [(look + 1) / looks for look in range(looks)]
    at = limits([SPENDING[kind](error, part) for part in information], information, two_sided=two_sided)
    fixed = float(ndtri(1 - error) + ndtri(power))

    def missing(drift: float) -> float:
        return float(ndtri(power) - ndtri(passed(at, information, drift, two_sided=two_sided)))

    # In standard errors power is nearly a line: a few secants meet it.
    one, other = fixed, 1.1 * fixed
    left, right = missing(one), missing(other)
    for _ in range(SECANTS):
        if abs(right) < SAME or right == left:
            break
        one, other, left = other, other - right * (other - one) / (right - left), right
        right = missing(other)
    return (other / fixed) ** 2


SPENDING: dict[str, Spending] = {"obrien_fleming": obrien_fleming_spending, "pocock": pocock_spending}


def _limit(grid: _Grid, error: float, information: float) -> float:
    if error <= NOTHING:
        return math.inf
    low, high = -FURTHEST, FURTHEST
    if grid.beyond(high, information) >= error:
        return math.inf
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if grid.beyond(middle, information) > error else (low, middle)
    return high


class _Grid:
    """Where the standardized effect stands at a look of the trials that go on: points, and the probability at each."""

    def __init__(self, points: Floats, weights: Floats, information: float) -> None:
        self.points, self.weights, self.information = points, weights, information

    @classmethod
    def none(cls) -> _Grid:
        """Before the first look: nothing is known, and all trials are there."""
        return cls(np.zeros(1), np.ones(1), 0.0)

    def _scaled(self, information: float, drift: float) -> tuple[Floats, float]:
        """The mean of the standardized effect at the next look, from each point, and its standard deviation."""
        new = information - self.information
        mean = self.points * math.sqrt(self.information / information) + drift * new / math.sqrt(information)
        return mean, math.sqrt(new / information)

    def beyond(self, limit: float, information: float, drift: float = 0.0) -> float:
        """The probability of going on until here and being above a limit at the next look."""
        from scipy.special import ndtr

        if math.isinf(limit):
            return 0.0
        mean, deviation = self._scaled(information, drift)
        return float(self.weights @ ndtr((mean - limit) / deviation))

    def below(self, limit: float, information: float, drift: float = 0.0) -> float:
        """The same below one."""
        from scipy.special import ndtr

        if math.isinf(limit):
            return 0.0
        mean, deviation = self._scaled(information, drift)
        return float(self.weights @ ndtr((limit - mean) / deviation))

    def on(self, low: float, high: float, information: float, drift: float = 0.0) -> _Grid:
        """Where the trials stand that lie between two limits at the next look, and so go on."""
        mean, deviation = self._scaled(information, drift)
        if drift:  # what is far from 0 in expectation has its own middle
            low, high = max(low, float(mean.min()) - FURTHEST), min(high, float(mean.max()) + FURTHEST)
        count = min(MOST, max(FEWEST, math.ceil(DENSITY * (high - low) / deviation)))
        nodes, weights = _nodes(count)
        points = (high - low) / 2 * nodes + (high + low) / 2
        density = np.exp(-0.5 * ((points[:, None] - mean[None, :]) / deviation) ** 2) @ self.weights
        scale = (high - low) / 2 / (deviation * math.sqrt(2 * math.pi))
        return _Grid(points, weights * density * scale, information)


@lru_cache(64)
def _nodes(count: int) -> tuple[Floats, Floats]:
    """Gauss's points and weights between -1 and 1."""
    from numpy.polynomial.legendre import leggauss

    points, weights = leggauss(count)
    return points, weights
