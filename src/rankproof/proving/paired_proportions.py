"""Two paired proportions: the exact unconditional test of their difference, and the bounds that the same test gives.

Of n units, `gained` are 1 under the candidate only and `lost` under the baseline only; the others are equal. The
counts are trinomial, with the rates of gaining and losing as parameters: their difference is what is tested, their sum,
the rate of change, is a nuisance.

Outcomes are ordered by Tango's score statistic at the difference that is tested; at 0 it is McNemar's. The p-value is
the probability of an outcome at least as far out as the observed one, at the rate of change where that is greatest.
Rates of change outside their own confidence interval at 1 - 1e-9 are left out, and 1e-9 is added (Berger and Boos): no
p-value is below it, and nothing is lost where pairs that changed are few among very many. The greatest probability is
sought at so many rates and near the best of them: it is right to about a thousandth of itself.

source: Tango, Equivalence test and confidence interval for the difference in proportions for the paired-sample design,
    Statistics in Medicine 17, 1998; Chan and Zhang, Test-based exact confidence intervals for the difference of two
    binomial proportions, Biometrics 55, 1999; Berger and Boos, P values maximized over a confidence set for the
    nuisance parameter, JASA 89, 1994; Hsueh, Liu and Chen, Unconditional exact tests for equivalence or noninferiority
    for paired binary endpoints, Biometrics 57, 2001
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

# The error that is given away for looking at probable rates of change only; no p-value is below it.
GIVEN_AWAY = 1e-9
# Scores that differ by less are one number, computed in another order.
SAME_SCORE = 1e-9
NO_VARIANCE = 1e-12
# Rates of change that are tried, evenly in the arc sine of their root; then so many between the best and its neighbors.
# By the number of changed units: the more there are, the less the probability depends on the rate.
RATES = ((500, 20, 7), (5_000, 12, 5), (math.inf, 5, 3))
# Counts beyond so many standard deviations, and a few more, have less than 1e-11 of the probability; so have all counts
# together of which each has less than this.
DEVIATIONS, BEYOND, NOTHING = 7.0, 12, 1e-12
# So many outcomes are looked at all together; of more only the edge of the region is searched for.
WHOLE = 2_000
# A bound is found to this part of one unit.
NEAR = 2e-3
# The set of differences that are not rejected can have a hole next to its end, seldom wider than one unit: points so
# many units below an end are tried too, where few units changed. Each is first looked at with few rates of change, and
# left where it lies below this part of what it would have to reach. A narrower hole between two points may be missed:
# over all outcomes of 30 units a one-sided bound at 95% then covers 94.9% at the worst rates.
HOLES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.65, 0.8, 1.0)
FEW_CHANGED, FEW_RATES, PART = 500, 8, 0.8


def tango_score(gained: Numbers, lost: Numbers, n: int, difference: float | Numbers) -> Numbers:
    """Tango's score: how far gains less losses lie above n times the difference, in standard errors under it.

    >>> tango_score(np.array([3.0]), np.array([0.0]), 20, 0.0).round(4)  # McNemar's: 3 / sqrt(3)
    array([1.7321])
    """
    # The rate of loss that is most probable under the difference is the larger root of a quadratic equation.
    apart = difference * (1.0 - difference)
    half = (gained * (1.0 + difference) + lost * (1.0 - difference) - 2.0 * n * difference) * (0.25 / n)
    loss = half + np.sqrt(np.maximum(half * half + lost * (apart * 0.5 / n), 0.0))
    variance = loss * (2.0 * n) + n * apart
    # Without variance, where nothing changed or everything must, any distance is as good as without end.
    scores: Numbers = (gained - lost - n * difference) / np.sqrt(np.maximum(variance, NO_VARIANCE))
    return scores


@lru_cache(maxsize=65_536)
def p_greater(n: int, gained: int, lost: int, difference: float) -> float:
    """P-value of "the rate of gains exceeds that of losses by at most the difference", against more than that.

    >>> round(2 * p_greater(161, 16, 6, 0.0), 5)  # of a textbook: Fagerland, Lydersen and Laake, 2017, chapter 8
    0.03395
    """
    rates, near_best = next(numbers for limit, *numbers in RATES if gained + lost <= limit)
    return _greatest(n, gained, lost, difference, rates, near_best)


@lru_cache(maxsize=65_536)
def _roughly(n: int, gained: int, lost: int, difference: float) -> float:
    """`p_greater` or somewhat less, from few rates of change."""
    return _greatest(n, gained, lost, difference, FEW_RATES, 0)


def _greatest(n: int, gained: int, lost: int, difference: float, rates: int, near_best: int) -> float:
    """The greatest probability of the region over so many rates of change, and so many more near the best of them."""
    least, most = _rates(n, gained + lost)
    if difference > most or difference >= 1.0:
        return 1.0
    if -difference > most:
        return GIVEN_AWAY
    least = max(least, abs(difference))
    region = _Region(n, gained, lost, difference, least, most)
    tried = np.linspace(math.asin(math.sqrt(least)), math.asin(math.sqrt(most)), rates)
    probabilities = region.probability(np.square(np.sin(tried)))
    best = int(probabilities.argmax())
    greatest = float(probabilities[best])
    if near_best:
        around = np.linspace(tried[max(best - 1, 0)], tried[min(best + 1, rates - 1)], near_best + 2)[1:-1]
        greatest = max(greatest, float(region.probability(np.square(np.sin(around))).max()))
    return min(1.0, greatest + GIVEN_AWAY)


@lru_cache(maxsize=4_096)
def _rates(n: int, changed: int) -> tuple[float, float]:
    """Clopper and Pearson's interval of the rate of change, which errs in 1e-9 of cases."""
    from scipy.special import betainccinv, betaincinv  # imported here: only tests need scipy

    least = 0.0 if changed == 0 else float(betaincinv(changed, n - changed + 1, GIVEN_AWAY / 2))
    most = 1.0 if changed == n else float(betainccinv(changed + 1, n - changed, GIVEN_AWAY / 2))
    return least, most


