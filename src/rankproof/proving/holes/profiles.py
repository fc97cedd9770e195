"""Bounds by monotonicity, or by trying every grade that a query's unjudged documents could have.

Where relevance is all that counts of a grade, and higher is better for relevant documents, the extremes are among the
trials in which the first, or the last, so many open documents are relevant. Where a better grade never hurts, they are
the two trials in which all open documents have the top grade, or grade 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations_with_replacement, product

import numpy as np
from numpy.typing import NDArray

from rankproof.measuring.dependence import Ordered, Rising
from rankproof.measuring.measures.contract import Values, Variant
from rankproof.measuring.views import regraded
from rankproof.proving.holes.world import Grades, Most, World

# Rows and pooled documents computed at once; bounds memory, changes no result.
AT_ONCE = 2_000_000

# For a query, the grades of its open documents: a row for each trial.
Assumed = Callable[[int], NDArray[np.int64]]


def tried(
    world: World, variant: Variant, queries: Iterable[int], assumed: Assumed, plus: int | None, minus: int | None
) -> Iterator[tuple[int, Values]]:
    """For each query, the value of one run less that of another in every trial, in the order of its trials."""
    waiting: list[tuple[int, Grades]] = []
    size = 0
    for query in queries:
        grades = _whole(world, query, assumed(query))
        waiting.append((query, grades))
        size += 2 * grades.size
        if size > AT_ONCE:
            yield from _computed(world, variant, waiting, plus, minus)
            waiting, size = [], 0
    if waiting:
        yield from _computed(world, variant, waiting, plus, minus)


def _whole(world: World, query: int, trials: NDArray[np.int64]) -> Grades:
    """Grades of all documents of a query, a row for each trial."""
    here = slice(int(world.pool.start[query]), int(world.pool.start[query + 1]))
    grades = np.tile(world.grade[here], (len(trials), 1))
    grades[:, world.open[here]] = trials
    return grades


def _computed(
    world: World, variant: Variant, waiting: list[tuple[int, Grades]], plus: int | None, minus: int | None
) -> Iterator[tuple[int, Values]]:
    times = [len(grades) for _, grades in waiting]
    queries = np.repeat(np.array([query for query, _ in waiting], dtype=np.int64), times)
    grade = np.concatenate([grades.ravel() for _, grades in waiting])
    value = np.zeros(len(queries))
    if plus is not None:
        value += variant.measure.compute(world.assumed(plus, queries, grade), variant)
    if minus is not None:
        value -= variant.measure.compute(world.assumed(minus, queries, grade), variant)
    for (query, _), part in zip(waiting, np.split(value, np.cumsum(times)[:-1]), strict=True):
        yield query, part


# Documents over all trials of all queries that are still computed: about half a second for each end of each run.
MOST_CELLS = 10_000_000


def most_of_order(world: World, variant: Variant, form: Ordered, plus: int | None, minus: int | None) -> Most | None:
    """The greatest value of one run, or less the least of one; None for two runs. NaN where never defined."""
    if plus is not None and minus is not None:
        return None
    run = plus if plus is not None else minus
    assert run is not None
    if form.rel <= 0 or world.top < form.rel:
        return Most.reached(world.zero(plus, variant) - world.zero(minus, variant))
    if world.endless and form.reach == "all":
        return None
    value = np.full(len(world), _limit(variant, plus, minus))
    exact = np.zeros(len(world), dtype=bool)
    retrieved = world.rank[run] > 0
    moved = world.open & (retrieved | (form.reach == "all" and not form.thins))
    # Where documents that are not in the ranking only take away, all of them are relevant, or none.
    sure = world.open & ~retrieved & (form.thins and plus is None)
    cells = (world.pool.count(moved) + 1) * world.pool.size
    cheap = np.argsort(cells, kind="stable")
    cheap = np.sort(cheap[np.cumsum(cells[cheap]) <= MOST_CELLS]).tolist()
    first = (plus is not None) != form.falls

    def by_rank(query: int) -> NDArray[np.int64]:
        return _by_rank(world, query, moved, sure, run, first)

    for query, values in tried(world, variant, cheap, by_rank, plus, minus):
        value[query] = np.nan if np.isnan(values).all() else np.nanmax(values)
        exact[query] = True
    return Most(value, exact)


def _by_rank(
    world: World, query: int, moved: NDArray[np.bool_], sure: NDArray[np.bool_], run: int, first: bool
) -> NDArray[np.int64]:
    """Trials in which the first (or last) 0, 1, 2, ... of the moved documents are relevant, and the sure ones."""
    here = slice(int(world.pool.start[query]), int(world.pool.start[query + 1]))
    is_open = world.open[here]
    counts, rank = moved[here][is_open], world.rank[run][here][is_open]
    # Documents that the run does not have stand below all others.
    place = np.where(rank > 0, rank, np.iinfo(np.int64).max)
    order = np.argsort(place if first else -place, kind="stable")
    order = order[counts[order]]
    turn = np.full(len(rank), len(order) + 1)
    turn[order] = np.arange(1, len(order) + 1)
    turn[sure[here][is_open]] = 0
    return np.where(turn <= np.arange(len(order) + 1)[:, None], world.top, 0)


def most_of_rising(world: World, variant: Variant, form: Rising, plus: int | None, minus: int | None) -> Most | None:
    """All open documents at the top grade, or none; over an ideal that moves too, the outer bound of the two."""
    if plus is not None and minus is not None:
        return None
    run = plus if plus is not None else minus
    assert run is not None
    low = regraded(world.tables[run], world.grade)
    high = regraded(world.tables[run], np.where(world.open, world.top, world.grade).astype(np.int32))
    least, greatest = (variant.measure.compute(table, variant) for table in (low, high))
    if form.ideal is None:
        return Most.reached(greatest if plus is not None else -least)
    if world.endless:
        return None
    ideals = form.ideal(low, variant), form.ideal(high, variant)
    if plus is not None:
        value = np.minimum(_over(greatest * ideals[1], ideals[0], variant.measure.high), variant.measure.high)
    else:
        value = -_over(least * ideals[0], ideals[1], 0.0)
    settled = world.open_by_query == 0
    return Most(np.where(settled, world.zero(plus, variant) - world.zero(minus, variant), value), settled)


def _over(top: Values, bottom: Values, otherwise: float) -> Values:
    ratio: Values = np.divide(top, bottom, out=np.full(len(top), otherwise), where=bottom > 0)
    return ratio


def _limit(variant: Variant, plus: int | None, minus: int | None) -> float:
    """What the measure's range allows."""
    return (0.0 if plus is None else variant.measure.high) - (0.0 if minus is None else variant.measure.low)


