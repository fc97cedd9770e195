"""Bounds of a percentile by order statistics: no shape of the distribution is assumed.

Of n independent requests the number that stay at or below the true percentile is binomial, so the r-th smallest is
an upper bound with confidence P(B <= r - 1), B ~ Binomial(n, share) (David and Nagaraja, Order Statistics, 3rd edition,
2003, section 7.1). The rule itself is a binomial test on how many requests go over the budget.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankproof.proving.rules.contract import Numbers

# More requests than will ever be timed.
MOST_REQUESTS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Percentile:
    """A percentile of a sample, its one-sided bounds, and the p-value against "it is within the budget"."""

    value: float
    low: float
    high: float
    p_over: float
    over: int
    n: int


def nearest_rank(times: Numbers, share: float) -> float:
    """The least time that at least this share of the requests does not exceed.

    >>> nearest_rank(np.array([10.0, 20.0, 30.0, 40.0]), 0.5)
    20.0
    """
    ordered = np.sort(times)
    # The share of a whole number of requests may come out a hair above it.
    return float(ordered[max(math.ceil(share * len(ordered) - 1e-9), 1) - 1])


def percentile(times: Numbers, share: float, budget: float, level: float) -> Percentile:
    """The percentile with its bounds, each one-sided at `level`; infinite where there are too few requests."""
    from scipy.special import bdtr, bdtrc

    n, ordered = len(times), np.sort(times)
    below = np.asarray(bdtr(np.arange(n, dtype=np.float64), n, share))  # P(B <= i), i = 0, ..., n - 1
    up = int(np.searchsorted(below, level, side="left"))  # the first i with P(B <= i) >= level: bound x(i + 1)
    down = int(np.searchsorted(below, 1 - level, side="right")) - 1  # the last with P(B <= i) <= 1 - level
    over = int((ordered > budget).sum())
    p_over = 1.0 if over == 0 else float(bdtrc(over - 1, n, 1 - share))  # P(at least so many go over)
    return Percentile(
        nearest_rank(times, share),
        float(ordered[down]) if down >= 0 else -math.inf,
        float(ordered[up]) if up < n else math.inf,
        p_over,
        over,
        n,
    )


def requests_needed(over: int, n: int, share: float, level: float) -> int | None:
    """About how many requests decide it, if the share that goes over the budget stays as it was seen."""
    seen, allowed = over / n, 1 - share
    if seen == allowed:
        return None

    def enough(requests: int) -> bool:
        from scipy.special import bdtr, bdtrc

        exceed = round(seen * requests)
        tail = bdtr(exceed, requests, allowed) if seen < allowed else bdtrc(exceed - 1, requests, allowed)
        return bool(tail <= 1 - level)

    low, high = n, 2 * n
    while not enough(high):
        if high >= MOST_REQUESTS:
            return None
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
