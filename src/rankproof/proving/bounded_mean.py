"""One-sided bounds of a mean of values with a known range, which hold for few, discrete and mostly equal values too.

**Gaffke's bound.** The observed values and one worst value get the weights of a uniform Dirichlet distribution; the
5% quantile of their weighted mean is a lower bound of the mean at confidence 95%. It depends on no order, never falls
when a value rises, and is the exact bound of Clopper and Pearson where values are 0 and 1. No counterexample is known
and no simulation has seen it err more often than it promises; a proof for all distributions is not published.

**Betting.** Somebody who bets against "the mean is at most m" multiplies a stake of 1 by 1 + b (value - m) at each
value, with a bet b that depends on the values before it only. Where m is at least the true mean, the capital ever
exceeds 20 with probability 1/20 at most (Ville), so every m at which it does is rejected. Proven for every distribution
and every order that does not look at the values; the price is less power.

source: Gaffke, Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative variable,
    Mathematical Methods of Statistics 14, 2005; Learned-Miller and Thomas, A new confidence interval for the mean of a
    bounded random variable, arXiv 1905.06208, 2019; Waudby-Smith and Ramdas, Estimating means of bounded random
    variables by betting, JRSS B 86(1), 2024
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

# The trapezoidal rule begins with this step and halves it until the integral stays the same to so many digits.
_STEP, _SAME = 0.2, 1e-10
# Where the integrand has fallen below exp(-_DECAY) of its greatest, nothing is left.
_DECAY = 34.0
# The path of integration keeps this distance from 0, in standard deviations, and from the end of where it may run.
_CLEAR, _INSIDE = 0.5, 0.5
# Bounds are found to this distance, in units of the range of the values.
_NEAR = 1e-10
# Secants that have not met by then are given up.
_MOST_SECANTS = 12
_BETTING_ALPHA = 0.05
# Methods whose bounds come from the range of the values, and with them the number of queries that decides.
RANGE_METHODS = ("gaffke", "betting")
# More queries than this are not a plan.
MOST_QUERIES = 100_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Weighted:
    """Different values, from the least on, and how often each was seen; counts need not be whole numbers."""

    points: Numbers
    counts: Numbers

    @classmethod
    def of(cls, values: Numbers) -> Weighted:
        """The values as they are."""
        points, counts = np.unique(values, return_counts=True)
        return cls(points, counts.astype(np.float64))

    def times(self, factor: float) -> Weighted:
        """As if everything had been seen so many times as often."""
        return Weighted(self.points, self.counts * factor)


def gaffke_p(values: Weighted, worst: float, threshold: float) -> float:
    """P-value of "the mean is at most the threshold" for values that are never below `worst`.

    The probability that the Dirichlet-weighted mean of the values and of `worst` is at most the threshold. Weights that
    are exponential variables E over their sum make it P(S <= 0) with S = sum of E_i (z_i - threshold), which comes from
    the moment generating function by an integral along a line through its saddlepoint: exact to 10 digits, relative to
    small probabilities too.

    >>> round(gaffke_p(Weighted.of(np.ones(3)), 0.0, 0.8), 4)  # three hits of three: 0.8^3
    0.512
    """
    distances = np.append(values.points, worst) - threshold
    counts = np.append(values.counts, 1.0)
    if float(distances.max()) <= 0.0:
        return 1.0
    if float(distances.min()) >= 0.0:
        return 0.0
    distances /= float(np.abs(distances).max())
    shift = _saddlepoint(distances, counts)
    tilted = distances / (1.0 - shift * distances)
    width = 1.0 / math.sqrt(float(np.square(tilted) @ counts))
    if abs(shift) < _CLEAR * width:
        # Too near to the pole at 0: any line on its left within the strip gives the same.
        shift = max(-_CLEAR * width, _INSIDE / float(distances.min()))
        tilted = distances / (1.0 - shift * distances)
    logarithm = -float(np.log1p(-shift * distances) @ counts)

    def integrand(u: Numbers) -> float:
        """The sum over points of the path: the real part of M(s) / s at s = shift + i width sinh(u)."""
        heights, slopes = width * np.sinh(u), width * np.cosh(u)
        products = np.multiply.outer(heights, tilted)
        angle = np.arctan(products) @ counts
        modulus = np.exp(logarithm - 0.5 * (np.log1p(np.square(products)) @ counts))
        parts = modulus * (shift * np.cos(angle) + heights * np.sin(angle)) / (shift * shift + np.square(heights))
        return float(parts @ slopes)

    end = _end(tilted, counts, width)
    step = _STEP
    total = integrand(np.arange(step, end, step)) + 0.5 * integrand(np.zeros(1))
    side, before = step * total, math.inf
    while abs(side - before) > _SAME * abs(side) + 1e-15 and step > 1e-3:
        total += integrand(np.arange(0.5 * step, end, step))
        step, before = 0.5 * step, side
        side = step * total
    side /= math.pi
    return min(1.0, max(0.0, -side if shift < 0.0 else 1.0 - side))


def _saddlepoint(distances: Numbers, counts: Numbers) -> float:
    """Where the logarithm of the moment generating function, -sum of counts log(1 - s distance), is least."""
    low, high = 1.0 / float(distances.min()), 1.0 / float(distances.max())
    at = 0.0
    for _ in range(60):
        tilted = distances / (1.0 - at * distances)
        slope, curve = float(tilted @ counts), float(np.square(tilted) @ counts)
        low, high = (at, high) if slope < 0.0 else (low, at)
        step = slope / curve
        if abs(step) * math.sqrt(curve) < 1e-3:
            break
        at = at - step if low < at - step < high else 0.5 * (low + high)
    return at


def _end(tilted: Numbers, counts: Numbers, width: float) -> float:
    """The u at which the integrand has vanished."""
    end = 1.0
    while end < 60.0 and 0.5 * float(np.log1p(np.square(width * math.sinh(end) * tilted)) @ counts) < _DECAY - end:
        end += 0.5
    return end


def gaffke_bound(values: Weighted, worst: float, level: float) -> float:
    """The one-sided lower bound of the mean at the level, for values that are never below `worst`.

    >>> round(gaffke_bound(Weighted.of(np.ones(3)), 0.0, 0.95), 4)  # 0.05^(1/3)
    0.3684
    """
    most = float(values.points[-1])
    near = _dirichlet_mean(np.append(values.points, worst), np.append(values.counts, 1.0), level)
    return _least_not_rejected(lambda at: gaffke_p(values, worst, at), worst, most, 1.0 - level, near)


def _dirichlet_mean(points: Numbers, counts: Numbers, level: float) -> float:
    """About where the lower end of the Dirichlet-weighted mean is: its mean less standard deviations."""
    from scipy.special import ndtri  # imported here: only tests need scipy

    n = float(counts.sum())
    mean = float(points @ counts) / n
    return mean - float(ndtri(level)) * math.sqrt(float(np.square(points - mean) @ counts) / (n * (n + 1.0)))


def sized_gaffke_p(values: Numbers, sizes: Numbers, worst: float, threshold: float) -> float:
    """`gaffke_p` where values count by their sizes: of the mean of size times (value - threshold), against 0.

    The one value that was not seen has the greatest size and the worst value.

    >>> sized_gaffke_p(np.ones(3), np.ones(3), 0.0, 0.8) == gaffke_p(Weighted.of(np.ones(3)), 0.0, 0.8)
    True
    """
    return gaffke_p(Weighted.of(sizes * (values - threshold)), float(sizes.max()) * (worst - threshold), 0.0)


def sized_gaffke_bound(values: Numbers, sizes: Numbers, worst: float, level: float) -> float:
    """`gaffke_bound` where values count by their sizes."""
    points, counts = np.append(values, worst), np.append(sizes, sizes.max())
    near = _dirichlet_mean(points, counts, level)
    return _least_not_rejected(
        lambda at: sized_gaffke_p(values, sizes, worst, at), worst, float(values.max()), 1.0 - level, near
    )


def queries_for_bound(values: Numbers, worst: float, threshold: float, level: float, power: float) -> int | None:
    """With how many queries like these Gaffke's bound clears a threshold, with so much power; None where none does.

    `worst` is the end of the range beyond the threshold. The values are taken as the whole truth and seen more often;
    the bound clears the threshold with the given power where it would do so at the level whose normal quantile is
    the sum of both: z(level) + z(power).

    >>> queries_for_bound(np.zeros(50), -1.0, -0.02, 0.95, 0.8)
    149
    """
    from scipy.special import ndtr, ndtri  # imported here: only tests need scipy

    seen = Weighted.of(values) if worst < threshold else Weighted.of(-values)
    end, goal = (worst, threshold) if worst < threshold else (-worst, -threshold)
    n = len(values)
    if not math.isfinite(worst):
        return None
    alpha = 1.0 - level
    if len(seen.points) > 1:  # nothing is left to chance where all are equal
        alpha = float(ndtr(-(ndtri(level) + ndtri(power))))

    def clears(queries: int) -> bool:
        return gaffke_p(seen.times(queries / n), end, goal) <= alpha

    high = n
    while not clears(high):
        high *= 2
        if high > MOST_QUERIES:
            return None
    low = high // 2 if high > n else 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if clears(middle) else (middle, high)
    return high


def betting_p(values: Numbers, worst: float, best: float, threshold: float) -> float:
    """P-value of "the mean is at most the threshold" for values from `worst` to `best`: one over the greatest capital.

    The bet goes with the spread of the values before (plug-in, predictable), and is never more than would leave a
    quarter of the capital after the worst value. It is tuned for a confidence of 95% and valid at every one.

    >>> round(betting_p(np.ones(20), 0.0, 1.0, 0.8), 3)
    0.032
    """
    span = best - worst
    scaled, mean = (values - worst) / span, (threshold - worst) / span
    if mean <= 0.0:
        return 0.0 if float(scaled.max(initial=0.0)) > mean else 1.0
    if mean >= 1.0:
        return 1.0
    n = len(scaled)
    times = np.arange(1, n + 1)
    running = (0.5 + np.cumsum(scaled)) / (times + 1)
    variance = (0.25 + np.cumsum(np.square(scaled - running))) / (times + 1)
    before = np.concatenate(([0.25], variance[:-1]))
    bets = np.minimum(np.sqrt(2.0 * math.log(1.0 / _BETTING_ALPHA) / (n * before)), 0.75 / mean)
    capital = np.cumsum(np.log1p(bets * (scaled - mean)))
    return float(min(1.0, math.exp(-float(capital.max(initial=0.0)))))


def betting_bound(values: Numbers, worst: float, best: float, level: float) -> float:
    """The one-sided lower bound of the mean at the level: every mean below it is rejected.

    >>> round(betting_bound(np.ones(20), 0.0, 1.0, 0.95), 4)
    0.8227
    """
    return _least_not_rejected(lambda at: betting_p(values, worst, best, at), worst, best, 1.0 - level)


def _least_not_rejected(
    p: Callable[[float], float], worst: float, most: float, alpha: float, guess: float | None = None
) -> float:
    """The least mean whose p-value is above alpha. P-values rise with the mean; to the safe side of rounding.

    `guess` is where it may be, for p-values that are smooth.
    """
    from scipy.optimize import brentq  # imported here: only tests need scipy

    if most <= worst or p(most) <= alpha:
        return max(most, worst)
    near = _NEAR * (most - worst)
    if p(worst + near) > alpha:
        return worst
    found = None if guess is None else _by_secants(p, worst + near, most, alpha, guess, near)
    if found is None:
        found = float(brentq(lambda at: p(at) - alpha, worst + near, most, xtol=near, rtol=1e-14))
    return found - near


def _by_secants(
    p: Callable[[float], float], low: float, high: float, alpha: float, guess: float, near: float
) -> float | None:
    """Where p is alpha: by secants of its normal quantile, which is nearly a straight line; None where they miss."""
    from scipy.special import ndtri  # imported here: only tests need scipy

    goal = float(ndtri(alpha))
    before = min(max(guess, low), high)
    at = min(max(guess + 1e-3 * (high - low), low), high)
    off_before = float(ndtri(p(before))) - goal
    for _ in range(_MOST_SECANTS):
        off = float(ndtri(p(at))) - goal
        if not math.isfinite(off) or not math.isfinite(off_before) or off == off_before:
            return None
        step = off * (at - before) / (off - off_before)
        before, off_before, at = at, off, at - step
        if not low <= at <= high:
            return None
        if abs(step) <= near:
            return at
    return None
