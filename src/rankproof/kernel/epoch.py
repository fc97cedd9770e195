"""Times of the epoch as numbers: seconds, milliseconds, microseconds or nanoseconds, told apart by their size.

A number below 10^11 is in seconds, which reach to the year 5138; each factor of a thousand beyond is the next unit. As
milliseconds, 10^11 is in March 1973: a log of that time would be misread, and no other.
"""

from __future__ import annotations

# From which size on a number is in a unit, and how many of the unit are a second; the largest first.
UNITS = (
    ("nanoseconds", 1e17, 1e9),
    ("microseconds", 1e14, 1e6),
    ("milliseconds", 1e11, 1e3),
    ("seconds", 0.0, 1.0),
)


def epoch_unit(number: float) -> str:
    """The unit of a time.

    >>> [epoch_unit(1767603600.0 * scale) for scale in (1, 1e3, 1e6, 1e9)]
    ['seconds', 'milliseconds', 'microseconds', 'nanoseconds']
    """
    return next(name for name, least, _ in UNITS if abs(number) >= least)


def epoch_seconds(number: float) -> float:
    """The time in seconds of the epoch.

    >>> epoch_seconds(1767603600123456789)
    1767603600.1234567
    """
    return next(number / scale for _, least, scale in UNITS if abs(number) >= least)
