"""Sufficient statistics: moments of a metric and tallies of values. Raw rows need not be stored.

A unit (a user, a session) has a numerator, a denominator that is 1 unless the metric is a ratio, and a covariate from
before the trial that is 0 where there is none. Files of different days add up, as long as no unit is in two of them.
What is stored are means and sums of centered products: sums of raw squares would lose the variance of numbers that are
large beside their spread (Chan, Golub and LeVeque, The American Statistician 37(3), 1983).
"""

from __future__ import annotations

import bisect
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import ArrayLike

from rankproof.errors import InputError
from rankproof.kernel.sections import counted
from rankproof.kernel.specs.kinds import finite

NUMERATOR, DENOMINATOR, COVARIATE = range(3)
NAMES = ("numerator", "denominator", "covariate")
# The products in the order they are stored, and where each pair of quantities finds its own.
PRODUCTS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
_PLACE = {pair: at for at, (a, b) in enumerate(PRODUCTS) for pair in ((a, b), (b, a))}
# A centered sum of squares may be this far below 0, beside the raw sum it came from, by rounding alone.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Moments:
    """Sufficient statistics of one variant and one metric.

    n          units
    means      of numerator, denominator and covariate
    products   sums of products of deviations from those means, in the order of PRODUCTS
    """

    n: int = 0
    means: tuple[float, float, float] = (0.0, 0.0, 0.0)
    products: tuple[float, float, float, float, float, float] = (0.0,) * 6

    def covariance(self, a: int, b: int) -> float:
        """The sample covariance of two quantities, by n - 1; the variance where both are one."""
        if self.n < 2:
            raise ValueError("a covariance takes two units or more")
        return self.products[_PLACE[a, b]] / (self.n - 1)

    def __add__(self, other: Moments) -> Moments:
        return merged((self, other))

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        products = {f"{NAMES[a]}_{NAMES[b]}": self.products[at] for at, (a, b) in enumerate(PRODUCTS)}
        return {"n": self.n, "means": dict(zip(NAMES, self.means, strict=True)), "products": products}

    @classmethod
    def from_dict(cls, stored: Mapping[str, object]) -> Moments:
        """What `to_dict` gave."""
        n, means, products = stored.get("n"), stored.get("means"), stored.get("products")
        if not isinstance(means, Mapping) or not isinstance(products, Mapping):
            raise InputError("Moments have n, means and products; give what Moments.to_dict wrote.")
        return _checked(
            n,
            [means.get(name) for name in NAMES],
            [products.get(f"{NAMES[a]}_{NAMES[b]}") for a, b in PRODUCTS],
        )


def moments_of(
    numerator: ArrayLike, denominator: ArrayLike | None = None, covariate: ArrayLike | None = None
) -> Moments:
    """The moments of units, one number each.

    >>> moments_of([1.0, 2.0, 6.0])
    Moments(n=3, means=(3.0, 1.0, 0.0), products=(14.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    """
    y = np.asarray(numerator, dtype=np.float64)
    columns = [
        y,
        np.ones_like(y) if denominator is None else np.asarray(denominator, dtype=np.float64),
        np.zeros_like(y) if covariate is None else np.asarray(covariate, dtype=np.float64),
    ]
    for name, column in zip(NAMES, columns, strict=True):
        if y.ndim != 1 or column.shape != y.shape:
            raise InputError(
                f"Every unit has one numerator and one {name}; the shapes are {y.shape} and {column.shape}."
            )
        if not np.isfinite(column).all():
            raise InputError(f"A {name} is not a finite number. Leave such units out, and count them.")
    if not len(y):
        return Moments()
    means = [float(column.mean()) for column in columns]
    # The mean of deviations is what rounding left in the mean: taken out once more.
    means = [mean + float((column - mean).mean()) for mean, column in zip(means, columns, strict=True)]
    away = [column - mean for mean, column in zip(means, columns, strict=True)]
    return _checked(len(y), means, [float((away[a] * away[b]).sum()) for a, b in PRODUCTS])


def from_counts(successes: int, n: int) -> Moments:
    """The moments of a proportion: `successes` of n units are 1, the others 0.

    >>> from_counts(3, 4).products[0]  # 4 x 0.75 x 0.25
    0.75
    """
    if not 0 <= successes <= n:
        raise InputError(f"Successes must lie between 0 and the number of units; got {successes} of {n}.")
    if n == 0:
        return Moments()
    return _checked(n, [successes / n, 1.0, 0.0], [successes * (n - successes) / n, 0.0, 0.0, 0.0, 0.0, 0.0])


