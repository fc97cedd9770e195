"""The orders that tied documents can stand in: the extreme ones, all of them, or a random sample."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rankproof.core._core import random_orders as drawn_orders
from rankproof.records.judged import JudgedTable

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


def groups(table: JudgedTable, k: int | None) -> dict[int, list[Group]]:
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
    found: dict[int, list[Group]] = {}
    for at, (begin, end, of, rank) in enumerate(
        zip(heads.tolist(), ends, query[heads].tolist(), first[heads].tolist(), strict=True)
    ):
        group = Group(rows[begin:end], rank, size[at], tuple(lengths[of_group[at] : of_group[at + 1]]))
        if group.ways > 1:
            found.setdefault(of, []).append(group)
    return found


def shape(table: JudgedTable, query: int, tied: list[Group]) -> tuple[object, ...]:
    """What decides the values of a query over all its orders: two queries with one shape have the same ones.

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
