"""Precision at levels of recall: how a level becomes a number of documents, and interpolation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.specs.kinds import Choice, Param
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures._running import Counts, scan
from rankproof.measuring.measures.contract import Values

ROUNDING = Param(
    "rounding",
    Choice(("nearest", "plus_0.9")),
    "nearest",
    "how level times relevant documents becomes whole: to the nearest (trec_eval 10), or by adding 0.9 and "
    "cutting (trec_eval 9)",
)


def documents(level: float, relevant: NDArray[Any], rounding: str) -> Counts:
    """The number of relevant documents that a level of recall stands for, by query."""
    exact = level * relevant
    if rounding == "plus_0.9":
        return np.floor(exact + 0.9).astype(np.int64)
    # Halves go up, as C's lround; adding 0.5 first would also lift the number just below a half.
    whole = np.floor(exact)
    return (whole + (exact - whole >= 0.5)).astype(np.int64)


def interpolated(table: JudgedTable, rel: int, level: float, rounding: str) -> Values:
    """The best precision at or below the rank where a level of recall is reached; 0 where it is not."""
    retrieved = table.relevant_retrieved(rel)
    needed = np.maximum(documents(level, table.pool.relevant(rel), rounding), 1)
    reached = retrieved >= needed
    values = np.zeros(len(table))
    first = np.cumsum(retrieved) - retrieved
    values[reached] = _best_below(table, rel)[(first + needed - 1)[reached]]
    return values


def _best_below(table: JudgedTable, rel: int) -> Values:
    """For each relevant row, the best precision at its rank or a lower one of its query."""

    def compute() -> Values:
        hit = table.relevant(rel)
        nth = table.running(hit)[hit]
        left = table.relevant_retrieved(rel)[table.query[hit]] - nth
        precision = nth / table.rank[hit]
        return scan(precision[::-1], left[::-1], np.maximum)[::-1]

    return table.remember(("best below", rel), compute)
