"""Correlating: Pearson's, Spearman's and Kendall's coefficient over changes, each with its interval.

The interval is that of Fisher's transformation, arctanh, whose standard error is 1 / sqrt(n - 3) for Pearson's,
sqrt((1 + r^2 / 2) / (n - 3)) for Spearman's and sqrt(0.437 / (n - 4)) for Kendall's tau-b. With as few changes as a
team has it holds better than a bootstrap, which draws the same few changes again and again. It is made for numbers that
are near to normal; a few huge differences make Pearson's too short, where the two of ranks still hold.

source: Fisher, On the probable error of a coefficient of correlation deduced from a small sample, Metron 1, 1921;
Bonett and Wright, Sample size requirements for estimating Pearson, Kendall and Spearman correlations, Psychometrika
65, 2000, for the standard errors of ranks
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rankproof.records.estimate import Answer, Estimate, NotEstimable

Values = NDArray[np.float64]
# Rounding may leave a correlation this far beyond, or short of, 1.
_WHOLE = 1 - 1e-12


def pearson(x: Values, y: Values) -> float | None:
    """The coefficient; None where one side does not vary."""
    dx, dy = x - x.mean(), y - y.mean()
    below = math.sqrt(float(dx @ dx) * float(dy @ dy))
    return None if below == 0 else max(-1.0, min(1.0, float(dx @ dy) / below))


def spearman(x: Values, y: Values) -> float | None:
    """Pearson's of the ranks; equal numbers share theirs."""
    from scipy.stats import rankdata  # here: loading scipy is for those who test

    return pearson(rankdata(x), rankdata(y))


def kendall(x: Values, y: Values) -> float | None:
    """Tau-b: pairs of changes in the same order less those in the other, over what ties leave possible."""
    upper = np.triu_indices(len(x), 1)
    a, b = (np.sign(values[:, None] - values[None, :])[upper] for values in (x, y))
    below = math.sqrt(float(a @ a) * float(b @ b))
    return None if below == 0 else float(a @ b) / below


def too_few(n: int) -> str:
    """So many changes are not enough, in words."""
    return "1 change is too few" if n == 1 else f"{n} changes are too few"


COEFFICIENTS: dict[str, Callable[[Values, Values], float | None]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
}


def error_of(kind: str, value: float, n: int) -> float | None:
    """The standard error of a coefficient's arctanh; None for too few changes."""
    below = n - (4 if kind == "kendall" else 3)
    if below <= 0:
        return None
    if kind == "kendall":
        return math.sqrt(0.437 / below)
    return math.sqrt((1 + value * value / 2 if kind == "spearman" else 1.0) / below)


def ends(kind: str, value: float, n: int, level: float) -> tuple[float, float] | None:
    """The interval; None where there is none: too few changes, or a coefficient of 1."""
    from scipy.special import ndtri

    error = error_of(kind, value, n)
    if error is None or abs(value) > _WHOLE:
        return None
    reach = float(ndtri((1 + level) / 2)) * error
    return math.tanh(math.atanh(value) - reach), math.tanh(math.atanh(value) + reach)


def correlation(kind: str, x: Values, y: Values, level: float) -> Answer:
    """One coefficient with its interval and the p-value that goes with it."""
    from scipy.special import ndtr

    n = len(x)
    value = COEFFICIENTS[kind](x, y) if n > 1 else None
    if value is None:
        reason = "one side does not vary" if n > 1 else "fewer than two changes have both"
        return NotEstimable(reason, kind, n)
    found, error = ends(kind, value, n, level), error_of(kind, value, n)
    if found is None or error is None:
        few = error is None
        reason = f"{too_few(n)} for an interval" if few else "all changes agree, and no interval has a width"
        return NotEstimable(reason, kind, n, value)
    p = 2 * float(ndtr(-abs(math.atanh(value)) / error))
    return Estimate(value, *found, p, level, kind, n)
