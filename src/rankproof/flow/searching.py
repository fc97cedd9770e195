"""Searching: the least whole number that is enough."""

from __future__ import annotations

from collections.abc import Callable


def least(enough: Callable[[int], bool], first: int, most: int) -> int | None:
    """The least n from `first` on that is enough; None where not even `most` is. What is enough stays so as n grows.

    >>> least(lambda n: n * n >= 50, first=2, most=1000)
    8
    """
    low, high = first - 1, first
    while not enough(high):
        if high >= most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
