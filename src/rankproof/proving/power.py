"""Power: how probable it is that a paired t test finds a true difference; what it takes, and what it could find.

With n queries whose paired differences have mean `difference` and standard deviation `sd`, the t statistic has a
noncentral t distribution with n - 1 degrees of freedom and noncentrality sqrt(n) * difference / sd, exactly so when
the differences are normal (Cohen, Statistical Power Analysis, 2nd edition, 1988, chapter 2; Sakai, Information
Retrieval Journal 19, 2016, for search evaluation).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankproof.errors import UsageError
from rankproof.kernel.estimate import Alternative
from rankproof.kernel.least import Integers, least_of_each

# More queries than anybody will judge: beyond this the answer is "no number of queries", which is None.
MOST_QUERIES = 1_000_000_000


def power_at(
    sd: float,
    n: ArrayLike,
    difference: ArrayLike,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> NDArray[np.float64]:
    """The probability that the test finds a true difference, for every n and difference given.

    For "greater" and "less" the sign of `difference` counts: one on the other side is found less often than by chance.
    """
    refuse_senseless(sd, level=level, alternative=alternative)
    queries = np.asarray(n, dtype=np.float64)
    if np.any(queries < 2):
        raise UsageError(f"A paired t test needs at least 2 queries; {int(queries.min())} cannot be planned with.")
    shift = np.sqrt(queries) * np.asarray(difference, dtype=np.float64) / sd
    return _power(queries - 1, shift, level, alternative)


def smallest_difference(
    sd: float, n: int, *, level: float = 0.95, power: float = 0.8, alternative: Alternative = "two-sided"
) -> float:
    """The size of the least true difference that n queries show with the given power. Always positive.

    >>> round(smallest_difference(0.2, 50), 4)
    0.0808
    """
    refuse_senseless(sd, level=level, power=power, alternative=alternative)
    if n < 2:
        raise UsageError(f"A paired t test needs at least 2 queries; {n} cannot show any difference.")
    return _least_shift(n - 1, level, power, alternative) * sd / math.sqrt(n)


def queries_needed(
    sd: float, difference: float, *, level: float = 0.95, power: float = 0.8, alternative: Alternative = "two-sided"
) -> int | None:
    """The least number of queries that shows a true difference with the given power.

    None where no number does: a difference of 0, one on the side that `alternative` does not look at, or one so small
    that more than MOST_QUERIES would be needed.

    >>> queries_needed(1.0, 0.5)  # Cohen's medium effect
    34
    """
    return queries_needed_each([sd], [difference], level=level, power=power, alternative=alternative)[0]


def queries_needed_each(
    sds: Sequence[float],
    differences: Sequence[float],
    *,
    level: float = 0.95,
    power: float = 0.8,
    alternative: Alternative = "two-sided",
) -> list[int | None]:
    """`queries_needed` for many differences, each with its standard deviation, searched for together.

    >>> queries_needed_each([1.0, 1.0, 1.0], [0.5, 0.0, 0.2])
    [34, None, 199]
    """
    for sd, difference in zip(sds, differences, strict=True):
        refuse_senseless(sd, level=level, power=power, alternative=alternative)
        if not math.isfinite(difference):
            raise UsageError(f"A difference must be a finite number; {difference} came.")
    effects = np.asarray(differences, dtype=np.float64) / np.asarray(sds, dtype=np.float64)
    sizes = np.abs(effects) if alternative == "two-sided" else effects if alternative == "greater" else -effects
    possible = np.flatnonzero(sizes > 0)
    wanted = sizes[possible]
    side = _one_side(alternative)

    def enough(questions: Integers, n: Integers) -> NDArray[np.bool_]:
        queries = n.astype(np.float64)
        return _reaches(power, queries - 1, np.sqrt(queries) * wanted[questions], level, side)

    results: list[int | None] = [None] * len(sizes)
    for at, n in zip(possible, least_of_each(enough, len(possible), first=2, most=MOST_QUERIES), strict=True):
        results[at] = n
    return results


def refuse_senseless(
    sd: float, *, level: float = 0.95, power: float | None = None, alternative: Alternative = "two-sided"
) -> None:
    """An error for what cannot be planned with."""
    if not (math.isfinite(sd) and sd > 0):
        raise UsageError(
            f"The standard deviation of the differences must be greater than 0; {sd:g} came. With 0 every query "
            "differs by the same amount, and no test is needed."
        )
    if not 0 < level < 1:
        raise UsageError(f"A confidence level lies between 0 and 1, such as 0.95; {level:g} came.")
    if alternative not in ("two-sided", "greater", "less"):
        raise UsageError(f"An alternative is two-sided, greater or less; {alternative!r} came.")
    if power is not None and not 1 - level < power < 1:
        raise UsageError(
            f"A power lies between {1 - level:g} (what chance alone finds at level {level:g}) and 1, such as 0.8; "
            f"{power:g} came."
        )


def _one_side(alternative: Alternative) -> Alternative:
    """ "less" is "greater" seen from the other side: sizes are positive from here on."""
    return "two-sided" if alternative == "two-sided" else "greater"


def _power(
    df: NDArray[np.float64] | np.float64,
    shift: NDArray[np.float64] | np.float64,
    level: float,
    alternative: Alternative,
) -> NDArray[np.float64]:
    from scipy.special import stdtrit

    if alternative == "less":
        shift = -shift
    if alternative != "two-sided":
        return _above(stdtrit(df, level), df, shift)
    critical = stdtrit(df, (1 + level) / 2)
    return _above(critical, df, shift) + _above(critical, df, -shift)


def _reaches(
    power: float, df: NDArray[np.float64], shift: NDArray[np.float64], level: float, alternative: Alternative
) -> NDArray[np.bool_]:
    """Whether `_power` is at least `power`, for positive shifts.

    The other tail of a two-sided test is computed only where it can decide: it is at most P(Z < -shift), see `_above`.
    """
    from scipy.special import ndtr, stdtrit

    if alternative != "two-sided":
        return np.asarray(_power(df, shift, level, alternative) >= power)
    critical = stdtrit(df, (1 + level) / 2)
    near = _above(critical, df, shift)
    reached = np.asarray(near >= power)
    doubtful = np.flatnonzero(~reached & (near + ndtr(-shift) >= power))
    if len(doubtful):
        far = _above(critical[doubtful], df[doubtful], -shift[doubtful])
        reached[doubtful] = near[doubtful] + far >= power
    return reached


def _above(t: ArrayLike, df: ArrayLike, shift: ArrayLike) -> NDArray[np.float64]:
    """P(T > t) for a noncentral T."""
    from scipy.special import nctdtr, ndtr

    t, df, shift = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in (t, df, shift)))
    # P(T > t; shift) = P(T < -t; -shift): the small tail is computed as such, not as 1 minus nearly 1.
    tail = np.asarray(nctdtr(df, -shift, -t), dtype=np.float64)
    # The series does not converge for some huge shifts; there Abramowitz and Stegun 26.7.10 is right to many places.
    near = ndtr(-(t * (1 - 1 / (4 * df)) - shift) / np.sqrt(1 + t * t / (2 * df)))
    # It also strays at isolated points of the far tail. T > 0 takes a positive numerator: P(T > t) <= P(Z > -shift).
    return np.clip(np.where(np.isfinite(tail), tail, near), 0.0, np.where(t > 0, ndtr(shift), 1.0))


@lru_cache(maxsize=1024)  # the contrasts of a comparison mostly have the same number of queries
def _least_shift(df: float, level: float, power: float, alternative: Alternative) -> float:
    """The least noncentrality that is found with a power: doubling until it is enough, then halving the gap."""

    def enough(shift: float) -> bool:
        return bool(_power(np.float64(df), np.float64(shift), level, _one_side(alternative)) >= power)

    low, high = 0.0, 1.0
    while not enough(high):
        low, high = high, 2 * high
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return high
        low, high = (low, middle) if enough(middle) else (middle, high)
