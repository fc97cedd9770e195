"""Spread: the standard deviation of paired differences, with an interval that long tails do not fool.

The usual chi-square interval supposes normal differences. Those of average precision have long tails, and there it
covers the truth in about 82% of query sets, however many queries there are. Bonett's interval asks the sample how long
its tails are (Approximate confidence interval for standard deviation of nonnormal distributions, Computational
Statistics & Data Analysis 50(3), 2006, equation 2); for normal differences the two agree.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankproof.records.power import Spread

# The tails of fewer differences cannot be seen: the chi-square interval is all there is.
FEWEST = 5


def spread_of(differences: NDArray[np.float64], level: float = 0.95) -> Spread:
    """The standard deviation of differences that are not all the same, and its interval at a level."""
    n = len(differences)
    sd = float(np.std(differences, ddof=1))
    low, high = _chi_square(n, level) if n < FEWEST else _bonett(differences, level)
    return Spread(sd, sd * low, sd * high, n)


def _chi_square(n: int, level: float) -> tuple[float, float]:
    """The ends as multiples of the standard deviation: (n - 1) s^2 / sigma^2 has a chi-square distribution."""
    from scipy.special import chdtri

    low, high = (math.sqrt((n - 1) / chdtri(n - 1, tail)) for tail in ((1 - level) / 2, (1 + level) / 2))
    return low, high


def _bonett(differences: NDArray[np.float64], level: float) -> tuple[float, float]:
    from scipy.special import ndtri

    n = len(differences)
    z = float(ndtri((1 + level) / 2))
    cut = int(n / (2 * math.sqrt(n - 4)))
    center = np.sort(differences)[cut : n - cut].mean()
    squares = float(((differences - differences.mean()) ** 2).sum())
    kurtosis = n * float(((differences - center) ** 4).sum()) / squares**2
    small = n / max(n - z, 1.0)  # z reaches 5 only at levels nobody asks for
    error = small * math.sqrt((kurtosis - (n - 3) / n) / (n - 1))
    low, high = (math.sqrt(small * math.exp(side * z * error)) for side in (-1, 1))
    return low, high
