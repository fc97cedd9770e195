"""Progress: a callback for long work, and one that does nothing."""

from __future__ import annotations

from collections.abc import Callable

# Called during long work with a label ("dense: encoding document"), how many are done, how many there are.
Progress = Callable[[str, int, int], None]


def silent(what: str, done: int, total: int) -> None:
    """Does nothing."""
