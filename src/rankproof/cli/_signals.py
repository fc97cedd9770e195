"""What a command does when it is told to stop: it takes its unfinished files with it."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

# Sent by kill, by job schedulers, and by a terminal that is closed. Windows has no SIGHUP.
STOPPING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    sys.exit(128 + number)  # as shells have it


@contextmanager
def tidy_stop() -> Iterator[None]:
    """While it lasts, a signal to stop unwinds like an error does, so that half-written files are removed."""
    before = {}
    try:
        for number in STOPPING:
            # A caller that ignores a signal, as nohup does, means it.
            if signal.getsignal(number) is signal.SIG_DFL:
                before[number] = signal.signal(number, _stop)
    except ValueError:
        pass  # not the main thread: signals are somebody else's
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
