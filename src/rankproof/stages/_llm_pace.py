"""Pace: when the next request to a model may go out, the same for all that are under way."""

from __future__ import annotations

import asyncio
import time


class Pace:
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
