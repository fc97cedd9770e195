"""Listing: the whole list of a page as one choice, which the new system repeats only where its list is the same.

Nothing is assumed about how users read, and few pages count: those that showed exactly what the new system would.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from rankproof.flow.counterfactual.paging import places_of, queries_of
from rankproof.flow.counterfactual.policies import Policy, Rankings
from rankproof.records.choices import Choices, PlacedPages


def choices_of_lists(log: PlacedPages, rankings: Rankings) -> tuple[Choices, Policy]:
    """The lists that were shown as choices, and the new system's: the first documents of its ranking, as many as shown.

    The propensity of a list is that of the page's first place; its reward is the number of clicks. Lists of different
    lengths are different choices, so that a query counts as one for each length.
    """
    pages = log.pages
    assert log.propensities is not None
    names: dict[tuple[int, ...], int] = {}
    contexts: dict[tuple[str, int], int] = {}
    actions, queries = [], []
    query_ids = pages.pairs.query_ids
    for query, length, shown in zip(
        queries_of(pages).tolist(), pages.lengths.tolist(), pages.shown.tolist(), strict=True
    ):
        queries.append(contexts.setdefault((query_ids[query], length), len(contexts)))
        actions.append(names.setdefault(tuple(shown[:length]), len(names)))
    places = places_of(pages)
    labels: list[str] = []
    policy: dict[str, dict[Hashable, float]] = {}
    for query_id, length in contexts:
        labels.append(f"{query_id}, {length} shown")
        # A document that was never shown for the query has no number: no page showed such a list.
        new = tuple(places.get((query_id, doc), -1) for doc in rankings[query_id][:length])
        policy[labels[-1]] = {new: 1.0}
    choices = Choices(
        tuple(labels),
        tuple(names),
        np.array(queries),
        np.array(actions),
        log.propensities[:, 0].copy(),
        pages.clicks.sum(axis=1).astype(np.float64),
        pages.sessions,
    )
    return choices, policy
