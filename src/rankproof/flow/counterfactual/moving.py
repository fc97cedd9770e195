"""Moving: a rank for each document that was shown; how likely users look at ranks says what a move does to its clicks.

A click is taken to need a look, which depends on the rank, and a liking, which depends on the pair: the position-based
model. Then the weight of a document is the examination of its new rank over that of its logged rank, and no propensity
needs to be logged; but users must look as the curve says. A document that only some pages of a query showed counts for
all of them: its weight is divided by the share of pages that showed it, which must not have depended on the user.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankproof.flow.counterfactual.paging import new_ranks, places_of, queries_of, units_of
from rankproof.flow.counterfactual.policies import Rankings
from rankproof.records.choices import Floats
from rankproof.records.decisions import Decisions, Wanted
from rankproof.records.impressions import Impressions


def moving(
    pages: Impressions, rankings: Rankings, reach: int, depth: int | None = None
) -> Callable[[Floats], Decisions]:
    """Decisions of a rank for each document, for any curve that reaches so many ranks; pairs are normalized.

    depth   the last rank of new and logged rankings whose clicks count; documents below it tell what they earn above

    What does not depend on the curve is done once.
    """
    depth = reach if depth is None else min(depth, reach)
    ranked = np.arange(pages.ranks)
    counted = pages.there & (ranked < reach)
    page, rank = np.nonzero(counted)
    pairs = pages.shown[counted]
    new = new_ranks(pages, rankings)
    kept = (new >= 0) & (new < depth)
    of = queries_of(pages)
    pages_of = np.bincount(of, minlength=len(pages.pairs.query_ids))[pages.pairs.queries]
    # Of the pages of its query, the share that shows the pair.
    shown = np.bincount(pairs, minlength=len(new)) / np.maximum(pages_of, 1)
    places = places_of(pages)
    queries: list[int] = []
    cells: list[int] = []
    ranks: list[int] = []
    cell_count = len(pages.pairs)
    for query in np.unique(of).tolist():
        query_id = pages.pairs.query_ids[query]
        for at, doc in enumerate(rankings[query_id][:depth]):
            pair = places.get((query_id, doc))
            if pair is None:  # it was never shown for the query: a cell of its own
                pair, cell_count = cell_count, cell_count + 1
            queries.append(query)
            cells.append(pair)
            ranks.append(at)
    units, groups = units_of(pages), np.arange(cell_count)
    logged = (pages.clicks & (ranked < depth)).sum(axis=1).astype(np.float64)
    rewards = pages.clicks[counted].astype(np.float64)
    wanted = np.array(queries, dtype=np.int64), np.array(cells, dtype=np.int64), np.array(ranks, dtype=np.int64)

    def decisions(looked: Floats) -> Decisions:
        after = np.where(kept, looked[np.clip(new, 0, depth - 1)], 0.0)
        return Decisions(
            queries=of,
            units=units,
            logged=logged,
            pages=page,
            cells=pairs,
            rewards=rewards,
            weights=after[pairs] / (looked[rank] * shown[pairs]),
            looked=looked[rank],
            norms=looked[rank],
            group_of=groups,
            wanted=Wanted(wanted[0], wanted[1], looked[wanted[2]]),
            balanced=False,
        )

    return decisions
