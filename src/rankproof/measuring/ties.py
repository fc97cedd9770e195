"""Ties: least, expected and greatest value of a measure over the orders of documents with equal scores.

Expected values come from a measure's closed form where it has one; else from all orders of a query that
differ, when they are few, and from random orders otherwise. Least and greatest come from the two extreme
orders where it is known what moves a measure up, and from the same orders as the mean otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankproof.core import random_orders as drawn_orders
from rankproof.errors import UsageError
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures._expected import worth_by_grade
from rankproof.measuring.measures.contract import Values, Variant
from rankproof.measuring.records import TieRange, aggregate
from rankproof.measuring.views import repeated, reranked

Ranks = NDArray[np.int32]
Indices = NDArray[np.int64]


def extreme(table: JudgedTable, worth: NDArray[np.float64]) -> Ranks:
    """For each row, its rank when every tie group goes by descending worth.

    Documents without a row are worth 0: they come after the rows worth 0 or more and before those worth less.
    """
    turn = np.lexsort((-worth, table.tie_first, table.query))
    query, first = table.query[turn], table.tie_first[turn]
    new = np.ones(len(turn), dtype=bool)
    new[1:] = (query[1:] != query[:-1]) | (first[1:] != first[:-1])
    heads = np.flatnonzero(new)
    rows = np.diff(np.append(heads, len(turn)))
    place = np.arange(len(turn)) - np.repeat(heads, rows)
    from_behind = np.repeat(rows, rows) - 1 - place
    rank = np.empty(len(turn), dtype=np.int32)
    rank[turn] = np.where(worth[turn] >= 0, first + place, table.tie_last[turn] - from_behind)
    return rank


@dataclass(frozen=True, slots=True)
class Group:
    """One tie group of a query that can be ordered in several ways that matter.

    `rows` are its rows of the table, sorted so that rows that no measure can tell apart stand together;
    `alike` has the lengths of those stretches.
    """

    rows: Indices
    first: int
    size: int
    alike: tuple[int, ...]

    @property
    def ways(self) -> int:
        """How many orders differ in what stands where."""
        return _ways(self.size, self.alike)


@lru_cache(maxsize=4096)
def _ways(size: int, alike: tuple[int, ...]) -> int:
    left, ways = size, 1
    for many in alike:
        ways *= math.comb(left, many)
        left -= many
    return ways


def tie_groups(table: JudgedTable, k: int | None) -> dict[int, list[Group]]:
    """By query, the tie groups that can be ordered in several ways, first ranks first.

    Groups that begin below rank k do not matter; queries without a group that does are left out.
    """
    kind = _kinds(table)
    rows = np.flatnonzero((table.tie_last > table.tie_first) & (True if k is None else table.tie_first <= k))
    rows = rows[np.lexsort((kind[rows], table.tie_first[rows], table.query[rows]))]
    query, first, kind = table.query[rows], table.tie_first[rows], kind[rows]
    begins = np.ones(len(rows), dtype=bool)
    begins[1:] = (query[1:] != query[:-1]) | (first[1:] != first[:-1])
    differs = begins.copy()
    differs[1:] |= kind[1:] != kind[:-1]
    heads, stretches = np.flatnonzero(begins), np.flatnonzero(differs)
    lengths = np.diff(np.append(stretches, len(rows))).tolist()
    of_group = np.append(np.searchsorted(stretches, heads), len(stretches)).tolist()
    size = (table.tie_last[rows[heads]] - first[heads] + 1).tolist()
    ends = np.append(heads[1:], len(rows)).tolist()
    groups: dict[int, list[Group]] = {}
    for at, (begin, end, of, rank) in enumerate(
        zip(heads.tolist(), ends, query[heads].tolist(), first[heads].tolist(), strict=True)
    ):
        group = Group(rows[begin:end], rank, size[at], tuple(lengths[of_group[at] : of_group[at + 1]]))
        if group.ways > 1:
            groups.setdefault(of, []).append(group)
    return groups


def shape(table: JudgedTable, query: int, tied: list[Group]) -> tuple[object, ...]:
    """The key that decides the values of a query over all its orders: queries with equal keys have equal values.

    Only for tables without subtopics, where a row is its rank and its grade.
    """
    start, end = table.start[query], table.start[query + 1]
    fixed = np.ones(end - start, dtype=bool)
    for group in tied:
        fixed[group.rows - start] = False
    pool = table.pool
    return (
        tuple((group.first, group.size, group.alike, table.grade[group.rows].tobytes()) for group in tied),
        table.rank[start:end][fixed].tobytes(),
        table.grade[start:end][fixed].tobytes(),
        pool.grade[pool.start[query] : pool.start[query + 1]].tobytes(),
        int(table.retrieved[query]),
        bool(table.in_run[query]),
    )


def _kinds(table: JudgedTable) -> Indices:
    """For each row a number that is the same for two rows of a query when no measure can tell them apart."""

    def compute() -> Indices:
        if table.subtopics is None:
            return table.grade.astype(np.int64)
        # What a document covers may differ in many ways: each row with an entry is a kind of its own.
        own = np.isin(table.doc, table.subtopics.doc)
        return np.where(own, np.arange(len(own)) + 2**32, table.grade)

    return table.remember("kinds for ties", compute)


def every_order(table: JudgedTable, query: int, tied: list[Group]) -> Ranks:
    """A row per order that differs, with the ranks of the query's rows. All are equally likely."""
    start, end = table.start[query], table.start[query + 1]
    placed = [_placements(group.size, group.alike) for group in tied]
    many = math.prod(len(p) for p in placed)
    ranks = np.tile(table.rank[start:end], (many, 1))
    choice = np.unravel_index(np.arange(many), [len(p) for p in placed])
    for group, places, chosen in zip(tied, placed, choice, strict=True):
        ranks[:, group.rows - start] = group.first + places[chosen]
    return ranks


