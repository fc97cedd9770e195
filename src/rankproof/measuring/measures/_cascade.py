"""The cascade of ERR: a reader goes down the ranking and stops at a document with a probability set by its grade."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.specs.kinds import Optional, Param, Whole
from rankproof.measuring.judged_table import JudgedTable, Pool
from rankproof.measuring.measures.contract import Values, Variant

MAX_GRADE = Param(
    "max_grade",
    Optional(Whole(1), "collection"),
    None,
    "the top of the scale: the collection's top grade, or a number; grades above it count as it",
)


def top_grade(pool: Pool, variant: Variant) -> int:
    """The top grade of the scale: the variant's own, else the collection's."""
    max_grade = variant["max_grade"]
    return pool.top_grade if max_grade is None else int(max_grade)


def say_top_grade(table: JudgedTable, variant: Variant) -> str:
    """The top grade of the scale and its source, for the fine print."""
    source = "the collection's" if variant["max_grade"] is None else "as asked"
    return f"top grade {top_grade(table.pool, variant)} ({source})"


def stop_probability(grade: NDArray[Any], top: int) -> Values:
    """(2^grade - 1) / 2^top, written so that no power overflows."""
    probability: Values = np.exp2(np.clip(grade, 0, top) - float(top)) - np.exp2(-float(top))
    return np.where(grade > 0, probability, 0.0)


def reach(grade: NDArray[np.int32], query: NDArray[np.int64], start: NDArray[np.int64], top: int) -> Values:
    """For each row, the probability of reaching it: the reader stopped at no row above. Rows go by query, then rank.

    A product over the rows above depends only on how many of them have each grade, so it is exact for any
    number of rows.
    """
    probability = np.ones(len(grade))
    for level in np.unique(grade[grade > 0]):
        here = grade == level
        seen = np.cumsum(here)
        before_query = np.concatenate(([0], seen))[start[:-1]]
        above = seen - here - before_query[query]
        probability *= np.power(1.0 - stop_probability(np.array([level]), top)[0], above)
    return probability


def survival(size: int, going_on: NDArray[np.float64]) -> Values:
    """Mean probability of passing the first 0, 1, ..., size documents of a tie group, over all its orders.

    `going_on` has the probability of passing each document at which a reader may stop; all others are passed.
    Adding a document to a group of n makes A_j = j/(n+1) q A_(j-1) + (1 - j/(n+1)) A_j: either it is among
    the first j or it is not. Every term is positive, so nothing cancels.
    """
    passed = np.ones(size - len(going_on) + 1)
    for q in going_on.tolist():
        share = np.arange(len(passed) + 1) / len(passed)
        longer = np.append(passed, 0.0)
        longer *= 1.0 - share
        longer[1:] += share[1:] * q * passed
        passed = longer
    return passed


def expected_err(table: JudgedTable, k: int | None, stop: Values, weights: Values) -> Values:
    """Mean over all orders of tied documents of the sum of (probability of stopping at a rank) x (its weight)."""
    value = np.zeros(len(table))
    # Groups that begin below k add nothing.
    rows = np.flatnonzero((stop > 0) & (True if k is None else table.tie_first <= k))
    first, size = table.tie_first[rows], (table.tie_last - table.tie_first + 1)[rows]
    query = table.query[rows]
    new = np.ones(len(rows), dtype=bool)
    new[1:] = (query[1:] != query[:-1]) | (first[1:] != first[:-1])
    heads = np.flatnonzero(new)
    if k is not None:
        weights = np.where(np.arange(len(weights)) < k, weights, 0.0)
    reached, at = 1.0, -1
    for head, tail in zip(heads, np.append(heads, len(rows))[1:], strict=True):
        if query[head] != at:
            reached, at = 1.0, int(query[head])
        going_on = 1.0 - stop[rows[head:tail]]
        passed = survival(int(size[head]), going_on)
        span = weights[first[head] - 1 : first[head] - 1 + size[head]]
        value[at] += reached * float(((passed[:-1] - passed[1:]) * span).sum())
        reached *= float(np.prod(going_on))
    return value
