"""A line on a terminal that says what is being done and how far it is; silence elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rankproof.records.ground import Progress, silent

# Nobody reads faster, and a terminal far away is slow.
SECONDS_BETWEEN = 0.1
CLEAR = "\r\x1b[K"


@contextmanager
def ticking() -> Iterator[Progress]:
    """Somebody to tell; the line is gone at the end."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield silent
        return
    ticker = Ticker()
    try:
        yield ticker.tell
    finally:
        ticker.clear()


class Ticker:
    """Writes the last thing it was told over the one before."""

    def __init__(self) -> None:
        self._what, self._last = "", float("-inf")

    def tell(self, what: str, done: int, total: int) -> None:
        """Something new at once, more of the same now and then."""
        now = time.monotonic()
        if what != self._what or done == total or now - self._last >= SECONDS_BETWEEN:
            self._what, self._last = what, now
            sys.stderr.write(f"{CLEAR}{what} {done:,} of {total:,}")
            sys.stderr.flush()

    def clear(self) -> None:
        """Leaves an empty line."""
        if self._what:
            sys.stderr.write(CLEAR)
            sys.stderr.flush()
