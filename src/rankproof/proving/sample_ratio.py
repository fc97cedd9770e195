"""Sample ratio: whether units were assigned in the planned shares. This is tested first: without it no result counts.

Pearson's chi-square test. alpha is 0.001, not 0.05: the test is made for every trial on every day, and a mismatch
stops the analysis (Fabijan et al., Diagnosing sample ratio mismatch in online controlled experiments,
KDD 2019). The power of two variants is that of a normal distribution with the variance of the true shares, q, and
not of those planned, p: with 1% of the units in a variant the two differ by much. Otherwise it is that of the
noncentral chi-square distribution with noncentrality N x sum((q - p)^2 / p).

Where the planned shares changed during the trial, each period has its own statistic; they are independent and add up,
and so do their degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rankproof.errors import UsageError


@dataclass(frozen=True, slots=True)
class SampleRatio:
    """Whether units were assigned to the variants in the planned shares.

    expected     units by variant, by the planned shares of all that came
    statistic    of Pearson's chi-square test
    holds        whether p_value is above alpha; where it is not, no number of the trial can be trusted
    detectable   by variant, the least share of its units that can be lost and is noticed with `power`; None: none is
    """

    observed: Mapping[str, int]
    expected: Mapping[str, float]
    statistic: float
    p_value: float
    alpha: float
    holds: bool
    power: float
    detectable: Mapping[str, float | None]


ALPHA = 0.001
POWER = 0.9


def sample_ratio(
    counts: Mapping[str, int], shares: Mapping[str, float], *, alpha: float = ALPHA, power: float = POWER
) -> SampleRatio:
    """The check. `shares` are in any unit: 50 and 50, or 0.5 and 0.5."""
    return sample_ratio_over([(counts, shares)], alpha=alpha, power=power)


def sample_ratio_over(
    periods: Sequence[tuple[Mapping[str, int], Mapping[str, float]]], *, alpha: float = ALPHA, power: float = POWER
) -> SampleRatio:
    """The check over periods of different planned shares: units by variant, and shares, of each."""
    from scipy.special import chdtrc, chdtri

    if not 0 < alpha < power < 1:
        raise UsageError(f"alpha lies above 0 and below the power, which is below 1; {alpha:g} and {power:g} came.")
    planned = [_planned(counts, shares) for counts, shares in periods]
    totals = [sum(counts.values()) for counts, _ in periods]
    names = list(dict.fromkeys(name for counts, _ in periods for name in counts))
    observed = {name: sum(counts.get(name, 0) for counts, _ in periods) for name in names}
    expected = {
        name: math.fsum(shares.get(name, 0.0) * n for shares, n in zip(planned, totals, strict=True)) for name in names
    }
    statistic = math.fsum(
        (counts[name] - share * n) ** 2 / (share * n)
        for (counts, _), shares, n in zip(periods, planned, totals, strict=True)
        for name, share in shares.items()
        if n
    )
    df = sum(len(shares) - 1 for shares in planned)
    p = float(chdtrc(df, statistic))
    critical = float(chdtri(df, alpha))
    detectable = {}
    for name in names:
        parts = [(shares[name], n) for shares, n in zip(planned, totals, strict=True) if name in shares]
        detectable[name] = _least_loss(_noticing(parts, df, critical, power))
    return SampleRatio(observed, expected, statistic, p, alpha, p > alpha, power, detectable)


def mismatch_power(
    total: int, shares: Mapping[str, float], true: Mapping[str, float], *, alpha: float = ALPHA
) -> float:
    """The probability that units assigned in the `true` shares are detected among `total`."""
    from scipy.special import chdtri, chndtr

    planned, came = _planned(true, shares), _planned(shares, true)
    noncentral = total * math.fsum((came[name] - share) ** 2 / share for name, share in planned.items())
    df = len(planned) - 1
    critical = float(chdtri(df, alpha))
    if not noncentral:
        return alpha
    if df == 1:
        name = next(iter(planned))
        return _power_of_two(planned[name], came[name], total, critical)
    return 1 - float(chndtr(critical, df, noncentral))


def _planned(counts: Mapping[str, float], shares: Mapping[str, float]) -> dict[str, float]:
    if set(counts) != set(shares) or len(shares) < 2:
        raise UsageError(
            f"Units and planned shares are of the same two variants or more; units came for {', '.join(counts)}, "
            f"shares for {', '.join(shares)}."
        )
    if any(not (math.isfinite(share) and share > 0) for share in shares.values()):
        raise UsageError("Planned shares are greater than 0. Leave out a variant that gets no traffic.")
    if any(count < 0 for count in counts.values()):
        raise UsageError("A variant has fewer than 0 units.")
    whole = math.fsum(shares.values())
    return {name: shares[name] / whole for name in counts}


def _noticing(periods: Sequence[tuple[float, int]], df: int, critical: float, power: float) -> Callable[[float], bool]:
    """Whether the loss of a part of a variant's units is noticed with the power; `periods` are its share and all units.

    What is left has the share q = p (1 - m) / (1 - p m), which is p m (1 - p) / (1 - p m) less than p; the other
    variants gain in proportion, so that the noncentrality is N (p - q)^2 / (p (1 - p)) in each period.
    """
    if df == 1:
        ((share, n),) = periods
        return lambda loss: _power_of_two(share, _left(share, loss), n, critical) >= power
    needed = _noncentrality(df, critical, power)
    return lambda loss: (
        math.fsum(n * (share - _left(share, loss)) ** 2 / (share * (1 - share)) for share, n in periods) >= needed
    )


def _left(share: float, loss: float) -> float:
    return share * (1 - loss) / (1 - share * loss)


def _power_of_two(planned: float, true: float, n: int, critical: float) -> float:
    """The probability that the root of the statistic lies beyond its critical value, on either side."""
    spread = math.sqrt(planned * (1 - planned))
    shift, reach = math.sqrt(n) * (true - planned), math.sqrt(critical) * spread
    own = math.sqrt(true * (1 - true))
    if not own:
        return 1.0 if abs(shift) > reach else 0.0
    return _normal((shift - reach) / own) + _normal((-shift - reach) / own)


def _normal(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))


@lru_cache(maxsize=64)
def _noncentrality(df: int, critical: float, power: float) -> float:
    """The noncentrality that the test detects with a power: doubled until it is enough, then by bisection."""
    from scipy.special import chndtr

    low, high = 0.0, 1.0
    while 1 - chndtr(critical, df, high) < power:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if 1 - chndtr(critical, df, middle) >= power else (middle, high)
    return high


def _least_loss(noticed: Callable[[float], bool]) -> float | None:
    """The least part of a variant's units whose loss is noticed; None where even the loss of all is not."""
    low, high = 0.0, 1.0
    if not noticed(high):
        return None
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if noticed(middle) else (middle, high)
    return high
