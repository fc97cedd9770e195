"""A process that kills itself at a chosen call to the disk, to see that nothing that was told is lost."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

# What a store asks of the disk; a process is killed before each of them, and in the middle of a write.
CALLS = ("open", "write", "fsync", "ftruncate", "close", "replace")


def arm(killed_at: float) -> None:
    """Counts the calls to the disk from now on: 3.0 kills before the third, 3.5 in the middle of it, if a write."""
    count = 0

    def armed(name: str) -> Callable[..., Any]:
        real = getattr(os, name)

        def call(*args: Any, **more: Any) -> Any:
            nonlocal count
            count += 1
            if count == killed_at or (count + 0.5 == killed_at and name == "write"):
                if count < killed_at:
                    real(args[0], args[1][: len(args[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **more)

        return call

    for name in CALLS:
        setattr(os, name, armed(name))