class _Region:
    """The outcomes at least as far out as the observed one: for each number of gains, the most losses."""

    def __init__(self, n: int, gained: int, lost: int, difference: float, least: float, most: float) -> None:
        from scipy.special import gammaln

        self.n, self.difference = n, difference
        observed = float(tango_score(np.array([gained + 0.0]), np.array([lost + 0.0]), n, difference)[0]) - SAME_SCORE
        first, last = _counts(n, (least + difference) / 2, (most + difference) / 2)
        most_lost = _counts(n, 0.0, (most - difference) / 2)[1]
        gains = np.arange(first, last + 1, dtype=np.float64)
        inside = self._most_lost(gains, most_lost, observed)
        kept = inside >= 0
        self.gains, self.losses = gains[kept], inside[kept]
        self.ways = gammaln(n + 1.0) - gammaln(self.gains + 1.0) - gammaln(n - self.gains + 1.0)

    def _most_lost(self, gains: Numbers, limit: int, observed: float) -> Numbers:
        """By number of gains, the most losses with which the score still reaches the observed one; -1 for none."""
        n, difference = self.n, self.difference
        most = np.minimum(n - gains, limit)
        if len(gains) * (limit + 1) <= WHOLE:  # the score falls with every loss: as many reach it as come first
            losses = np.arange(limit + 1.0)
            reached = tango_score(gains[:, None], losses, n, difference) >= observed
            count: Numbers = np.count_nonzero(reached & (losses <= most[:, None]), axis=1).astype(np.float64)
            return count - 1.0
        inside, outside = np.full(len(gains), -1.0), most + 1.0
        while float((outside - inside).max()) > 1.0:
            middle = np.floor((inside + outside) / 2)
            far = tango_score(gains, middle, n, difference) >= observed
            inside, outside = np.where(far, middle, inside), np.where(far, outside, np.maximum(middle, inside + 1.0))
        return inside

    def probability(self, rates: Numbers) -> Numbers:
        """Of the region, at each rate of change."""
        from scipy.special import bdtr, xlog1py, xlogy

        gain = np.clip((rates + self.difference) / 2, 0.0, 1.0)[:, None]
        loss = np.clip((rates - self.difference) / 2, 0.0, 1.0)[:, None]
        rest = self.n - self.gains
        gaining = np.exp(self.ways + xlogy(self.gains, gain) + xlog1py(rest, -gain))
        # Of those that did not gain; where all gain there is nothing to lose.
        losing = np.minimum(1.0, np.divide(loss, 1.0 - gain, out=np.zeros_like(loss), where=gain < 1.0))
        at_most = np.ones_like(gaining)
        bdtr(self.losses, rest.astype(np.int64), losing, out=at_most, where=(self.losses < rest) & (gaining > NOTHING))
        return np.asarray((gaining * at_most).sum(axis=1), dtype=np.float64)


def _counts(n: int, least: float, most: float) -> tuple[int, int]:
    """Between which counts nearly all probability lies, for rates from the least to the most."""
    low, high = n * max(least, 0.0), n * max(most, 0.0)
    first = max(0, math.floor(low - DEVIATIONS * math.sqrt(low)))
    return first, min(n, math.ceil(high + DEVIATIONS * math.sqrt(high)) + BEYOND)


