"""Running sums and running best values within each query, for all queries at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.measuring.judged_table import JudgedTable, Pool
from rankproof.measuring.measures.contract import Values

Counts = NDArray[np.int64]


def scan(values: Values, position: NDArray[Any], combine: np.ufunc) -> Values:
    """Each value combined with all values before it in its group; `position` counts from 0 in each group.

    Doubling steps (Hillis and Steele, 1986) instead of one long cumulative sum: what one group adds up never
    touches the digits of another, however many queries there are.
    """
    out = values.astype(np.float64)
    step, longest = 1, int(position.max(initial=-1)) + 1
    while step < longest:
        out[step:] = np.where(position[step:] >= step, combine(out[step:], out[:-step]), out[step:])
        step *= 2
    return out


def position(table: JudgedTable) -> Counts:
    """For each row, how many rows of its query stand before it."""
    return table.remember("position", lambda: np.arange(len(table.rank)) - table.start[:-1][table.query])


def running_sum(table: JudgedTable, values: Values) -> Values:
    """For each row, the sum of a value per row over its query, up to and including it."""
    return scan(values, position(table), np.add)


def running_ideal(pool: Pool, values: Values) -> Values:
    """For each place in a query's ideal order, the sum of a value per place up to and including it."""
    return scan(values, pool.position - 1, np.add)


def reached(table: JudgedTable, running: Values, query: Counts, rank: Counts) -> Values:
    """The running value over the rows at given ranks of given queries; 0 before the first row."""
    if len(table.rank) == 0:
        return np.zeros(len(query))
    wide = 1 + max(int(table.rank.max()), int(rank.max(initial=0)))
    row = np.searchsorted(table.query * wide + table.rank, query * wide + rank, side="right") - 1
    return np.where(row >= table.start[query], running[row], 0.0)
