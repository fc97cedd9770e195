"""Limits: how hard a live engine may be asked, and how long anybody waits for it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rankproof.errors import UsageError
from rankproof.records.params import Number, Param, Whole


@dataclass(frozen=True, slots=True)
class Limits:
    """What a live engine is spared, and what ends a fetch.

    concurrency    requests under way at once
    timeout        seconds for one request, from sending it to the last byte of the answer
    attempts       how often one query is asked at most
    first_wait     seconds before the second attempt; each further wait is twice as long
    longest_wait   seconds no wait goes over; a server that asks for more is not asked that query again
    rate           requests per second at most, attempts included; None for no limit
    dead_after     failures in a row, of any query, after which no further query is asked
    """

    concurrency: int = 4
    timeout: float = 10.0
    attempts: int = 5
    first_wait: float = 0.5
    longest_wait: float = 60.0
    rate: float | None = None
    dead_after: int = 20

    def __post_init__(self) -> None:
        for name in ("concurrency", "attempts", "dead_after"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be 1 or more; got {getattr(self, name)}.")
        for name in ("timeout", "rate"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise UsageError(f"{name} must be a number above 0; got {value}.")
        for name in ("first_wait", "longest_wait"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) >= 0):
                raise UsageError(f"{name} must be 0 seconds or more; got {getattr(self, name)}.")

    def wait(self, attempt: int, draw: float, asked: float | None = None) -> float:
        """Seconds to wait after an attempt that failed (the first is 1). `draw` is a random number from 0 to 1.

        Waits double, and a random part keeps those who failed together from coming back together: between half of
        the wait and all of it. What the server asked for is waited in full, and the random part comes on top.

        >>> Limits(first_wait=1).wait(3, draw=1.0), Limits(first_wait=1).wait(3, draw=0.0)
        (4.0, 2.0)
        >>> Limits(first_wait=1).wait(1, draw=0.5, asked=7)
        7.5
        """
        if asked is not None:
            return asked + draw * self.first_wait
        # The power is bounded before it is taken: no number of attempts overflows.
        doubled = self.first_wait * 2.0 ** min(attempt - 1, 60)
        return min(doubled, self.longest_wait) * (0.5 + 0.5 * draw)


_USUAL = Limits()
# What a configuration may say of them.
PARAMS = (
    Param("concurrency", Whole(1), _USUAL.concurrency, "requests under way at once"),
    Param("timeout", Number(0, open_low=True), _USUAL.timeout, "seconds for one request"),
    Param("attempts", Whole(1), _USUAL.attempts, "how often one query is asked at most"),
    Param("first_wait", Number(0), _USUAL.first_wait, "seconds before the second attempt; doubled each time"),
    Param("longest_wait", Number(0), _USUAL.longest_wait, "seconds no wait goes over"),
    Param("rate", Number(0, open_low=True), None, "requests per second at most; no limit when nothing is said"),
    Param("dead_after", Whole(1), _USUAL.dead_after, "failures in a row after which nothing more is asked"),
)
