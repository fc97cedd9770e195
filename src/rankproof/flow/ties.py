"""Ties: least, expected and greatest value of a measure over all orders of the documents with equal scores.

Expected values come from a measure's closed form where it has one; else from all orders of a query that
differ, when they are few, and from random orders otherwise. Least and greatest come from the two extreme
orders where it is known what moves a measure up, and from the same orders as the mean otherwise.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.flow import tie_orders as orders
from rankproof.flow.evaluate import aggregate
from rankproof.measures._contract import Values, Variant
from rankproof.measures._expected import worth_by_grade
from rankproof.records import views
from rankproof.records.evaluation import TieRange
from rankproof.records.judged import JudgedTable
from rankproof.records.repeated import repeated

# A query with at most this many different orders has them all computed.
FEW = 5_000
# A query with more is sampled this often.
SAMPLES = 500
# Rows and pooled documents computed at once; changes no result. So few that columns stay in the processor's cache.
AT_ONCE = 100_000


def over_ties(table: JudgedTable, variant: Variant, seed: int = 0) -> TieRange:
    """The values of a variant over all orders of tied documents. `seed` decides the random orders."""
    measure = variant.measure
    value = measure.compute(table, variant)
    columns = np.stack([value, value, value], axis=1)
    k = variant.k if measure.cutoff in ("optional", "required") else None
    notes: list[str] = []
    exact = True
    if _some_tied(table, k):
        closed = None if measure.expected is None else measure.expected(table, variant)
        worth = _worth(table, variant)
        if closed is not None:
            columns[:, 1] = closed
        if worth is not None:
            columns[:, 0] = measure.compute(views.reranked(table, orders.extreme(table, -worth)), variant)
            columns[:, 2] = measure.compute(views.reranked(table, orders.extreme(table, worth)), variant)
        if closed is None or worth is None:
            seen = _over_orders(table, variant, k, seed)
            wanted = [worth is None, closed is None, worth is None]
            columns[:, wanted] = seen.columns[:, wanted]
            exact = seen.sampled == 0
            if not exact:
                notes.append(_say_sampled(seen, table, closed is None, worth is None, seed))
        # A closed form and a sum may differ in the last bit; a mean lies between least and greatest.
        columns[:, 1] = np.clip(columns[:, 1], columns[:, 0], columns[:, 2])
    if measure.aggregate == "geometric":
        notes.append("the geometric mean of the queries' expected values")
    counted = columns
    if measure.skips_undefined:
        counted = columns[~measure.undefined(table, variant)]
    least, expected, greatest = (aggregate(counted[:, i], measure.aggregate) for i in range(3))
    return TieRange(least, expected, greatest, columns, exact, "; ".join(notes))


def refuse_split_ties(table: JudgedTable, depth: int) -> None:
    """Refuses a depth that cuts through tied documents: what lies below it decides which of them count.

    A table cut there no longer knows the tied documents it lost, so no mean over their orders can be had
    from it.
    """
    split = np.flatnonzero((table.tie_first <= depth) & (table.tie_last > depth))
    if len(split):
        row = split[0]
        query, first, last = table.query[row], int(table.tie_first[row]), int(table.tie_last[row])
        raise UsageError(
            f"Values over all orders of tied documents cannot be cut at depth {depth}: in query "
            f"{table.pool.query_ids[int(query)]!r} ranks {first} to {last} are tied, and chance decides "
            "which of them are kept. Choose a depth that splits no tie, leave the depth out, or let the "
            "order's own rule break ties."
        )


def _some_tied(table: JudgedTable, k: int | None) -> bool:
    tied = table.tie_last > table.tie_first
    return bool(tied.any() if k is None else (tied & (table.tie_first <= k)).any())


def _worth(table: JudgedTable, variant: Variant) -> Values | None:
    measure = variant.measure
    if measure.worth is not None:
        return measure.worth(table, variant)
    if measure.prefers == "grade":
        return worth_by_grade(table, variant)
    if measure.prefers == "judged":
        return table.judged.astype(np.float64)
    return None


class _Seen:
    """What the orders of each query gave: least, mean, greatest; and how many queries were sampled."""

    def __init__(self, value: Values) -> None:
        self.columns = np.stack([value, value, value], axis=1)
        self.sampled = 0
        self.variance = 0.0  # of the sum over queries of the estimated means


def _over_orders(table: JudgedTable, variant: Variant, k: int | None, seed: int) -> _Seen:
    """All orders of queries that have few, random orders of the others; many queries in one pass."""
    seen = _Seen(variant.measure.compute(table, variant))
    rng = np.random.default_rng(seed)
    waiting: list[_Orders] = []
    first_of: dict[tuple[object, ...], int] = {}
    same: list[tuple[int, int]] = []
    size = 0
    pool_size = table.pool.size
    for query, groups in orders.groups(table, k).items():
        few = math.prod(group.ways for group in groups) <= FEW
        if few:
            if table.subtopics is None:
                # All orders of a query of the same shape give the same values.
                first = first_of.setdefault(orders.shape(table, query, groups), query)
                if first != query:
                    same.append((query, first))
                    continue
            ranks = orders.every_order(table, query, groups)
        else:
            ranks = orders.random_orders(table, query, groups, SAMPLES, rng)
            seen.sampled += 1
        waiting.append(_Orders(query, ranks, few))
        size += ranks.size + len(ranks) * int(pool_size[query])
        if size > AT_ONCE:
            _take_in(table, variant, waiting, seen)
            waiting, size = [], 0
    if waiting:
        _take_in(table, variant, waiting, seen)
    for query, first in same:
        seen.columns[query] = seen.columns[first]
    return seen


class _Orders(NamedTuple):
    """Orders of a query's rows that are to be computed, a row of ranks for each; `few` where they are all there are."""

    query: int
    ranks: orders.Ranks
    few: bool


def _take_in(table: JudgedTable, variant: Variant, waiting: list[_Orders], seen: _Seen) -> None:
    """Computes the orders of some queries at once and notes what they gave."""
    times = [len(some.ranks) for some in waiting]
    queries = np.repeat(np.array([some.query for some in waiting], dtype=np.int64), times)
    rank: NDArray[np.int32] = np.concatenate([some.ranks.ravel() for some in waiting])
    values = variant.measure.compute(views.reranked(repeated(table, queries), rank), variant)
    end = 0
    for some in waiting:
        begin, end = end, end + len(some.ranks)
        part = values[begin:end]
        seen.columns[some.query] = part.min(), math.fsum(part.tolist()) / len(part), part.max()
        if not some.few:
            seen.variance += float(part.var(ddof=1)) / len(part)


def _say_sampled(seen: _Seen, table: JudgedTable, mean: bool, ends: bool, seed: int) -> str:
    """Which numbers come from random orders, and how sure they are."""
    what = [w for w, is_so in (("expected value", mean), ("least and greatest", ends)) if is_so]
    note = (
        f"{' and '.join(what)} from {SAMPLES} random orders (seed {seed}) in {seen.sampled} of {len(table)} "
        f"queries, which have more than {FEW} orders"
    )
    return f"{note}; standard error of the mean {math.sqrt(seen.variance) / len(table):.2g}" if mean else note
