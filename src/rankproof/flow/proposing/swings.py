"""Swings: by how much one unjudged document alone could move the difference of two runs, and which way."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.holes.bounding import dependence
from rankproof.flow.holes.sums import weights_of
from rankproof.flow.holes.trials import tried
from rankproof.flow.holes.world import World
from rankproof.flow.proposing.guessing import best_rank
from rankproof.measures._contract import Values, Variant
from rankproof.measures._dependence import (
    Best,
    Cut,
    Gain,
    Linear,
    Ordered,
    OverIdeal,
    PrecisionSum,
    Share,
    is_relevant,
)

# Documents over all trials of a query that are computed; what stands lower swings less, and is left out.
MOST_CELLS = 300_000


def gain_of_grade(variant: Variant, top: int) -> Gain:
    """What of a grade counts in a measure, from 0 for the least to 1 for the most that a document could have."""
    match dependence(variant):
        case Linear(gain=gain) | OverIdeal(gain=gain):
            own = gain
        case Best(rel=rel) | Share(rel=rel) | PrecisionSum(rel=rel) | Ordered(rel=rel) | Cut(rel=rel):
            own = is_relevant(rel)
        case _:
            own = _grade
    every = own(np.arange(top + 1))
    low, high = float(every.min()), float(every.max())
    return lambda grade: np.clip((own(grade) - low) / ((high - low) or 1.0), 0.0, 1.0)


def _grade(grade: NDArray[np.int64]) -> Values:
    return np.maximum(grade, 0).astype(np.float64)


def swings(world: World, variant: Variant, candidate: int, baseline: int) -> Values:
    """For each pooled document, what the difference of its query gains when it has the most and not the least gain.

    Exact where documents add up; otherwise the change that the document alone makes, with the others at grade 0.
    Documents that are in a run, but in neither of the two first k, stay at 0.
    """
    form = dependence(variant)
    grades = np.arange(world.top + 1)
    if isinstance(form, Linear):
        own = form.gain(grades)
        net = weights_of(world, form, candidate) - weights_of(world, form, baseline)
        return np.where(world.open, net * (own.max() - own.min()), 0.0)
    gain = gain_of_grade(variant, world.top)(grades)
    best, worst = int(grades[gain.argmax()]), int(grades[gain.argmin()])
    here = world.rank[[candidate, baseline]]
    k = variant.k if variant.measure.cutoff in ("optional", "required") else None
    seen = ((here > 0) & (True if k is None else here <= k)).any(axis=0)
    chosen = _affordable(world, world.open & seen)
    others = world.open & (here == 0).all(axis=0)
    # Documents that neither run has are alike: one stands for all of them.
    chosen[np.flatnonzero(others)[np.unique(world.query[others], return_index=True)[1]]] = True
    swing = np.zeros(len(world.query))

    def one_by_one(query: int) -> NDArray[np.int64]:
        span = slice(int(world.pool.start[query]), int(world.pool.start[query + 1]))
        mine = np.flatnonzero(chosen[span][world.open[span]])
        trials = np.full((len(mine) + 1, int(world.open[span].sum())), worst)
        trials[np.arange(1, len(mine) + 1), mine] = best
        return trials

    queries = np.flatnonzero(world.pool.count(chosen)).tolist()
    for query, values in tried(world, variant, queries, one_by_one, candidate, baseline):
        begin, end = int(world.pool.start[query]), int(world.pool.start[query + 1])
        swing[begin + np.flatnonzero(chosen[begin:end])] = np.nan_to_num(values[1:] - values[0])
    of_query = np.zeros(len(world))
    of_query[world.query[others & chosen]] = swing[others & chosen]
    return np.where(others, of_query[world.query], swing)


def _affordable(world: World, wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """As many of the documents of each query as can be tried, the best ranks first."""
    order = np.lexsort((best_rank(world), world.query))
    order = order[wanted[order]]
    count = np.bincount(world.query[order], minlength=len(world))
    turn = np.arange(len(order)) - (np.cumsum(count) - count)[world.query[order]]
    most = np.maximum(MOST_CELLS // np.maximum(world.pool.size, 1), 1)
    chosen = np.zeros(len(wanted), dtype=bool)
    chosen[order[turn < most[world.query[order]]]] = True
    return chosen
