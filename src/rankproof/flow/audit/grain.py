"""Grain: can a mean of n values of a measure be what was reported?

P@10 of a query is a tenth, so its mean over 54 queries is a multiple of 1/540: between 0.6130 and 0.6148 there is
nothing. The same holds for every measure with few values; the fewer queries, the wider the gaps. The test is known for
means of whole numbers as GRIM (Brown and Heathers, The GRIM test, Social Psychological and Personality Science 8(4),
2017).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.audit.claims import ROUNDING

# A common denominator up to this makes the values whole numbers; RR@10 has 2520.
MOST_PARTS = 1_000_000
# Shifts of machine words that adding up whole numbers may take; sums that other values may make.
MOST_WORDS = 100_000_000
MOST_SUMS = 1_000_000


@dataclass(frozen=True, slots=True)
class Grain:
    """Whether some mean rounds to what was reported, and the nearest means on both sides of it.

    parts   the common denominator of one query's values; None where there is none
    """

    verdict: Literal["possible", "impossible", "undecided"]
    below: float | None = None
    above: float | None = None
    parts: int | None = None


def grain(values: Sequence[float], n: int, low: float, high: float) -> Grain:
    """Whether the mean of n of the values, each as often as one likes, can lie between low and high.

    A report below the least or above the greatest value is not decided here: no number of queries helps it.
    """
    if not min(values) <= high or not max(values) >= low:
        return Grain("undecided")  # out of range for any number of queries: that is for others to say
    parts = _common_parts(values)
    if parts is not None:
        whole = sorted({round(value * parts) for value in values})
        if whole == list(range(whole[0], whole[-1] + 1)):
            return _every_sum(n, low, high, parts)
        if n * len(whole) * (n * whole[-1] // 64 + 1) <= MOST_WORDS:
            return _whole_sums(whole, n, low, high, parts)
    return _float_sums(np.unique(np.array(values)), n, low, high)


def _common_parts(values: Sequence[float]) -> int | None:
    parts = 1
    for value in values:
        near = Fraction(value).limit_denominator(MOST_PARTS)
        if abs(float(near) - value) > 1e-13:
            return None
        parts = math.lcm(parts, near.denominator)
        if parts > MOST_PARTS:
            return None
    return parts


def _every_sum(n: int, low: float, high: float, parts: int) -> Grain:
    """Neighboring whole numbers: every sum between the least and the greatest can be."""
    first = math.ceil(low * n * parts - ROUNDING)
    if first <= math.floor(high * n * parts + ROUNDING):
        return Grain("possible", parts=parts)
    return _none(first - 1, first, n * parts, parts)


def _whole_sums(whole: Sequence[int], n: int, low: float, high: float, parts: int) -> Grain:
    """All sums of n whole numbers, as the bits of one number."""
    # Without the least value in each, sums stay small.
    base, steps = whole[0], [value - whole[0] for value in whole]
    sums = 1
    for _ in range(n):
        more = 0
        for step in steps:
            more |= sums << step
        sums = more
    first = math.ceil(low * n * parts - ROUNDING) - n * base
    last = math.floor(high * n * parts + ROUNDING) - n * base
    first_in = _next_bit(sums, max(first, 0))
    if first_in is not None and first_in <= last:
        return Grain("possible", parts=parts)
    below = (sums & ((1 << max(first, 0)) - 1)).bit_length() - 1
    return _none(
        below + n * base if below >= 0 else None, None if first_in is None else first_in + n * base, n * parts, parts
    )


def _next_bit(bits: int, at: int) -> int | None:
    rest = bits >> at
    return None if rest == 0 else at + (rest & -rest).bit_length() - 1


def _none(below: int | None, above: int | None, bottom: int, parts: int) -> Grain:
    return Grain(
        "impossible", None if below is None else below / bottom, None if above is None else above / bottom, parts
    )


def _float_sums(values: NDArray[np.float64], n: int, low: float, high: float) -> Grain:
    """Sums of n values that have no common denominator: those that can still end near the report."""
    means = _means_between(values, n, low, high)
    if means is None:
        return Grain("undecided")
    if len(means):
        return Grain("possible")
    # Look further to both sides until something is there.
    below = above = None
    reach = max(high - low, ROUNDING)
    while below is None or above is None:
        reach *= 4
        means = _means_between(values, n, low - reach, high + reach)
        if means is None:
            break
        below = max((mean for mean in means.tolist() if mean < low), default=below)
        above = min((mean for mean in means.tolist() if mean > high), default=above)
    return Grain("impossible", below, above)


def _means_between(values: NDArray[np.float64], n: int, low: float, high: float) -> NDArray[np.float64] | None:
    """The means of n values between low and high; None where there are too many sums on the way."""
    sums = np.zeros(1)
    for left in range(n - 1, -1, -1):
        if len(sums) * len(values) > MOST_SUMS:
            return None
        sums = np.unique(np.round(sums[:, None] + values, 12))
        # What the values still to come cannot bring back between the ends is dropped.
        sums = sums[(sums + left * values[-1] >= n * low - ROUNDING) & (sums + left * values[0] <= n * high + ROUNDING)]
    return np.asarray(sums / n)
