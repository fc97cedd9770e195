"""Guessing: how relevant an unjudged document is expected to be, from judged documents at like ranks.

A guess only puts documents in order for judging. It enters no value and no bound.
"""

from __future__ import annotations

import numpy as np

from rankproof.flow.holes.world import World
from rankproof.measures._contract import Values

# How many judged documents the usual share counts for, against what was seen at a rank, or in a query: a handful.
SAME_RANK = 3.0
SAME_QUERY = 5.0
# No guess is so sure that nothing is left to find out.
LEAST, GREATEST = 0.02, 0.98


def best_rank(world: World) -> Values:
    """For each pooled document, its best rank over the runs; infinite where no run has it."""
    rank = np.where(world.rank > 0, world.rank.astype(np.float64), np.inf)
    best: Values = rank.min(axis=0)
    return best


def expected_share(world: World, share: Values) -> Values:
    """For each pooled document, the share of the top gain it is expected to have.

    `share` has those of judged documents. Ranks go by powers of two (1, 2-3, 4-7, ...), because relevance falls
    about as fast; then a query whose judged documents are better or worse than their ranks lifts or lowers its own.
    """
    best, judged = best_rank(world), ~world.open
    band = np.where(np.isinf(best), 0, np.floor(np.log2(np.where(np.isinf(best), 1.0, best))) + 1).astype(np.int64)
    usual = float(share[judged].mean()) if judged.any() else 0.5
    many = np.bincount(band[judged], minlength=int(band.max(initial=0)) + 1)
    total = np.bincount(band[judged], weights=share[judged], minlength=len(many))
    by_rank = ((total + SAME_RANK * usual) / (many + SAME_RANK))[band]
    # Only what some run found says how well its ranks predict; the rest of a pool came from elsewhere.
    told = judged & (band > 0)
    beyond = np.bincount(world.query[told], weights=(share - by_rank)[told], minlength=len(world))
    seen = np.bincount(world.query[told], minlength=len(world))
    guess: Values = np.clip(by_rank + (beyond / (seen + SAME_QUERY))[world.query], LEAST, GREATEST)
    return guess
