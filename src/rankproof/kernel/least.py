"""The least whole number that satisfies a condition, by bisection."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


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


def least_of_each(
    enough: Callable[[Integers, Integers], NDArray[np.bool_]], count: int, first: int, most: int
) -> list[int | None]:
    """What `least` finds for each of `count` questions, by the same steps, taken for all of them together.

    `enough(questions, n)` gets the questions that are still open and the n to try for each of them.
    """
    low = np.full(count, first - 1, dtype=np.int64)
    high = np.full(count, first, dtype=np.int64)
    reached = np.zeros(count, dtype=bool)
    open_ones = np.arange(count)
    while len(open_ones):
        is_enough = enough(open_ones, high[open_ones])
        reached[open_ones[is_enough]] = True
        open_ones = open_ones[~is_enough & (high[open_ones] < most)]
        low[open_ones] = high[open_ones]
        high[open_ones] = np.minimum(2 * high[open_ones], most)
    open_ones = np.flatnonzero(reached & (high - low > 1))
    while len(open_ones):
        middle = (low[open_ones] + high[open_ones]) // 2
        is_enough = enough(open_ones, middle)
        high[open_ones[is_enough]] = middle[is_enough]
        low[open_ones[~is_enough]] = middle[~is_enough]
        open_ones = open_ones[high[open_ones] - low[open_ones] > 1]
    return [n if there else None for n, there in zip(high.tolist(), reached.tolist(), strict=True)]
