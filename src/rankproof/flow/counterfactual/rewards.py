"""Rewards: what a plain model foretells of each decision, learned from other pages than those it is asked about.

The model of a cell (a query and what was decided) is its mean reward per look, with `PRIOR` made-up looks that have the
mean of all cells. Units are dealt into folds by chance; what is foretold of a page comes from the other folds.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankproof.records.decisions import Believed, Decisions

FOLDS = 5
PRIOR = 5.0


def with_beliefs(decisions: Decisions, seed: int = 0) -> Decisions:
    """The decisions with what the model says of them."""
    units, of = decisions.numbered_units
    folds = min(FOLDS, units)
    dealt = (np.random.default_rng(seed).permutation(units) % folds)[of]
    fold = dealt[decisions.pages]
    cells, wanted = len(decisions.group_of), decisions.wanted
    rewards, of_pages = np.zeros(len(decisions.pages)), np.zeros(len(decisions))
    for one in range(folds):
        # With a single unit there is no other fold: the model then knows nothing.
        other = fold != one
        earned = np.bincount(decisions.cells[other], decisions.rewards[other], cells)
        looks = np.bincount(decisions.cells[other], decisions.looked[other], cells)
        mean = earned.sum() / looks.sum() if looks.sum() > 0 else 0.0
        liked = (earned + PRIOR * mean) / (looks + PRIOR)
        rewards[~other] = decisions.looked[~other] * liked[decisions.cells[~other]]
        worth = np.bincount(wanted.queries, wanted.amounts * liked[wanted.cells], len(decisions.pages_of_queries))
        of_pages[dealt == one] = worth[decisions.queries[dealt == one]]
    return replace(decisions, believed=Believed(rewards, of_pages))
