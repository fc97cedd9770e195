"""Shares: relevant documents found, over a divisor that grows with all relevant documents. Exact, jointly too."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.holes.most import Most
from rankproof.flow.holes.world import World
from rankproof.measures._contract import Variant
from rankproof.measures._dependence import Share

# Relevant documents, when there is no end of them; finite, so that a divisor that ignores them stays a number.
WITHOUT_END = 1e300
LARGE = 1e200


def most_of_share(world: World, variant: Variant, form: Share, plus: int | None, minus: int | None) -> Most:
    """With N = found here - found there and D the divisor, the greatest N / D.

    A document that only this side found adds 1 to N and at most D / R to D, and N is never above R: it never
    lowers N / D. One that only the other side found never raises it, by the same reasoning. All others change D
    alone: all of them are relevant where N is below 0, none where it is above.
    """
    if form.rel <= 0 or world.top < form.rel:
        return Most.reached(world.zero(plus, variant) - world.zero(minus, variant))
    here, there = _found(world, form.k, plus), _found(world, form.k, minus)
    relevant = ~world.open & (world.grade >= form.rel)
    only_here = world.open & here & ~there
    rest = world.open & (here == there)

    def count(mask: NDArray[np.bool_]) -> NDArray[np.float64]:
        return world.pool.count(mask).astype(np.float64)

    found = count(relevant & here) - count(relevant & there) + count(only_here)
    fewest = count(relevant) + count(only_here)
    most = np.full(len(world), WITHOUT_END) if world.endless else fewest + count(rest)
    bottom = np.where(found < 0, form.divisor(most), form.divisor(fewest))
    value = np.divide(found, bottom, out=np.zeros(len(world)), where=bottom > 0)
    # What is only approached, as relevant documents become more and more, is not reached.
    exact = ~(world.endless & (found < 0))
    return Most(np.where(np.abs(value) < 1 / LARGE, 0.0, value), exact)


def _found(world: World, k: int | None, run: int | None) -> NDArray[np.bool_]:
    """For each pooled document, whether the run has it in its first k."""
    if run is None:
        return np.zeros(len(world.query), dtype=bool)
    found: NDArray[np.bool_] = (world.rank[run] > 0) & (True if k is None else world.rank[run] <= k)
    return found
