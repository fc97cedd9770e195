"""Bounding: the greatest value and difference of a measure in a world, by how the measure depends on grades.

The forms that most measures have are in `closed_forms`, those that need trials in `profiles`. Discounted gain over that
of the best order of all documents stands here; its bounds are exact, for a difference too.

A gain is a stack of layers: with gains 0 = g_0 < g_1 < ... the ideal is the sum over layers l of (g_l - g_(l-1)) x
C(N_l), where N_l documents have at least gain g_l and C(n) is the sum of the first n discounts. The numerator is the
sum over layers of (g_l - g_(l-1)) x the net weight of those documents. The greatest ratio v is where the greatest of
numerator - v x ideal is 0 (Dinkelbach, On nonlinear fractional programming, Management Science 13, 1967):

v >= 0   each layer takes documents in descending order of weight, as many as pay. What a further one costs,
         v x discount(N_l + 1), is less in lower layers, which hold more judged documents: they take at least as
         many, so every document has all layers below its own, as a grade must.
v < 0    numerator - v x ideal is convex in the gains, so that each open document has gain 0 or the top gain; given
         how many have it, those with the greatest weights do.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rankproof.measuring.dependence import (
    Best,
    Cut,
    Dependence,
    Fixed,
    Linear,
    Ordered,
    OverIdeal,
    PrecisionSum,
    Rising,
    Share,
)
from rankproof.measuring.measures.contract import Values, Variant
from rankproof.proving.holes.closed_forms import (
    most_of_best,
    most_of_cut,
    most_of_precisions,
    most_of_share,
    most_of_sum,
    paired_precisions,
)
from rankproof.proving.holes.profiles import most_of_few, most_of_order, most_of_rising
from rankproof.proving.holes.world import Most, World


def dependence(variant: Variant) -> Dependence | None:
    """How the variant's value depends on grades; None where the measure does not define it."""
    return None if variant.measure.depends is None else variant.measure.depends(variant)


class Bounder:
    """The greatest values and differences of one measure in one world; each is computed once."""

    def __init__(self, world: World, variant: Variant) -> None:
        self.world = world
        self.variant = variant
        self.form = dependence(variant)
        self._computed: dict[tuple[int | None, int | None], Most] = {}

    def most(self, plus: int | None, minus: int | None) -> Most:
        """The greatest value of the run `plus` less that of `minus`, by query; None is no run, and worth 0."""
        key = plus, minus
        if key not in self._computed:
            self._computed[key] = self._most(plus, minus)
        return self._computed[key]

    def _most(self, plus: int | None, minus: int | None) -> Most:
        if isinstance(self.form, Fixed):
            return Most.reached(self.world.now(plus, self.variant) - self.world.now(minus, self.variant))
        known = self._known(plus, minus)
        if known is None:
            known = self._outer(plus, minus)
        # Without end, or where a grade is one for each subtopic, there is no trying everything.
        if known.exact.all() or self.variant.measure.needs_subtopics or self.world.endless:
            return known
        unsettled = np.flatnonzero(~known.exact).tolist()
        exact_values = most_of_few(self.world, self.variant, self._grades(), plus, minus, unsettled)
        queries, values = list(exact_values), list(exact_values.values())
        value, exact = known.value.copy(), known.exact.copy()
        value[queries], exact[queries] = values, True
        return Most(value, exact)

    def _known(self, plus: int | None, minus: int | None) -> Most | None:
        world, variant = self.world, self.variant
        match self.form:
            case Linear() as form:
                return most_of_sum(world, variant, form, plus, minus)
            case Best() as form:
                return most_of_best(world, variant, form, plus, minus)
            case Share() as form:
                return most_of_share(world, variant, form, plus, minus)
            case OverIdeal() as form:
                return most_of_ideal(world, variant, form, plus, minus)
            case PrecisionSum() as form:
                return most_of_precisions(world, variant, form, plus, minus)
            case Ordered() as form:
                return most_of_order(world, variant, form, plus, minus)
            case Cut() as form:
                return most_of_cut(world, variant, form, plus, minus)
            case Rising() as form:
                return most_of_rising(world, variant, form, plus, minus)
            case _:
                return None

    def _outer(self, plus: int | None, minus: int | None) -> Most:
        """A bound that needs no form: for two runs from each alone, and for one run from the measure's range."""
        world, measure = self.world, self.variant.measure
        settled = (world.open_by_query == 0) & (not world.endless)
        if plus is not None and minus is not None:
            value = self.most(plus, None).value + self.most(None, minus).value
            if isinstance(self.form, PrecisionSum) and self.form.ratio and self.form.rel <= world.top:
                value = paired_precisions(world, self.form, plus, minus, Most(value, settled)).value
        else:
            value = np.full(len(world), measure.high if plus is not None else -measure.low)
        if settled.any():
            value[settled] = (world.now(plus, self.variant) - world.now(minus, self.variant))[settled]
        return Most(value, settled)

    def _grades(self) -> NDArray[np.int64]:
        """Grades that make a difference: where relevance is all that counts, two of them."""
        binary = isinstance(self.form, Best | Share | PrecisionSum | Ordered | Cut)
        return np.array([0, self.world.top]) if binary else np.arange(self.world.top + 1)