def from_sums(n: int, sums: Sequence[float], products: Sequence[float]) -> Moments:
    """The moments from raw sums and sums of products, as a query of a warehouse gives them.

    sums       of numerator, denominator (n where the metric is no ratio) and covariate (0 where there is none)
    products   sums of raw products in the order of PRODUCTS
    """
    if n == 0:
        return Moments()
    means = [total / n for total in sums]
    centered = []
    for (a, b), raw in zip(PRODUCTS, products, strict=True):
        left = raw - sums[a] * means[b]
        if a == b and left < 0:
            if left < -_ROUNDING * abs(raw):
                raise InputError(
                    f"The sum of squares of the {NAMES[a]} is {raw:g}, less than {sums[a] * means[b]:g}, which its sum "
                    f"over {counted(n, 'unit')} takes at least. Check the query that made the sums."
                )
            left = 0.0
        centered.append(left)
    return _checked(n, means, centered)


def merged(parts: Iterable[Moments]) -> Moments:
    """The moments of all units together. The order of the parts changes no bit: every sum is rounded once.

    The updating formula of Chan, Golub and LeVeque (1983), for any number of parts.
    """
    filled = [part for part in parts if part.n]
    if len(filled) < 2:
        return filled[0] if filled else Moments()
    n = sum(part.n for part in filled)
    # Around the first mean, in sorted order, so that large means lose nothing and the order does not matter.
    base = min(filled, key=lambda part: (part.means, part.products, part.n)).means
    means = [base[i] + math.fsum(part.n * (part.means[i] - base[i]) for part in filled) / n for i in range(len(NAMES))]
    products = [
        math.fsum(
            term
            for part in filled
            for term in (part.products[at], part.n * (part.means[a] - means[a]) * (part.means[b] - means[b]))
        )
        for at, (a, b) in enumerate(PRODUCTS)
    ]
    return _checked(n, means, products)


def _checked(n: object, means: Sequence[object], products: Sequence[object]) -> Moments:
    if not isinstance(n, int) or isinstance(n, bool) or n < 0:
        raise InputError(f"The number of units must be a whole number, 0 or more; got {n!r}.")
    numbers = [finite(value) for value in (*means, *products)]
    y, d, x, yy, dd, xx, yd, yx, dx = (math.nan if number is None else number for number in numbers)
    if None in numbers or min(yy, dd, xx) < 0:
        raise InputError("Moments must be finite numbers, and sums of squared deviations 0 or more.")
    return Moments(n, (y, d, x), (yy, dd, xx, yd, yx, dx))


@dataclass(frozen=True, slots=True)
class Tally:
    """Values in rising order, each once, and how many units have each. Round values first to keep it small."""

    values: tuple[float, ...] = ()
    counts: tuple[int, ...] = ()

    @property
    def n(self) -> int:
        """How many units."""
        return sum(self.counts)

    def ranked(self, ranks: Iterable[int]) -> list[float]:
        """The values at ranks, of which the first is 1, when units stand in rising order."""
        ends = list(accumulate(self.counts))
        return [self.values[bisect.bisect_left(ends, rank)] for rank in ranks]

    def __add__(self, other: Tally) -> Tally:
        total = Counter(dict(zip(self.values, self.counts, strict=True)))
        total.update(dict(zip(other.values, other.counts, strict=True)))
        return _made(total)

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {"values": list(self.values), "counts": list(self.counts)}

    @classmethod
    def from_dict(cls, stored: Mapping[str, object]) -> Tally:
        """What `to_dict` gave."""
        values, counts = stored.get("values"), stored.get("counts")
        if not isinstance(values, list) or not isinstance(counts, list) or len(values) != len(counts):
            raise InputError("A tally has as many values as counts; give what Tally.to_dict wrote.")
        total: Counter[float] = Counter()
        for value, count in zip(values, counts, strict=True):
            number = finite(value)
            if number is None or not isinstance(count, int) or isinstance(count, bool) or count < 1:
                raise InputError(
                    f"A tally has a count of 1 or more for each finite value; got {count!r} for {value!r}."
                )
            total[number] += count
        return _made(total)


def tally_of(values: Iterable[float]) -> Tally:
    """The tally of units, one value each.

    >>> tally_of([3, 1, 3])
    Tally(values=(1.0, 3.0), counts=(1, 2))
    """
    total = Counter(map(float, values))
    if any(finite(value) is None for value in total):
        raise InputError("A value is not a finite number. Leave such units out, and count them.")
    return _made(total)


def _made(total: Counter[float]) -> Tally:
    values = tuple(sorted(total))
    return Tally(values, tuple(total[value] for value in values))
