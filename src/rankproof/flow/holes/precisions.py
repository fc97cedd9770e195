"""Precisions: measures made from the sum of precisions at relevant ranks. Exact for one run.

Given how many open documents are relevant, the sum is greatest when they stand as high as can be, and least when they
are outside the ranking first and then as low as can be: to change places with a document further up raises it. So it
is enough to go through how many, and to add documents one by one from the top, or from the bottom.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from rankproof.flow.holes.most import Most
from rankproof.flow.holes.world import World
from rankproof.measures._contract import Values, Variant
from rankproof.measures._dependence import PrecisionSum


def most_of_precisions(
    world: World, variant: Variant, form: PrecisionSum, plus: int | None, minus: int | None
) -> Most | None:
    """The greatest value of one run, or less the least of one; None for two runs."""
    if plus is not None and minus is not None:
        return None
    run, top = (plus, True) if plus is not None else (minus, False)
    assert run is not None
    if form.rel <= 0 or world.top < form.rel:
        return Most.reached(world.zero(plus, variant) - world.zero(minus, variant))
    if world.endless and form.reach == "all" and not top:
        # As relevant documents elsewhere become more and more, the value falls to its lowest.
        return Most(np.full(len(world), -variant.measure.low), np.zeros(len(world), dtype=bool))
    relevant = ~world.open & (world.grade >= form.rel)
    rank = world.rank[run]
    within = (rank > 0) & (True if form.k is None else rank <= form.k)
    total = world.pool.count(relevant).astype(np.float64)
    outside = world.pool.count(world.open & ~within).astype(np.float64)
    values = np.empty(len(world))
    for query, (begin, end) in enumerate(pairwise(world.pool.start.tolist())):
        here = slice(begin, end)
        judged = np.sort(rank[here][relevant[here] & within[here]])
        unknown = np.sort(rank[here][world.open[here] & within[here]])
        sums = _from_top(judged, unknown) if top else _from_bottom(judged, unknown)
        added = np.arange(len(sums), dtype=np.float64)
        everywhere = total[query] + added + (0.0 if top else outside[query])
        found = form.value(sums, len(judged) + added, everywhere)
        values[query] = found.max() if top else -found.min()
    return Most.reached(values)


def _from_top(judged: Values, unknown: Values) -> Values:
    """The sum of precisions with the first 0, 1, 2, ... unknown documents relevant."""
    above = np.searchsorted(judged, unknown)
    # A new one has all relevant ones above it, and adds 1 / rank to each judged one below.
    own = (above + np.arange(1, len(unknown) + 1)) / unknown
    return _running(judged, own + _below(judged)[above])


def _from_bottom(judged: Values, unknown: Values) -> Values:
    """The same with the last 0, 1, 2, ... unknown documents relevant."""
    turned = unknown[::-1]
    above = np.searchsorted(judged, turned)
    # A new one has the judged ones above it, and adds 1 / rank to all relevant ones below: judged and new.
    new_below = np.concatenate(([0.0], np.cumsum(1.0 / turned)))[: len(turned)]
    return _running(judged, (above + 1) / turned + _below(judged)[above] + new_below)


def _running(judged: Values, added: Values) -> Values:
    """What the judged ones give, and then each step added to it."""
    first = float((np.arange(1, len(judged) + 1) / judged).sum())
    return np.concatenate(([first], first + np.cumsum(added)))


def _below(judged: Values) -> Values:
    """For each place in the judged ranks, the sum of 1 / rank from there on."""
    return np.concatenate((np.cumsum((1.0 / judged)[::-1])[::-1], [0.0]))
