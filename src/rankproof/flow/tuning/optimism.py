"""Optimism: what a gain on dev is worth when the best of many settings was picked on the same queries.

Queries are drawn with replacement, the best setting is picked again on those drawn, and its gain is measured on the
queries left out, about 37% of them. Each query's gain is averaged over the draws that left it out, and these are
averaged: the leave-one-out bootstrap of Efron and Tibshirani, Improvements on Cross-Validation: The .632+ Bootstrap
Method, JASA 92, 1997, equation 17, here of a gain in place of an error. Picks on drawn queries see fewer different
ones, so the answer is a little on the low side.

The interval is Student's, with the spread that the gain of one pick has over queries left out. (That of the averaged
gains would be too small: averaging over different picks hides how much any one of them varies.)
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankproof.records.estimate import Answer, Estimate, NotEstimable

NAME = "out of bag"
RESAMPLES = 1_000
_AT_ONCE = 100


def out_of_bag(gains: NDArray[np.float64], level: float, chance: np.random.Generator) -> Answer:
    """The gain of a setting that is picked without the queries it is measured on, with its interval.

    `gains` has settings by queries, each over the configuration as written, which is the first row.
    """
    from scipy.special import stdtr, stdtrit  # here: loading scipy is for those who test

    queries = gains.shape[1]
    total, times, spreads = np.zeros(queries), np.zeros(queries), []
    for _ in range(RESAMPLES // _AT_ONCE):
        drawn = chance.integers(0, queries, size=(_AT_ONCE, queries))
        counts = np.zeros((_AT_ONCE, queries))
        np.add.at(counts, (np.arange(_AT_ONCE)[:, None], drawn), 1)
        left = counts == 0
        found = gains[best(counts @ gains.T)]
        total += (found * left).sum(axis=0)
        times += left.sum(axis=0)
        spreads += _variances(found, left)
    seen = times > 0
    if not seen.any() or not spreads or max(spreads) == 0.0:
        value = float((total[seen] / times[seen]).mean()) if seen.any() else None
        return NotEstimable("gains on queries left out do not differ from each other", NAME, queries, value)
    value = float((total[seen] / times[seen]).mean())
    error = math.sqrt(math.fsum(spreads) / len(spreads) / queries)
    reach = float(-stdtrit(queries - 1, (1 - level) / 2)) * error
    p = 2 * float(stdtr(queries - 1, -abs(value) / error))
    return Estimate(value, value - reach, value + reach, p, level, NAME, queries, resamples=RESAMPLES)


def _variances(found: NDArray[np.float64], left: NDArray[np.bool_]) -> list[float]:
    """Of each row over its queries left out; rows with fewer than two of them have none."""
    several = left.sum(axis=1) > 1
    found, left = found[several], left[several]
    many = left.sum(axis=1, keepdims=True)
    away = (found - (found * left).sum(axis=1, keepdims=True) / many) * left
    variances: list[float] = ((away**2).sum(axis=1) / (many[:, 0] - 1)).tolist()
    return variances


def best(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """The column with the highest score in each row; of equal ones the first, so that what is written wins a tie.

    Sums of the same numbers in another order differ in the last digits: that is a tie.
    """
    top = scores.max(axis=1, keepdims=True)
    return np.asarray(np.argmax(scores >= top - 1e-12 * np.maximum(1.0, np.abs(top)), axis=1), dtype=np.int64)
