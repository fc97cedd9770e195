"""The four settings of a log: one action per page, the whole list, ranks of documents, documents at ranks.

The weight of a page is the new system's probability of what was shown over the logged one's.

Nothing is assumed about how users read, and few pages count: those that showed exactly what the new system would.

A click is taken to need a look, which depends on the rank, and a liking, which depends on the pair: the position-based
model. Then the weight of a document is the examination of its new rank over that of its logged rank, and no propensity
needs to be logged; but users must look as the curve says. A document that only some pages of a query showed counts for
all of them: its weight is divided by the share of pages that showed it, which must not have depended on the user.

A click is taken to depend on the document and on its own rank alone, whatever stands around it: the item-position model
of Li, Abbasi-Yadkori, Kveton, Muthukrishnan, Vinay and Wen, Offline evaluation of ranking policies with click models,
KDD 2018. Then ranks can be weighed one by one, and far more of the log counts than where whole lists must agree.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

import numpy as np

from rankproof.online.counterfactual.policies import Policy, Rankings
from rankproof.online.counterfactual.records import Choices, Decisions, Floats, PlacedPages, TargetDisplay
from rankproof.online.impressions import Impressions, Numbers


def queries_of(pages: Impressions) -> Numbers:
    """The query of each page."""
    return np.asarray(pages.pairs.queries[pages.shown[:, 0]], dtype=np.int64)


def units_of(pages: Impressions) -> Numbers:
    """The session of each page, or the page itself where the log has no sessions."""
    return pages.numbers if pages.sessions is None else pages.sessions


def places_of(pages: Impressions) -> dict[tuple[str, str], int]:
    """The number of each pair."""
    return {pages.pairs.named(pair): pair for pair in range(len(pages.pairs))}


def new_ranks(pages: Impressions, rankings: Rankings) -> Numbers:
    """For each pair, the rank at which the new ranking has it, from 0; -1 where it has not."""
    at = {query: {doc: rank for rank, doc in enumerate(docs)} for query, docs in rankings.items()}
    nothing: dict[str, int] = {}
    named = (pages.pairs.named(pair) for pair in range(len(pages.pairs)))
    return np.array([at.get(query, nothing).get(doc, -1) for query, doc in named], dtype=np.int64)


def target_display(rows: list[tuple[int, int, float]]) -> TargetDisplay:
    """What the new system would show: query, cell and amount of each."""
    columns = np.array(rows, dtype=np.float64).reshape(-1, 3)
    return TargetDisplay(columns[:, 0].astype(np.int64), columns[:, 1].astype(np.int64), columns[:, 2].copy())


def decisions_of_actions(log: Choices, policy: Policy) -> Decisions:
    """Decisions of one action for each page; weights are normalized over all of them. The policy has every query."""
    places = {name: place for place, name in enumerate(log.names)}
    room = len(log.names)
    known, cells = np.unique(log.queries * room + log.actions, return_inverse=True)
    numbered = {int(key): cell for cell, key in enumerate(known)}
    likely = np.zeros(len(known))
    targets: list[tuple[int, int, float]] = []
    cell_count = len(known)
    for query in np.unique(log.queries).tolist():
        for action, probability in policy[log.query_ids[query]].items():
            if probability <= 0:
                continue
            place = places.get(action)
            cell = None if place is None else numbered.get(query * room + place)
            if cell is None:  # nothing of the kind was ever logged: a cell of its own
                cell, cell_count = cell_count, cell_count + 1
            else:
                likely[cell] = probability
            targets.append((query, cell, probability))
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
        target=target_display(targets),
        balanced=True,
    )


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


def decisions_by_examination(
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
    counted_ranks = (new >= 0) & (new < depth)
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
    targets = np.array(queries, dtype=np.int64), np.array(cells, dtype=np.int64), np.array(ranks, dtype=np.int64)

    def decisions(looked: Floats) -> Decisions:
        after = np.where(counted_ranks, looked[np.clip(new, 0, depth - 1)], 0.0)
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
            target=TargetDisplay(targets[0], targets[1], looked[targets[2]]),
            balanced=False,
        )

    return decisions


def decisions_of_placements(log: PlacedPages, rankings: Rankings, depth: int) -> Decisions:
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
    targets: list[tuple[int, int, float]] = []
    of = queries_of(pages)
    for query in np.unique(of).tolist():
        query_id = pages.pairs.query_ids[query]
        for at, doc in enumerate(rankings[query_id][:depth]):
            pair = places.get((query_id, doc))
            cell = None if pair is None else numbered.get(pair * depth + at)
            if cell is None:
                cell = len(ranks_of)
                ranks_of.append(at)
            targets.append((query, cell, 1.0))
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
        target=target_display(targets),
        balanced=True,
    )
