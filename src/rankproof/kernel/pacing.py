"""Pacing: when the next request may go out, the same for all threads."""

from __future__ import annotations

import asyncio
import time
from threading import Event, Lock


class ThreadPace:
    """Hands out turns: at most `rate` in a second, and none while the server asked everybody to wait."""

    def __init__(self, rate: float | None, stop: Event) -> None:
        self._gap = 1 / rate if rate else 0.0
        self._stop = stop
        self._lock = Lock()
        self._next = 0.0

    def turn(self) -> bool:
        """Waits for a turn; False when asking was stopped meanwhile."""
        with self._lock:
            now = time.monotonic()
            at = max(now, self._next)
            self._next = at + self._gap
        return not self._stop.wait(at - now) if at > now else not self._stop.is_set()

    def hold(self, seconds: float) -> None:
        """Nobody gets a turn before so many seconds are over."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)

    def pause(self, seconds: float) -> bool:
        """Waits out of turn; False when asking was stopped meanwhile."""
        return not self._stop.wait(seconds)


class AsyncPace:
    """Hands out turns: at most `rate` in a second, and none while the server asked everybody to wait."""

    def __init__(self, rate: float | None) -> None:
        self._gap = 1 / rate if rate else 0.0
        self._next = 0.0

    async def turn(self) -> None:
        """Waits for a turn."""
        while True:
            now = time.monotonic()
            if now >= self._next:
                self._next = now + self._gap
                return
            await asyncio.sleep(self._next - now)

    def hold(self, seconds: float) -> None:
        """Nobody gets a turn before so many seconds are over."""
        self._next = max(self._next, time.monotonic() + seconds)