# ---- over the ideal ------------------------------------------------------------------------------

# Dinkelbach's steps grow quadratically better; more than a few are never needed.
STEPS = 60


def most_of_ideal(world: World, variant: Variant, form: OverIdeal, plus: int | None, minus: int | None) -> Most | None:
    """The greatest difference of two ratios with one ideal; None where the form does not cover the case."""
    gains = np.unique(form.gain(np.arange(world.top + 1)))
    if gains[0] != 0.0 or (form.retrieved and plus is not None and minus is not None):
        return None
    weight = _weights(world, form, plus) - _weights(world, form, minus)
    known = form.gain(world.grade)
    inside = np.ones(len(weight), dtype=bool)
    if form.retrieved:
        run = plus if plus is not None else minus
        assert run is not None
        inside = world.rank[run] > 0
    base = world.sum(np.where(world.open, 0.0, known * weight))
    worth = np.where(inside & ~world.open, np.maximum(known, 0.0), 0.0)
    deepest = int(world.pool.size.max(initial=0))
    rewards = 1.0 / form.discount(np.arange(1, deepest + 1))
    if form.ideal_k is not None:
        rewards[form.ideal_k :] = 0.0
    ideal = np.concatenate(([0.0], np.cumsum(rewards)))
    values = np.empty(len(world))
    for query, (begin, end) in enumerate(pairwise(world.pool.start.tolist())):
        here = slice(begin, end)
        net = weight[here][world.open[here] & inside[here]]
        values[query] = _greatest(base[query], worth[here], net, gains, ideal, form.ideal_k)
    if not world.endless or form.retrieved:
        return Most.reached(values)
    # Relevant documents outside make the ratio smaller without limit, as far as grades and cutoff allow.
    return Most(np.maximum(values, 0.0), values >= 0.0)


def _greatest(base: float, known: Values, net: Values, gains: Values, ideal: Values, k: int | None) -> float:
    """One query: `base` is the judged numerator, `known` the judged gains, `net` the weights of open documents."""
    net = _enough(np.sort(net)[::-1], k)
    steps = np.diff(gains)
    count = np.arange(len(net) + 1)
    levels = np.unique(np.concatenate((gains, known)))
    above = _at_least(known, levels[1:])  # judged documents in each layer
    thick = np.diff(levels)
    # Layers between two gains that an open document can have are taken or left together.
    owner = np.searchsorted(gains, levels[1:]) - 1
    costs = np.zeros((len(steps), len(count)))
    rest = 0.0
    for layer, step in enumerate(owner.tolist()):
        if step < len(steps):
            costs[step] += thick[layer] * ideal[np.minimum(above[layer] + count, len(ideal) - 1)]
        else:
            rest += float(thick[layer] * ideal[above[layer]])  # better than any open document can be
    taken = np.concatenate(([0.0], np.cumsum(net)))
    # Every open document at gain 0 or at the top.
    numerator, bottom = base + gains[-1] * taken, rest + costs.sum(axis=0)
    ratio = np.divide(numerator, bottom, out=np.zeros(len(bottom)), where=bottom > 0)
    best = float(ratio.max())
    if best < 0 or len(steps) < 2:
        return best
    every = np.arange(len(steps))
    for _ in range(STEPS):
        many = np.argmax(steps[:, None] * taken - best * costs, axis=1)
        bottom_now = rest + float(costs[every, many].sum())
        if bottom_now <= 0:
            break
        better = (base + float((steps * taken[many]).sum())) / bottom_now
        if better <= best:
            break
        best = better
    return best


def _enough(net: Values, k: int | None) -> Values:
    """Weights in descending order; of documents that weigh nothing, no more than a cut ideal can hold."""
    if k is None:
        return net
    idle = np.flatnonzero(net == 0.0)
    return np.delete(net, idle[k:]) if len(idle) > k else net


def _at_least(known: Values, levels: Values) -> list[int]:
    ordered = np.sort(known)
    return [len(ordered) - below for below in np.searchsorted(ordered, levels, side="left").tolist()]


def _weights(world: World, form: OverIdeal, run: int | None) -> Values:
    """1 over the discount of each pooled document's rank in a run; 0 below k and in no run."""
    weights = np.zeros(len(world.query))
    if run is not None:
        rank = world.rank[run]
        has = (rank > 0) & (True if form.k is None else rank <= form.k)
        weights[has] = 1.0 / form.discount(rank[has])
    return weights
