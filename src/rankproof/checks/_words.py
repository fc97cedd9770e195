"""How ids, numbers and counts are written in messages: short, exact, and safe to print."""

from __future__ import annotations

# An id longer than this is shortened: a message is one line that a person reads.
LONGEST = 60


def quote(text: str) -> str:
    """An id in quotes, control characters escaped, shortened in the middle of nowhere."""
    return repr(text) if len(text) <= LONGEST else repr(text[:LONGEST]) + "..."


def number(value: float) -> str:
    """Shortest text of a number that reads back to it; whole numbers without a point."""
    return str(int(value)) if value == value // 1 and abs(value) < 1e15 else repr(float(value))


def count(n: int, singular: str, plural: str = "") -> str:
    """A number with its noun: '1 query', '1,200 queries'."""
    return f"{n:,} {singular if n == 1 else plural or singular + 's'}"