@lru_cache(maxsize=256)
def _placements(size: int, alike: tuple[int, ...]) -> Ranks:
    """All ways to put stretches of like rows into `size` places: a column per row, places from 0."""

    def fill(free: tuple[int, ...], left: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if not left:
            yield ()
            return
        for chosen in combinations(free, left[0]):
            rest = tuple(place for place in free if place not in chosen)
            for more in fill(rest, left[1:]):
                yield chosen + more

    return np.array(list(fill(tuple(range(size)), alike)), dtype=np.int32)


def random_orders(table: JudgedTable, query: int, tied: list[Group], many: int, rng: np.random.Generator) -> Ranks:
    """A row per random order, with the ranks of the query's rows."""
    start, end = table.start[query], table.start[query + 1]
    ranks = np.tile(table.rank[start:end], (many, 1))
    for group in tied:
        # The numbers of `rng.permuted` on `many` rows of places, without making all of them.
        with rng.bit_generator.lock:
            places = drawn_orders(rng.bit_generator.capsule, many, group.size, len(group.rows))
        ranks[:, group.rows - start] = group.first + places.reshape(many, len(group.rows))
    return ranks


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
    if table.has_ties(k):
        closed = None if measure.expected is None else measure.expected(table, variant)
        worth = worth_of(table, variant)
        if closed is not None:
            columns[:, 1] = closed
        if worth is not None:
            columns[:, 0] = measure.compute(reranked(table, extreme(table, -worth)), variant)
            columns[:, 2] = measure.compute(reranked(table, extreme(table, worth)), variant)
        if closed is None or worth is None:
            seen = _over_orders(table, variant, k, seed)
            estimated = [worth is None, closed is None, worth is None]
            columns[:, estimated] = seen.columns[:, estimated]
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

    A table cut there no longer knows the tied documents it lost, so no mean over their orders can be computed
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


def worth_of(table: JudgedTable, variant: Variant) -> Values | None:
    """What moves the measure up when it moves up, by row; None where that is not known."""
    measure = variant.measure
    if measure.worth is not None:
        return measure.worth(table, variant)
    if measure.prefers == "grade":
        return worth_by_grade(table, variant)
    if measure.prefers == "judged":
        return table.judged.astype(np.float64)
    return None


class _Seen:
    """Least, mean and greatest value over the orders of each query, and how many queries were sampled."""

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
    for query, groups in tie_groups(table, k).items():
        few = math.prod(group.ways for group in groups) <= FEW
        if few:
            if table.subtopics is None:
                # All orders of a query of the same shape give the same values.
                first = first_of.setdefault(shape(table, query, groups), query)
                if first != query:
                    same.append((query, first))
                    continue
            ranks = every_order(table, query, groups)
        else:
            ranks = random_orders(table, query, groups, SAMPLES, rng)
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
    ranks: Ranks
    few: bool


def _take_in(table: JudgedTable, variant: Variant, waiting: list[_Orders], seen: _Seen) -> None:
    """Computes the orders of some queries at once and stores their values."""
    times = [len(some.ranks) for some in waiting]
    queries = np.repeat(np.array([some.query for some in waiting], dtype=np.int64), times)
    rank: NDArray[np.int32] = np.concatenate([some.ranks.ravel() for some in waiting])
    values = variant.measure.compute(reranked(repeated(table, queries), rank), variant)
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