@lru_cache(maxsize=65_536)
def tested(n: int, gained: int, lost: int, null: float) -> tuple[float, float]:
    """`p_greater` at the null or, where it is greater there, at a point just below; and that point.

    A mean below the null cannot be rejected by less than the null is: that is what makes p-value and bound agree.
    """
    highest = p_greater(n, gained, lost, null), null
    for at in _below(n, gained + lost, null) if gained - lost > n * null else ():
        if _roughly(n, gained, lost, at) > PART * highest[0]:
            highest = max(highest, (p_greater(n, gained, lost, at), at))
    return highest


def _below(n: int, changed: int, at: float) -> list[float]:
    """The points just below one at which a hole is looked for."""
    return [max(-1.0, at - units / n) for units in HOLES] if changed <= FEW_CHANGED else []


@lru_cache(maxsize=65_536)
def lower_bound(n: int, gained: int, lost: int, null: float, alpha: float) -> float:
    """The least difference that the test does not reject at error `alpha`; above `null` exactly where that is rejected.

    >>> round(lower_bound(20, 3, 0, 0.0, 0.025), 4)
    -0.0399
    """
    p_null, at = tested(n, gained, lost, null)
    if lost == n or (at <= -1.0 and p_null > alpha):
        return -1.0
    low, high = (null, 1.0) if p_null <= alpha else (-1.0, at)
    floor = low
    while True:
        low, high = _crossing(n, gained, lost, alpha, low, high)
        below = [at for at in _below(n, gained + lost, low) if at > floor]
        higher = [
            at
            for at in below
            if _roughly(n, gained, lost, at) > PART * alpha and p_greater(n, gained, lost, at) > alpha
        ]
        if not higher:
            return high if low == null else low
        low, high = floor, min(higher)


def _crossing(n: int, gained: int, lost: int, alpha: float, low: float, high: float) -> tuple[float, float]:
    """Two close differences of which the lower is rejected and the higher is not."""
    from scipy.special import ndtri

    goal = float(ndtri(alpha))

    def excess(at: float, p: Callable[[int, int, int, float], float]) -> float:
        return float(ndtri(p(n, gained, lost, at))) - goal

    start = min(max(_tango_bound(n, gained, lost, -goal), low), high)
    about, _ = _bracket(partial(excess, p=_roughly), low, high, start, 0.5 / n, 10.0 * NEAR / n)
    return _bracket(partial(excess, p=p_greater), low, high, about, 10.0 * NEAR / n, NEAR / n)


def _bracket(
    excess: Callable[[float], float], low: float, high: float, at: float, step: float, close: float
) -> tuple[float, float]:
    """Two points as close as that, between which the excess turns from 0 or less to more; sought from a point on."""
    low_excess = high_excess = math.nan
    turn = 0
    while high - low > close:
        if not low < at < high:
            at = 0.5 * (low + high)
        value = excess(at)
        if value <= 0.0:
            low, low_excess = at, value
        else:
            high, high_excess = at, value
        turn += 1
        if math.isnan(low_excess):
            at, step = high - step, 2.0 * step
        elif math.isnan(high_excess):
            at, step = low + step, 2.0 * step
        elif turn % 3 and math.isfinite(high_excess - low_excess):
            # A secant, moved a little so that the root comes to lie between two close points.
            root = low - low_excess * (high - low) / (high_excess - low_excess)
            nudge = 0.4 * close if turn % 2 else -0.4 * close
            at = min(max(root + nudge, low + 0.4 * close), high - 0.4 * close)
        else:
            at = 0.5 * (low + high)
    return low, high


def _tango_bound(n: int, gained: int, lost: int, z: float) -> float:
    """Where Tango's score is z: about where the exact bound lies."""
    low, high = -1.0, 1.0
    counts = np.array([gained + 0.0]), np.array([lost + 0.0])
    while high - low > 0.1 / n:
        points = np.linspace(low, high, 18)[1:-1]
        above = int(np.count_nonzero(tango_score(*counts, n, points) > z))
        low, high = ([low, *points.tolist(), high])[above : above + 2]
    return 0.5 * (low + high)


def units_for_score(n: int, gained: int, lost: int, difference: float, level: float, power: float) -> int | None:
    """With how many units like these the test clears a difference with so much power; None where none does.

    With the rates as they are the score grows with the root of the number of units.

    >>> units_for_score(20, 3, 0, 0.0, 0.95, 0.8)
    42
    """
    from scipy.special import ndtri

    score = abs(float(tango_score(np.array([gained + 0.0]), np.array([lost + 0.0]), n, difference)[0]))
    if score <= SAME_SCORE:
        return None
    return math.ceil(n * ((float(ndtri(level)) + float(ndtri(power))) / score) ** 2)
