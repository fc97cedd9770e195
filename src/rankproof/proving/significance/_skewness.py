"""Bounds for skewed differences: how far a bound must reach on the side of the longer tail.

A sample of skewed differences often misses the tail, and then its mean is off and its spread is told too small:
Student's bound on that side errs too often, the other too seldom. The skewness of the mean says by how much. Hall's
cubic transformation of t takes it away and rises everywhere, so that it gives a bound and, backwards, a p-value.

    y = t - b t^2 / 3 + b^2 t^3 / 27 - b / 6       b: the skewness of the mean towards the bound's side, 0 or more

It is used where it makes a bound more cautious, never where it would make one less so. Near t = 3 / b the cubic is
flat, and there a little more skewness would move the bound by a great deal: `FLAT` ends its use before.

source: Hall, On the removal of skewness by transformation, Journal of the Royal Statistical Society B 54(1), 1992
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.proving.sampling import Sampling
from rankproof.proving.significance.contract import Differences

Numbers = NDArray[np.float64]

# Samples show less skewness than there is, and a one-sided bound has no second side on which it errs less.
ALLOWANCE = 1.3
# The least value of 1 - b (y + b / 6), which is 0 where the cubic is flat, down to which it is followed.
FLAT = 0.1
# A tail below this is rounding.
NO_TAIL = 1e-9


def skewness_of_mean(differences: Differences, sampling: Sampling | None) -> Numbers:
    """The skewness of the mean of each column: that of one difference over the root of their number.

    >>> skewness_of_mean(np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 0.0], [5.0, 9.0]]), None).tolist()
    [0.0, 1.0]
    """
    if sampling is not None:
        return sampling.skewness(differences)
    n = len(differences)
    if n < 3:
        return np.zeros(differences.shape[1])
    deviations = differences - differences.mean(axis=0)
    spread = np.square(deviations).sum(axis=0) / (n - 1)
    third = (deviations**3).sum(axis=0) * n / ((n - 1) * (n - 2))
    none = np.zeros(differences.shape[1])
    return np.asarray(np.divide(third, spread**1.5, out=none, where=spread > 0) / np.sqrt(n), dtype=np.float64)


def stretched(quantile: Numbers, tail: Numbers) -> Numbers:
    """How many standard errors a bound reaches where `quantile` would do without a tail; never fewer than that.

    >>> np.round(stretched(np.array([1.7, 1.7, 1.7, 1.7]), np.array([0.0, 0.2, 0.4, 4.0])), 2).tolist()
    [1.7, 1.98, 2.52, 3.19]
    """
    # The skewness at which the cubic is as flat as it may be: b^2 / 6 + b y = 1 - FLAT.
    most = 3.0 * (np.sqrt(np.square(quantile) + 2.0 * (1.0 - FLAT) / 3.0) - quantile)
    b = np.maximum(np.minimum(tail, most), NO_TAIL)
    reach = 3.0 / b * (1.0 - np.cbrt(1.0 - b * (quantile + b / 6.0)))
    return np.where(tail > NO_TAIL, np.maximum(reach, quantile), quantile)


def without_tail(t: Numbers, tail: Numbers) -> Numbers:
    """The quantile that `stretched` takes to t; never more than t.

    >>> np.round(without_tail(np.array([1.7, 1.98, 2.52, 3.19]), np.array([0.0, 0.2, 0.4, 4.0])), 2).tolist()
    [1.7, 1.7, 1.7, 1.7]
    """
    steps = 3.0 * (1.0 - np.cbrt(FLAT))
    # Beyond the flat place the skewness that is used goes down with t.
    far = (tail > NO_TAIL) & (t * tail > steps)
    b = np.divide(steps, t, out=np.array(tail, dtype=np.float64), where=far)
    y = t - b * np.square(t) / 3.0 + np.square(b) * t**3 / 27.0 - b / 6.0
    return np.where(tail > NO_TAIL, np.minimum(y, t), t)