# A query with at most this many different trials has them all computed.
FEW = 4096
# Documents over all trials of a query that are still computed: about a tenth of a second.
MOST_TRIED_CELLS = 1_500_000


def most_of_few(
    world: World, variant: Variant, grades: NDArray[np.int64], plus: int | None, minus: int | None, queries: list[int]
) -> dict[int, float]:
    """The greatest value of one run less that of another, for those of the queries that have few enough trials.

    Documents that neither run has are alike: only how many of them have each grade matters. NaN where no trial is
    defined.
    """
    runs = [run for run in (plus, minus) if run is not None]
    seen = (world.rank[runs] > 0).any(axis=0) & world.open
    single, alike = world.pool.count(seen), world.pool.count(world.open & ~seen)
    chosen = [
        query
        for query in queries
        if (ways := _ways(int(single[query]), int(alike[query]), len(grades))) <= FEW
        and ways * int(world.pool.size[query]) <= MOST_TRIED_CELLS
    ]
    greatest: dict[int, float] = {}
    for query, values in tried(world, variant, chosen, lambda query: _every(world, query, seen, grades), plus, minus):
        greatest[query] = _greatest(values)
    return greatest


def _greatest(values: Values) -> float:
    return math.nan if np.isnan(values).all() else float(np.nanmax(values))


def _ways(single: int, alike: int, grades: int) -> float:
    """How many trials differ; not a number of any size: very large powers are infinite."""
    if single > FEW.bit_length():
        return math.inf if grades > 1 else 1.0
    return float(grades**single) * math.comb(alike + grades - 1, grades - 1)


def _every(world: World, query: int, seen: NDArray[np.bool_], grades: NDArray[np.int64]) -> NDArray[np.int64]:
    """Every choice of grades for the documents that are seen, with every mixture for the others."""
    here = slice(int(world.pool.start[query]), int(world.pool.start[query + 1]))
    mask = seen[here][world.open[here]]
    single, alike = int(mask.sum()), int((~mask).sum())
    ones = _table(list(product(grades.tolist(), repeat=single)), single)
    mixed = _table(list(combinations_with_replacement(grades.tolist(), alike)), alike)
    trials = np.empty((len(ones) * len(mixed), single + alike), dtype=np.int64)
    trials[:, mask] = np.repeat(ones, len(mixed), axis=0)
    trials[:, ~mask] = np.tile(mixed, (len(ones), 1))
    return trials


def _table(rows: list[tuple[int, ...]], columns: int) -> NDArray[np.int64]:
    return np.array(rows, dtype=np.int64).reshape(len(rows), columns)
