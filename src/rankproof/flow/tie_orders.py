"""The orders that tied documents can stand in: the extreme ones, all of them, or a random sample."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

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
        left, ways = self.size, 1
        for many in self.alike:
            ways *= math.comb(left, many)
            left -= many
        return ways


def groups(table: JudgedTable, query: int, k: int | None) -> list[Group]:
    """The tie groups of a query that can be ordered in several ways; those below rank k do not matter."""
    rows = np.arange(table.start[query], table.start[query + 1])
    found = []
    for first in np.unique(table.tie_first[rows]).tolist():
        here = rows[table.tie_first[rows] == first]
        size = int(table.tie_last[here[0]]) - first + 1
        if size > 1 and (k is None or first <= k):
            kind = _kinds(table)[here]
            turn = np.argsort(kind, kind="stable")
            alike = np.unique(kind, return_counts=True)[1]
            group = Group(here[turn], first, size, tuple(alike.tolist()))
            if group.ways > 1:
                found.append(group)
    return found


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


def random_orders(table: JudgedTable, query: int, tied: list[Group], many: int, chance: np.random.Generator) -> Ranks:
    """A row per random order, with the ranks of the query's rows."""
    start, end = table.start[query], table.start[query + 1]
    ranks = np.tile(table.rank[start:end], (many, 1))
    for group in tied:
        places = np.tile(np.arange(group.size, dtype=np.int32), (many, 1))
        mixed = chance.permuted(places, axis=1)[:, : len(group.rows)]
        ranks[:, group.rows - start] = group.first + mixed
    return ranks
