"""Bounds of a mean when every query has the same value: there is no spread to go by, but the range is known.

A share q of all queries could have any other value and still be missed by n queries with probability (1 - q)^n. What
cannot be ruled out at the level is q = 1 - (1 - level)^(1/n), with all of it at the end of the range: the exact
binomial bound of n hits in n, of which the rule of three is the approximation (Hanley and Lippman-Hand, JAMA 1983).
"""

from __future__ import annotations

import math
from typing import Literal


def bounds(value: float, n: int, least: float, most: float, level: float) -> tuple[float, float]:
    """The one-sided lower and upper bound, each at the level.

    >>> low, high = bounds(1.0, 3, 0.0, 1.0, 0.95)
    >>> round(low, 4), high
    (0.3684, 1.0)
    """
    missed = 1 - (1 - level) ** (1 / n)
    return value - missed * (value - least), value + missed * (most - value)


def p_beyond(value: float, n: int, end: float, threshold: float) -> float:
    """How likely n equal values are where the mean is really at the threshold, which lies towards `end`; 1 at most.

    >>> round(p_beyond(1.0, 3, 0.0, 0.8), 4)
    0.512
    """
    if value == end or (threshold - value) * (end - value) <= 0:
        return 1.0
    return max(0.0, 1 - (threshold - value) / (end - value)) ** n


def needed(value: float, end: float, threshold: float, level: float) -> int | None:
    """With how many equal values the bound towards `end` would clear the threshold; None where none does.

    >>> needed(1.0, 0.0, 0.8, 0.95)
    14
    """
    share = (value - threshold) / (value - end) if value != end else 0.0
    if not 0 < share < 1:
        return None
    return math.ceil(math.log(1 - level) / math.log(1 - share) - 1e-12)


def worse_end(better: Literal["higher", "lower"], least: float, most: float) -> tuple[float, float]:
    """The end of the range where the rule is missed, and the one where it holds."""
    return (least, most) if better == "higher" else (most, least)
