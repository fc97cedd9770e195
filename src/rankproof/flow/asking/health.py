"""Health: whether a server is still worth asking."""

from __future__ import annotations

from threading import Event, Lock

from rankproof.engines._contract import TOO_MANY, AskFailed


class Health:
    """Counts failures in a row over all threads; `dead_after` of them stop the fetch.

    A request that the server put off (429, or with a time to wait) comes from a living server. It counts only when the
    query was given up for it.
    """

    def __init__(self, dead_after: int, stop: Event) -> None:
        self._dead_after, self._stop = dead_after, stop
        self._lock = Lock()
        self._in_a_row = 0
        self.died_of: str | None = None

    def answered(self) -> None:
        """An answer came."""
        with self._lock:
            self._in_a_row = 0

    def failed(self, why: AskFailed, given_up: bool) -> None:
        """An attempt failed; `given_up` when it was the last one of its query."""
        if (why.kind == TOO_MANY or why.wait is not None) and not given_up:
            return
        with self._lock:
            self._in_a_row += 1
            if self._in_a_row >= self._dead_after and self.died_of is None:
                self.died_of = f"{self._in_a_row} requests in a row failed, the last one so: {why}"
                self._stop.set()
