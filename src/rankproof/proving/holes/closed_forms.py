"""Bounds in closed form: sums over documents, shares, precisions at a cut, and average precision.

Given how many open documents are relevant, the cut is known. The most that it can hold of them is all, or as many as it
has open documents; the least is those for which there is no place outside of it.

Given how many open documents are relevant, the sum is greatest when they stand as high as can be, and least when they
are outside the ranking first and then as low as can be: to change places with a document further up raises it. So it
is enough to go through how many, and to add documents one by one from the top, or from the bottom.

With x_i = 1 for a relevant document at rank b_i on this side and a_i on the other, the difference of the sums is
sum_i x_i w_ii + sum_(i<j) x_i x_j w_ij, where w_ij = 1/max(b_i, b_j) - 1/max(a_i, a_j). Each pair of open documents is
at most the positive part of w_ij, half of it charged to each of the two. What is left is linear, and given how many
documents are relevant the greatest charges bound it. Documents with the same rank on both sides charge nothing.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rankproof.measuring.dependence import Best, Cut, Linear, PrecisionSum, Share, Weight
from rankproof.measuring.measures.contract import Values, Variant
from rankproof.proving.holes.world import Most, World


def most_of_sum(world: World, variant: Variant, form: Linear, plus: int | None, minus: int | None) -> Most:
    """Each document on its own gets the grade that is best for its net weight on both sides."""
    gain = form.gain(np.arange(world.top + 1))
    net = weights_of(world, form, plus) - weights_of(world, form, minus)
    best = np.maximum(net * (gain.max() - gain[0]), net * (gain.min() - gain[0]))
    value = world.zero(plus, variant) - world.zero(minus, variant) + world.sum(np.where(world.open, best, 0.0))
    # Of documents in no run there may be any number; on both sides they weigh the same and cancel.
    beyond = form.elsewhere * ((plus is not None) - (minus is not None))
    if world.endless and max(beyond * (gain.max() - gain[0]), beyond * (gain.min() - gain[0])) > 0:
        return Most(np.full(len(world), np.inf), np.zeros(len(world), dtype=bool))
    return Most.reached(value)


def most_of_best(world: World, variant: Variant, form: Best, plus: int | None, minus: int | None) -> Most:
    """One relevant document is all that can help: it lifts its own side, and more would only lift the other."""
    here, there = world.zero(plus, variant), world.zero(minus, variant)
    value = here - there
    if form.rel <= 0 or world.top < form.rel:
        return Most.reached(value)  # every grade counts the same
    lifted = np.maximum(_weights(world, form.weight, plus), here[world.query])
    against = np.maximum(_weights(world, form.weight, minus), there[world.query])
    np.maximum.at(value, world.query[world.open], (lifted - against)[world.open])
    return Most.reached(value)


def weights_of(world: World, form: Linear, run: int | None) -> Values:
    """What each pooled document weighs in a run; 0 in no run."""
    return _weights(world, form.weight, run, form.elsewhere)


def _weights(world: World, weight: Weight, run: int | None, elsewhere: float = 0.0) -> Values:
    if run is None:
        return np.zeros(len(world.query))
    has = world.rank[run] > 0
    weights = np.full(len(has), elsewhere)
    weights[has] = weight(world.rank[run][has], world.retrieved(run)[has])
    return weights


# Relevant documents, when there is no end of them; finite, so that a divisor that ignores them stays a number.
WITHOUT_END = 1e300
LARGE = 1e200


def most_of_share(world: World, variant: Variant, form: Share, plus: int | None, minus: int | None) -> Most:
    """With N = relevant here - relevant there, in the first k, and D the divisor, the greatest N / D.

    A document that only this side has adds 1 to N and at most D / R to D, and N is never above R: it never
    lowers N / D. One that only the other side has never raises it, by the same reasoning. All others change D
    alone: all of them are relevant where N is below 0, none where it is above.
    """
    if form.rel <= 0 or world.top < form.rel:
        return Most.reached(world.zero(plus, variant) - world.zero(minus, variant))
    here, there = _in_first_k(world, form.k, plus), _in_first_k(world, form.k, minus)
    relevant = ~world.open & (world.grade >= form.rel)
    only_here = world.open & here & ~there
    rest = world.open & (here == there)

    def count(mask: NDArray[np.bool_]) -> NDArray[np.float64]:
        return world.pool.count(mask).astype(np.float64)

    net = count(relevant & here) - count(relevant & there) + count(only_here)
    fewest = count(relevant) + count(only_here)
    most = np.full(len(world), WITHOUT_END) if world.endless else fewest + count(rest)
    bottom = np.where(net < 0, form.divisor(most), form.divisor(fewest))
    value = np.divide(net, bottom, out=np.zeros(len(world)), where=bottom > 0)
    # What is only approached, as relevant documents become more and more, is not reached.
    exact = ~(world.endless & (net < 0))
    return Most(np.where(np.abs(value) < 1 / LARGE, 0.0, value), exact)


def _in_first_k(world: World, k: int | None, run: int | None) -> NDArray[np.bool_]:
    """For each pooled document, whether the run has it in its first k."""
    if run is None:
        return np.zeros(len(world.query), dtype=bool)
    within: NDArray[np.bool_] = (world.rank[run] > 0) & (True if k is None else world.rank[run] <= k)
    return within


def most_of_cut(world: World, variant: Variant, form: Cut, plus: int | None, minus: int | None) -> Most | None:
    """The greatest value of one run, or less the least of one; None for two runs, and without a finite universe."""
    if (plus is not None and minus is not None) or world.endless:
        return None
    if form.rel <= 0 or world.top < form.rel:
        return Most.reached(world.zero(plus, variant) - world.zero(minus, variant))
    run = plus if plus is not None else minus
    assert run is not None
    relevant = ~world.open & (world.grade >= form.rel)
    total = world.pool.count(relevant)
    values = np.empty(len(world))
    for query, (begin, end) in enumerate(pairwise(world.pool.start.tolist())):
        span = slice(begin, end)
        rank, is_open = world.rank[run][span], world.open[span]
        added = np.arange(int(is_open.sum()) + 1)
        cut = form.cut(total[query] + added)
        sure = np.searchsorted(np.sort(rank[relevant[span] & (rank > 0)]), cut, side="right")
        room = np.searchsorted(np.sort(rank[is_open & (rank > 0)]), cut, side="right")
        within = sure + (np.minimum(added, room) if plus is not None else np.maximum(added - (added[-1] - room), 0))
        share = np.divide(within, cut, out=np.zeros(len(cut)), where=cut > 0)
        values[query] = share.max() if plus is not None else -share.min()
    return Most.reached(values)


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
        candidates = form.value(sums, len(judged) + added, everywhere)
        values[query] = candidates.max() if top else -candidates.min()
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


# A query with more documents in the two rankings has too many pairs; it keeps the bound of each run alone.
MOST_DOCUMENTS = 600


def paired_precisions(world: World, form: PrecisionSum, plus: int, minus: int, alone: Most) -> Most:
    """`alone` made tighter where pairs of documents allow it."""
    here, there = (_inverse(world, form.k, run) for run in (plus, minus))
    relevant = ~world.open & (world.grade >= form.rel)
    seen = (here > 0) | (there > 0)
    counted = seen & (relevant | world.open)
    # Documents in neither ranking only raise the divisor.
    idle = world.pool.count(world.open & ~seen).tolist()
    total = world.pool.count(relevant)
    value = alone.value.copy()
    charges = _Charges()
    for query, (begin, end) in enumerate(pairwise(world.pool.start.tolist())):
        if alone.exact[query]:
            continue
        docs = begin + np.flatnonzero(counted[begin:end])
        if len(docs) > MOST_DOCUMENTS:
            continue
        base, charge = charges.of(here[docs], there[docs], relevant[docs])
        charge = np.concatenate((charge, np.zeros(idle[query])))
        charge.sort()
        sums = base + np.concatenate(([0.0], np.cumsum(charge[::-1])))
        many = np.arange(len(sums), dtype=np.float64)
        bound = float(form.value(sums, many, total[query] + many).max())
        value[query] = min(value[query], max(bound, 0.0) if world.endless else bound)
    return Most(value, alone.exact)


class _Charges:
    """What judged documents give for sure, and the most that each open document can be charged with.

    Pairs are written into the same memory for every query: allocating a few megabytes takes longer than filling
    them.
    """

    def __init__(self) -> None:
        self._pairs = np.empty((2, MOST_DOCUMENTS * MOST_DOCUMENTS))

    def of(self, here: Values, there: Values, relevant: NDArray[np.bool_]) -> tuple[float, Values]:
        """For one query: 1 / rank on both sides, and which documents are judged relevant; the others are open."""
        unknown = ~relevant
        mine, known = here[unknown], here[relevant]
        theirs, known_there = there[unknown], there[relevant]
        judged = _pair(known, known) - _pair(known_there, known_there)
        base = float(judged.sum() + np.diagonal(judged).sum()) / 2.0
        alone = mine - theirs
        with_judged = (_pair(mine, known) - _pair(theirs, known_there)).sum(axis=1)
        both = (self._positive(mine, theirs) - np.maximum(alone, 0.0)) / 2.0
        return base, alone + with_judged + both

    def _positive(self, mine: Values, theirs: Values) -> Values:
        """For each open document, the sum of the positive parts of its pairs with all open ones."""
        size = len(mine)
        pair, other = (memory[: size * size].reshape(size, size) for memory in self._pairs)
        np.minimum(mine[:, None], mine, out=pair)
        np.minimum(theirs[:, None], theirs, out=other)
        np.subtract(pair, other, out=pair)
        np.maximum(pair, 0.0, out=pair)
        sums: Values = pair.sum(axis=1)
        return sums


def _pair(one: Values, other: Values) -> Values:
    """1 / max(rank, rank) of each pair is the smaller inverse; 0 stands for a document that is not there."""
    smaller: Values = np.minimum(one[:, None], other)
    return smaller


def _inverse(world: World, k: int | None, run: int) -> Values:
    """1 / rank of each pooled document; 0 below k and where the run does not have it."""
    rank = world.rank[run]
    has = (rank > 0) & (True if k is None else rank <= k)
    inverse: Values = np.divide(1.0, rank, out=np.zeros(len(rank)), where=has)
    return inverse
