"""Placing: a document for each rank, logged with the propensity of that document at that rank.

A click is taken to depend on the document and on its own rank alone, whatever stands around it: the item-position model
of Li, Abbasi-Yadkori, Kveton, Muthukrishnan, Vinay and Wen, Offline evaluation of ranking policies with click models,
KDD 2018. Then ranks can be weighed one by one, and far more of the log counts than where whole lists must agree.
"""

from __future__ import annotations

import numpy as np

from rankproof.flow.counterfactual.paging import new_ranks, places_of, queries_of, units_of, wanted_of
from rankproof.flow.counterfactual.policies import Rankings
from rankproof.records.choices import PlacedPages
from rankproof.records.decisions import Decisions


def place(log: PlacedPages, rankings: Rankings, depth: int) -> Decisions:
    """Decisions of a document for each rank down to `depth`; weights are normalized for each rank."""
    pages = log.pages
    assert log.propensities is not None
    counted = pages.there & (np.arange(pages.ranks) < depth)
    page, rank = np.nonzero(counted)
    pairs = pages.shown[counted]
    new = new_ranks(pages, rankings)
    keys = pairs * depth + rank
    known, cells = np.unique(keys, return_inverse=True)
    numbered = {int(key): cell for cell, key in enumerate(known)}
    ranks_of = (known % depth).tolist()
    places = places_of(pages)
    wanted: list[tuple[int, int, float]] = []
    of = queries_of(pages)
    for query in np.unique(of).tolist():
        query_id = pages.pairs.query_ids[query]
        for at, doc in enumerate(rankings[query_id][:depth]):
            pair = places.get((query_id, doc))
            cell = None if pair is None else numbered.get(pair * depth + at)
            if cell is None:
                cell = len(ranks_of)
                ranks_of.append(at)
            wanted.append((query, cell, 1.0))
    return Decisions(
        queries=of,
        units=units_of(pages),
        logged=(pages.clicks & counted).sum(axis=1).astype(np.float64),
        pages=page,
        cells=cells.astype(np.int64),
        rewards=pages.clicks[counted].astype(np.float64),
        weights=(new[pairs] == rank) / log.propensities[counted],
        looked=np.ones(len(page)),
        norms=None,
        group_of=np.array(ranks_of, dtype=np.int64),
        wanted=wanted_of(wanted),
        balanced=True,
    )
