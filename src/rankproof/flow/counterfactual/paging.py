"""Paging: what the settings ask of pages and of the new rankings alike."""

from __future__ import annotations

import numpy as np

from rankproof.flow.counterfactual.policies import Rankings
from rankproof.records.decisions import Wanted
from rankproof.records.impressions import Impressions, Numbers


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


def wanted_of(rows: list[tuple[int, int, float]]) -> Wanted:
    """What the new system would show: query, cell and amount of each."""
    columns = np.array(rows, dtype=np.float64).reshape(-1, 3)
    return Wanted(columns[:, 0].astype(np.int64), columns[:, 1].astype(np.int64), columns[:, 2].copy())
