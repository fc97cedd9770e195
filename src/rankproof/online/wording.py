"""Counted reasons: how the rooms of online evaluation say how much was left out, and why."""

from __future__ import annotations

from rankproof.kernel.sections import counted


def counted_reason(count: int, reason: str) -> str:
    """A count with its reason, whose first word is a plural noun.

    >>> counted_reason(1, "rows without a unit"), counted_reason(2, "pages with a document twice")
    ('1 row without a unit', '2 pages with a document twice')
    """
    noun, _, rest = reason.partition(" ")
    return f"{counted(count, noun.removesuffix('s'), noun)} {rest}".rstrip()
