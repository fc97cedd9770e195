"""A linear program, small and dense: maximize gain . x where rows . x = 0, the sum of x is 1, and x >= 0.

Two phases. The steepest column enters first, which is fast; after many pivots Bland's rule takes over, which cannot
cycle: all right-hand sides but one are 0, so that nearly every vertex is degenerate. Only sums and products element by
element: the same input gives the same vertex everywhere.

source: Bland, New finite pivoting rules for the simplex method, Mathematics of Operations Research 2(2), 1977
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_NIL = 1e-9
_STEEP = 20  # pivots for each row, before Bland's rule
_MOST = 200  # pivots for each row after which rounding must be at fault: a server waits for the answer
Floats = NDArray[np.float64]


def best_mixture(rows: Floats, gain: Floats) -> Floats | None:
    """The shares x, or None where no mixture makes every row 0, or none was found in time."""
    positions, many = rows.shape
    size = positions + 1
    # Columns: x, an artificial one for each row, the right-hand side. The last row is the objective, to be minimized.
    table = np.zeros((size + 1, many + size + 1))
    table[:positions, :many] = rows
    table[positions, :many] = 1.0
    table[positions, -1] = 1.0
    table[:size, many:-1] = np.eye(size)
    basis = list(range(many, many + size))
    table[size, : many + size] = -table[:size, : many + size].sum(axis=0)
    table[size, many:-1] = 0.0
    table[size, -1] = -1.0
    if not _descend(table, basis, many) or table[size, -1] < -_NIL:
        return None
    for i, column in enumerate(basis):  # an artificial column that stayed, at 0, leaves where its row lets it
        if column >= many:
            usable = np.flatnonzero(np.abs(table[i, :many]) > _NIL)
            if len(usable):
                _pivot(table, basis, i, int(usable[0]))
    table[size] = 0.0
    table[size, :many] = -gain
    for i, column in enumerate(basis):
        if column < many:
            table[size] -= table[size, column] * table[i]
    if not _descend(table, basis, many):
        return None
    shares = np.zeros(many)
    for i, column in enumerate(basis):
        if column < many:
            shares[column] = max(0.0, table[i, -1])
    return shares / math.fsum(shares)


def _descend(table: Floats, basis: list[int], many: int) -> bool:
    """Pivots until no column of x lowers the objective; False where that takes too many."""
    for step in range(_MOST * len(basis)):
        costs = table[-1, :many]
        # The first column that lowers it is Bland's choice; the steepest one is faster, as long as it gets anywhere.
        column = int(costs.argmin()) if step < _STEEP * len(basis) else int((costs < -_NIL).argmax())
        if costs[column] >= -_NIL:
            return True
        heights = table[:-1, column].tolist()
        ratios = [
            (end / height, basis[i], i)
            for i, (height, end) in enumerate(zip(heights, table[:-1, -1].tolist(), strict=True))
            if height > _NIL
        ]
        if not ratios:
            return True  # the shares add up to 1, so that only rounding says that this goes on for ever
        least = min(ratio for ratio, _, _ in ratios)
        _pivot(table, basis, min((b, i) for ratio, b, i in ratios if ratio <= least + 1e-12)[1], column)
    return False


def _pivot(table: Floats, basis: list[int], row: int, column: int) -> None:
    table[row] /= table[row, column]
    factors = table[:, column].copy()
    factors[row] = 0.0
    table -= factors[:, None] * table[row]
    basis[row] = column
