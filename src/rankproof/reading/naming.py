"""Distinct names for several runs whose own names may be equal."""

from __future__ import annotations

from collections.abc import Sequence


def distinct_names(*choices: Sequence[str]) -> tuple[str, ...]:
    """The first list of names without a repetition; the last list when all have one.

    Callers give the runs' own names first, then longer ones such as their paths.

    >>> distinct_names(["bm25", "bm25"], ["old/bm25.run", "new/bm25.run"])
    ('old/bm25.run', 'new/bm25.run')
    """
    for names in choices:
        if len(set(names)) == len(names):
            break
    return tuple(names)
