"""Means over all orders of tied documents: the pieces that closed forms are built from.

Within a tie group every order is equally likely. What a row adds at a rank is then averaged over the ranks of
its group, and the number of relevant documents before a cutoff that splits a group is hypergeometric.
Source: McSherry and Najork, Computing information retrieval performance measures efficiently in the presence
of tied scores, ECIR 2008.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import Mask, Values, Variant

Counts = NDArray[np.int64]


def by_rank(table: JudgedTable) -> NDArray[np.float64]:
    """The ranks 1, 2, ... up to the last rank of any tie group, as floats."""
    return np.arange(1.0, 1.0 + (int(table.tie_last.max()) if len(table.rank) else 0))


def average_weight(table: JudgedTable, weights: Values, k: int | None = None) -> Values:
    """For each row, the mean of a weight per rank over its tie group; ranks below k weigh nothing."""
    weights = weights.copy()
    if k is not None:
        weights[k:] = 0.0
    before = np.concatenate(([0.0], np.cumsum(weights)))
    size = table.tie_last - table.tie_first + 1
    shared: Values = (before[table.tie_last] - before[table.tie_first - 1]) / size
    # A row that is tied with nothing keeps its weight to the last bit.
    return np.where(size == 1, weights[table.rank - 1], shared)


def probability_within(table: JudgedTable, k: int | Counts) -> Values:
    """For each row, the probability that its rank is k or better; k may differ from query to query."""
    cut = k if isinstance(k, int) else k[table.query]
    places = np.clip(cut - table.tie_first + 1.0, 0.0, table.tie_last - table.tie_first + 1.0)
    probability: Values = places / (table.tie_last - table.tie_first + 1)
    return probability


def over_hits(table: JudgedTable, mask: Mask, k: int, value: Callable[[Counts], Values]) -> Values:
    """The mean of `value(hits)` by query, where hits counts the masked rows in the first k ranks."""
    split = (table.tie_first <= k) & (table.tie_last > k)
    sure = table.count(mask & (table.tie_last <= k))
    tied = table.count(mask & split)
    size, drawn = np.ones(len(table), dtype=np.int64), np.zeros(len(table), dtype=np.int64)
    # At most one group of a query lies across rank k: all its rows say the same.
    size[table.query[split]] = (table.tie_last - table.tie_first + 1)[split]
    drawn[table.query[split]] = (k - table.tie_first + 1)[split]
    mean = np.zeros(len(table))
    for hits in range(int(np.minimum(tied, drawn).max(initial=0)) + 1):
        mean += hypergeometric(hits, size, tied, drawn) * value(sure + hits)
    return mean


def hypergeometric(hits: Any, size: Counts, marked: Counts, drawn: Counts) -> Values:
    """The probability of `hits` marked documents among `drawn` of `size`; 0 where that many is impossible."""
    missed = drawn - hits
    possible = (hits <= marked) & (missed >= 0) & (missed <= size - marked)
    logs = log_factorials(int(np.max(size, initial=0)))

    def choose(n: Any, r: Any) -> Values:
        n, r = np.where(possible, n, 0), np.where(possible, r, 0)
        ways: Values = logs[n] - logs[r] - logs[n - r]
        return ways

    probability = np.exp(choose(marked, hits) + choose(size - marked, missed) - choose(size, drawn))
    return np.where(possible, probability, 0.0)


def log_factorials(most: int) -> Values:
    """log(0!), log(1!), ..., log(most!)."""
    return np.concatenate(([0.0], np.cumsum(np.log(np.arange(1.0, most + 1.0)))))


def worth_by_grade(table: JudgedTable, variant: Variant) -> Values:
    """What a row is worth higher up, to a measure that prefers better grades: the usual case.

    Relevant documents by grade; then unjudged documents, at 0 like documents without a row; judged documents
    that are not relevant come last, because a measure may hold those, and only those, against a ranking.
    """
    relevant = table.grade >= variant.values.get("rel", 1)
    return np.where(relevant, np.maximum(table.grade, 0) + 1.0, np.where(table.judged, -1.0, 0.0))
