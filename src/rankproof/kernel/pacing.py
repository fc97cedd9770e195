"""Pacing: when the next request may go out. Callers wait in their own way: threads on an event, coroutines asleep."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock


class Pace:
    """At most `rate` requests a second (None for no limit), and none while the server has requested a pause.

    A turn is taken when it is used and not before. A caller that waits for its turn asks again afterwards, so that a
    hold that was made in the meantime holds for it too. Threads and coroutines may share one pace.
    """

    def __init__(self, rate: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._gap = 1 / rate if rate else 0.0
        self._clock = clock
        self._lock = Lock()
        self._next = 0.0  # clock time of the next request

    def reserve(self) -> float:
        """Takes the turn and returns 0 where a request may go now; otherwise the seconds after which to ask again."""
        with self._lock:
            now = self._clock()
            if now < self._next:
                return self._next - now
            self._next = now + self._gap
            return 0.0

    def hold(self, seconds: float) -> None:
        """Lets no request go in the next `seconds`."""
        with self._lock:
            self._next = max(self._next, self._clock() + seconds)
