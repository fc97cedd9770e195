"""Pairs: an outer bound of the difference of two sums of precisions, tighter than bounding each run alone.

With x_i = 1 for a relevant document at rank b_i on this side and a_i on the other, the difference of the sums is
sum_i x_i w_ii + sum_(i<j) x_i x_j w_ij, where w_ij = 1/max(b_i, b_j) - 1/max(a_i, a_j). Each pair of open documents is
at most the positive part of w_ij, half of it charged to each of the two. What is left is linear, and given how many
documents are relevant the greatest charges bound it. Documents that kept their ranks on both sides charge nothing.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.holes.most import Most
from rankproof.flow.holes.world import World
from rankproof.measures._contract import Values
from rankproof.measures._dependence import PrecisionSum

# A query with more documents in the two rankings has too many pairs; it keeps the bound of each run alone.
MOST_DOCUMENTS = 600


def paired_precisions(world: World, form: PrecisionSum, plus: int, minus: int, alone: Most) -> Most:
    """`alone` made tighter where pairs of documents allow it."""
    here, there = (_inverse(world, form.k, run) for run in (plus, minus))
    relevant = ~world.open & (world.grade >= form.rel)
    seen = (here > 0) | (there > 0)
    total = world.pool.count(relevant)
    value = alone.value.copy()
    for query, (begin, end) in enumerate(pairwise(world.pool.start.tolist())):
        span = slice(begin, end)
        docs = begin + np.flatnonzero(seen[span] & (relevant | world.open)[span])
        if alone.exact[query] or len(docs) > MOST_DOCUMENTS:
            continue
        base, charge = _charges(here[docs], there[docs], relevant[docs])
        # Documents in neither ranking only raise the divisor.
        idle = int((world.open[span] & ~seen[span]).sum())
        charge = np.sort(np.concatenate((charge, np.zeros(idle))))[::-1]
        sums = base + np.concatenate(([0.0], np.cumsum(charge)))
        many = np.arange(len(sums), dtype=np.float64)
        bound = float(form.value(sums, many, total[query] + many).max())
        value[query] = min(value[query], max(bound, 0.0) if world.endless else bound)
    return Most(value, alone.exact)


def _charges(here: Values, there: Values, relevant: NDArray[np.bool_]) -> tuple[float, Values]:
    """What judged documents give for sure, and the most that each open document can be charged with."""
    # 1 / max(rank, rank) is the smaller inverse; 0 stands for a document that is not there.
    pair = np.minimum(here[:, None], here) - np.minimum(there[:, None], there)
    alone = np.diagonal(pair)
    judged = pair[np.ix_(relevant, relevant)]
    base = float(judged.sum() + alone[relevant].sum()) / 2.0
    unknown = pair[np.ix_(~relevant, ~relevant)]
    both = (np.maximum(unknown, 0.0).sum(axis=1) - np.maximum(alone[~relevant], 0.0)) / 2.0
    return base, alone[~relevant] + pair[np.ix_(~relevant, relevant)].sum(axis=1) + both


def _inverse(world: World, k: int | None, run: int) -> Values:
    """1 / rank of each pooled document; 0 below k and where the run does not have it."""
    rank = world.rank[run]
    has = (rank > 0) & (True if k is None else rank <= k)
    inverse: Values = np.divide(1.0, rank, out=np.zeros(len(rank)), where=has)
    return inverse
