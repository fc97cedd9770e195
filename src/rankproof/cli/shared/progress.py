"""Progress of long work: on a terminal's standard error only."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from rankproof.kernel.progress import Progress, silent

T = TypeVar("T")

# Work that ends sooner than this needs no sign, and does not pay for loading rich.
PATIENCE = 1.0


def watched(items: Sequence[T], what: str) -> Iterator[T]:
    """The items, one by one; how many are done is shown while the work on them goes on."""
    if not sys.stderr.isatty():
        yield from items
        return
    sign = _ProgressBar(what, len(items))
    try:
        for item in items:
            yield item
            sign.step()
    finally:
        sign.stop()


class _ProgressBar:
    """A bar that a timer starts when patience ends; the work itself never waits for it."""

    def __init__(self, what: str, total: int) -> None:
        self.what, self.total, self.done = what, total, 0
        self.bar: Any = None
        self.lock = threading.Lock()
        self.over = False
        self.timer = threading.Timer(PATIENCE, self.start)
        self.timer.daemon = True
        self.timer.start()

    def start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        with self.lock:
            if self.over:
                return
            parts = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
            self.bar = Progress(*parts, console=Console(stderr=True), transient=True)
            # A total of one has no progress to show: the bar then only moves.
            self.task = self.bar.add_task(self.what, total=self.total if self.total > 1 else None)
            self.bar.update(self.task, completed=self.done)
            self.bar.start()

    def step(self) -> None:
        with self.lock:
            self.done += 1
            if self.bar is not None:
                self.bar.update(self.task, completed=self.done)

    def stop(self) -> None:
        self.timer.cancel()
        with self.lock:
            self.over = True
            if self.bar is not None:
                with suppress(OSError):
                    self.bar.stop()


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
