"""Profiles: measures of which it is known what a document further up, or a better grade, does. Exact for one run.

Where relevance is all that counts of a grade, and higher is better for relevant documents, the extremes are among the
trials in which the first, or the last, so many open documents are relevant. Where a better grade never hurts, they are
the two trials in which all open documents have the top grade, or grade 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.holes.most import Most
from rankproof.flow.holes.trials import tried
from rankproof.flow.holes.world import World
from rankproof.measures._contract import Values, Variant
from rankproof.measures._dependence import Ordered, Rising
from rankproof.records import views

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
    found = world.rank[run] > 0
    moved = world.open & (found | (form.reach == "all" and not form.thins))
    # Where documents that are not in the ranking only take away, all of them are relevant, or none.
    sure = world.open & ~found & (form.thins and plus is None)
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
    low = views.regraded(world.tables[run], world.grade)
    high = views.regraded(world.tables[run], np.where(world.open, world.top, world.grade).astype(np.int32))
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
