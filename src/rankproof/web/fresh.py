"""Fresh: what was looked up a moment ago is not looked up again.

What this process changes is forgotten at once (`clear`). What another process on the same store changes is seen
within `seconds`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Generic, TypeVar

V = TypeVar("V")

# Things that are remembered; then all are forgotten.
MOST = 10_000


class Fresh(Generic[V]):
    """Values by key, each good for between half and all of `seconds`: many that came together do not go together.

    While a value that has had its time is looked up, others who ask still get it: they do not all look.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = seconds, clock
        self._kept: dict[str, tuple[float, V]] = {}
        self._age = 0

    def get(self, key: str) -> V | None:
        """The value, while it is good."""
        found = self._kept.get(key)
        return found[1] if found is not None and found[0] > self._clock() else None

    def look_up(self, key: str, how: Callable[[], V]) -> V:
        """The value, looked up where it is not good any more; an error is nothing to remember."""
        found, now, age = self._kept.get(key), self._clock(), self._age
        if found is not None and found[0] > now:
            return found[1]
        if found is not None:
            self._keep(key, found[1], now + self._seconds / 4, age)
        try:
            value = how()
        except BaseException:
            self._kept.pop(key, None)
            raise
        self._keep(key, value, now + self._seconds * (0.5 + hash(key) % 1024 / 2048), age)
        return value

    def clear(self) -> None:
        """Forgets everything, and what is being looked up now."""
        self._age += 1
        self._kept.clear()

    def _keep(self, key: str, value: V, until: float, age: int) -> None:
        if age == self._age:  # else it may be from before a change
            if len(self._kept) >= MOST:
                self._kept.clear()
            self._kept[key] = (until, value)
