"""Which columns are the difference of two others: B - C is (A - C) - (A - B), so it needs no product of its own.

All pairs of s systems make s (s - 1) / 2 columns of differences, and s - 1 of them give all the others. Whatever is
linear in a column can be had from those by one subtraction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

# What a column may be off, for each row and as a share of the largest difference: far below what counts as a tie.
ROUNDING = 1e-16

# (first, second): the column is first - second. (itself, None): it has to be computed.
Span = tuple[int, int | None]


def spans(columns: NDArray[np.float64]) -> list[Span]:
    """For each column, the two earlier columns it is the difference of; itself where there are none."""
    rows, count = columns.shape
    # One number stands for each column: where these do not fit, the columns cannot.
    shadow = np.cos(np.arange(1.0, rows + 1)) @ columns
    room = ROUNDING * max(rows, 100) * float(np.abs(columns).max(initial=0.0))
    basis: list[int] = []
    found: list[Span] = []
    for column in range(count):
        span = _other(columns, shadow, np.array(basis, dtype=np.intp), column, room)
        found.append(span or (column, None))
        if span is None:
            basis.append(column)
    return found


def _other(
    columns: NDArray[np.float64],
    shadow: NDArray[np.float64],
    basis: NDArray[np.intp],
    column: int,
    room: float,
) -> Span | None:
    if not len(basis):
        return None
    ordered = basis[np.argsort(shadow[basis])]
    wanted = shadow[column] + shadow[basis]
    slack = room * len(columns)
    at = np.searchsorted(shadow[ordered], wanted - slack).clip(max=len(basis) - 1)
    for i in np.flatnonzero(np.abs(shadow[ordered[at]] - wanted) <= slack):
        first, second = int(ordered[at[i]]), int(basis[i])
        if np.abs(columns[:, first] - columns[:, second] - columns[:, column]).max() <= room:
            return first, second
    return None


def batches(made_of: Sequence[Span], most: int) -> Iterator[tuple[list[int], list[int]]]:
    """(columns, what they need): consecutive columns that need at most `most` computed ones between them."""
    columns: list[int] = []
    needed: dict[int, None] = {}
    for column, span in enumerate(made_of):
        need = [part for part in span if part is not None]
        if columns and len(needed.keys() | set(need)) > most:
            yield columns, list(needed)
            columns, needed = [], {}
        columns.append(column)
        needed.update(dict.fromkeys(need))
    if columns:
        yield columns, list(needed)
