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
    wanted = seen & (relevant | world.open)
    # Documents in neither ranking only raise the divisor.
    idle = world.pool.count(world.open & ~seen).tolist()
    total = world.pool.count(relevant)
    value = alone.value.copy()
    charges = _Charges()
    for query, (begin, end) in enumerate(pairwise(world.pool.start.tolist())):
        if alone.exact[query]:
            continue
        docs = begin + np.flatnonzero(wanted[begin:end])
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

    Pairs are written into the same memory for every query: to ask for a few megabytes anew takes longer than to
    fill them.
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
