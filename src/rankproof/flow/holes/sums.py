"""Sums: measures that add up over documents, and measures that the best document decides. Exact, jointly too."""

from __future__ import annotations

import numpy as np

from rankproof.flow.holes.most import Most
from rankproof.flow.holes.world import World
from rankproof.measures._contract import Values, Variant
from rankproof.measures._dependence import Best, Linear, Weight


def most_of_sum(world: World, variant: Variant, form: Linear, plus: int | None, minus: int | None) -> Most:
    """Each document on its own gets the grade that its weight on both sides together likes best."""
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
