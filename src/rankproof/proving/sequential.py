"""Always-valid inference: confidence intervals and p-values that hold at all times together, however often one looks.

Two mixtures for a mean or a difference of means (a confidence sequence, tightest at a planned number of units; a
mixture sequential probability ratio test, most powerful for effects of a planned size), and one for a share of wins.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# The mixture is never wider, however few units are planned: around 1/2 this is Jeffreys' distribution.
_LEAST_WEIGHT = 1.0
# Steps of halving after which two numbers between 0 and 1 are the same.
_STEPS = 60


@dataclass(frozen=True, slots=True, eq=False)
class AlwaysValid:
    """One look at an estimate.

    radius    half the width of the confidence interval; of a one-sided one, the distance from the estimate to its bound
    p_value   of the estimate's distance from the null hypothesis, on the side of the alternative
    """

    radius: float
    p_value: Callable[[float], float]


def rho_squared(alpha: float, units: int) -> float:
    """The parameter of the normal mixture with nearly the tightest interval at `units` (Waudby-Smith and others)."""
    return (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / units


def confidence_sequence(n: int, variance: float, alpha: float, units: int, *, two_sided: bool = True) -> AlwaysValid:
    """Asymptotic confidence sequence after `n` units, for an estimate with this variance; tightest at `units`.

    Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Time-uniform central limit theory and asymptotic confidence
    sequences, Annals of Statistics 52(6), 2024, with t = n and the variance of a unit n times that of the estimate.
    One-sided, log(1 + root / (2 alpha)) takes the place of log(root / alpha). Any rho is valid.
    """
    t_rho = n * rho_squared(alpha if two_sided else min(2 * alpha, 0.9), units)  # t times rho squared
    root = math.sqrt(t_rho + 1)
    scale = 2 * (t_rho + 1) / t_rho * variance
    radius = math.sqrt(scale * (math.log(root / alpha) if two_sided else math.log1p(root / (2 * alpha))))

    def p_value(distance: float) -> float:
        exponent = distance * distance / scale
        if two_sided:
            return min(1.0, math.exp(math.log(root) - exponent))
        # Where the exponential is beyond floats, 1 beside it is nothing.
        return min(1.0, root / 2 / math.expm1(exponent) if 0 < exponent < 700 else root / 2 * math.exp(-exponent))

    return AlwaysValid(radius, p_value)


def mixture_sprt(variance: float, alpha: float, effect: float, *, two_sided: bool = True) -> AlwaysValid:
    """Mixture sequential probability ratio test for an estimate with this variance; `effect` is the expected size.

    The mixture ratio of two normal means in Johari, Koomen, Pekelis and Walsh, Peeking at A/B tests, KDD 2017; its
    2 sigma squared / n is the variance of the estimate.
    """
    from scipy.special import log_ndtr  # imported here: only tests need scipy

    mixing = effect**2
    root = math.sqrt(1 + mixing / variance)
    scale = 2 * variance * (variance + mixing) / mixing

    def log_ratio(distance: float) -> float:
        both_sides = distance * distance / scale - math.log(root)
        if two_sided:
            return both_sides
        # The integral over the positive half of the normal distribution, doubled: sqrt(2 / scale) standardizes.
        return both_sides + math.log(2) + float(log_ndtr(distance * math.sqrt(2 / scale)))

    if two_sided:
        radius = math.sqrt(scale * math.log(root / alpha))
    else:
        radius = _where_reached(log_ratio, -math.log(alpha), math.sqrt(scale * math.log(2 * root / alpha)))
    return AlwaysValid(radius, lambda distance: min(1.0, math.exp(-log_ratio(distance))))


def _where_reached(rising: Callable[[float], float], level: float, high: float) -> float:
    """Where a rising function reaches a level: halving between 0 and `high`, doubled until it is beyond."""
    while rising(high) < level:
        high *= 2
    low = 0.0
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return high
        low, high = (low, middle) if rising(middle) >= level else (middle, high)


def beta_weight(level: float, units: int) -> float:
    """The sum of both parameters of the beta mixture: its variance is that of the normal mixture for so many units."""
    # A coin has a variance of p (1 - p), and the beta distribution with weight c around p that over c + 1.
    return max(_LEAST_WEIGHT, 1 / rho_squared(1 - level, units) - 1)


def log_evidence(
    wins: NDArray[np.int64], losses: NDArray[np.int64], level: float, units: int, share: float = 0.5
) -> NDArray[np.float64]:
    """The logarithm of the beta-binomial mixture's likelihood ratio against a share, for each pair of counts."""
    from scipy.special import betaln  # imported here: only tests need scipy

    weight = beta_weight(level, units)
    a, b = weight * share, weight * (1 - share)
    log_ratio: NDArray[np.float64] = (
        betaln(a + wins, b + losses) - betaln(a, b) - wins * math.log(share) - losses * math.log1p(-share)
    )
    return log_ratio


def share_at_any_time(wins: int, losses: int, level: float, units: int) -> tuple[float, float, float]:
    """Lower end, upper end and p-value (against 1/2) of the share of wins, valid at every look; one unit or more."""
    counts = np.array([wins]), np.array([losses])
    limit = -math.log(1 - level)

    def inside(p: float) -> bool:
        return bool(log_evidence(*counts, level, units, p)[0] < limit)

    share = wins / (wins + losses)
    low = _end_of_region(inside, share, 0.0) if wins else 0.0
    high = _end_of_region(inside, share, 1.0) if losses else 1.0
    return low, high, min(1.0, math.exp(-float(log_evidence(*counts, level, units)[0])))


def _end_of_region(inside: Callable[[float], bool], start: float, end: float) -> float:
    """Where a region that contains `start` ends on the way to `end`, which it does not contain."""
    for _ in range(_STEPS):
        middle = (start + end) / 2
        if middle in (start, end):
            break
        start, end = (middle, end) if inside(middle) else (start, middle)
    return end
