"""Names that tell several runs apart, where their own names would not."""

from __future__ import annotations

from collections.abc import Sequence


def distinct_names(*choices: Sequence[str]) -> tuple[str, ...]:
    """The first choice of names in which no name stands twice; the last choice where each has a repetition.

    Callers offer the runs' own names first, then what is longer but tells more, such as their paths.

    >>> distinct_names(["bm25", "bm25"], ["old/bm25.run", "new/bm25.run"])
    ('old/bm25.run', 'new/bm25.run')
    """
    for names in choices:
        if len(set(names)) == len(names):
            break
    return tuple(names)
