"""Choosing: one action for each page, logged with its propensity: a list, a variant, the first document.

The weight of a page is the new system's probability of what was shown over the logged one's.
"""

from __future__ import annotations

import numpy as np

from rankproof.flow.counterfactual.paging import wanted_of
from rankproof.flow.counterfactual.policies import Policy
from rankproof.records.choices import Choices
from rankproof.records.decisions import Decisions


def choose(log: Choices, policy: Policy) -> Decisions:
    """Decisions of one action for each page; weights are normalized over all of them. The policy has every query."""
    places = {name: place for place, name in enumerate(log.names)}
    room = len(log.names)
    known, cells = np.unique(log.queries * room + log.actions, return_inverse=True)
    numbered = {int(key): cell for cell, key in enumerate(known)}
    likely = np.zeros(len(known))
    wanted: list[tuple[int, int, float]] = []
    cell_count = len(known)
    for query in np.unique(log.queries).tolist():
        for action, chance in policy[log.query_ids[query]].items():
            if chance <= 0:
                continue
            place = places.get(action)
            cell = None if place is None else numbered.get(query * room + place)
            if cell is None:  # nothing of the kind was ever logged: a cell of its own
                cell, cell_count = cell_count, cell_count + 1
            else:
                likely[cell] = chance
            wanted.append((query, cell, chance))
    n = len(log)
    return Decisions(
        queries=log.queries,
        units=np.arange(n) if log.units is None else log.units,
        logged=log.rewards,
        pages=np.arange(n),
        cells=cells.astype(np.int64),
        rewards=log.rewards,
        weights=likely[cells] / log.propensities,
        looked=np.ones(n),
        norms=None,
        group_of=np.zeros(cell_count, dtype=np.int64),
        wanted=wanted_of(wanted),
        balanced=True,
    )
