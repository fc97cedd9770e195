"""Cuts: precision in the first so many documents, where R decides how many. Exact for one run.

Given how many open documents are relevant, the cut is known. The most that it can hold of them is all, or as many as it
has open documents; the least is those for which there is no place outside of it.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from rankproof.flow.holes.most import Most
from rankproof.flow.holes.world import World
from rankproof.measures._contract import Variant
from rankproof.measures._dependence import Cut


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
        found = sure + (np.minimum(added, room) if plus is not None else np.maximum(added - (added[-1] - room), 0))
        share = np.divide(found, cut, out=np.zeros(len(cut)), where=cut > 0)
        values[query] = share.max() if plus is not None else -share.min()
    return Most.reached(values)
