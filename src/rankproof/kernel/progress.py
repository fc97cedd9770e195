"""Progress: a callback for long work, and one that reports to nobody."""

from __future__ import annotations

from collections.abc import Callable

# Told while something long is made: what ("dense: encoding document"), how many are done, how many there are.
Progress = Callable[[str, int, int], None]


def silent(what: str, done: int, total: int) -> None:
    """Tells nobody."""
