"""One tail rule for every method that counts resamples: p-value and interval end are read off the same counts.

A one-sided p-value is c / total, where c counts the resamples at least as far out as the observed one, itself included;
the two-sided one is twice the smaller of both, at most 1. `decisive` is the largest c that still rejects, so the end of
the interval is the resample with the next rank: a null outside the interval has p <= 1 - level, and one inside or on an
end has p > 1 - level.
"""

from __future__ import annotations

from rankproof.kernel.estimate import Alternative


def p_value(greater: int, less: int, total: int, alternative: Alternative) -> float:
    """The p-value from how many resamples are at least as great, and at least as small, as what was observed."""
    if alternative == "greater":
        return greater / total
    if alternative == "less":
        return less / total
    return min(1.0, 2 * min(greater, less) / total)


def decisive(total: int, level: float, times: float) -> int:
    """The largest count c whose p-value, `times` c / total, is at most 1 - level, compared as a reader would."""
    most = 1 - level
    count = int(most * total / times)
    while times * (count + 1) / total <= most:
        count += 1
    while times * count / total > most:
        count -= 1
    return count
