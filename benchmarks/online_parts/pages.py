"""What users are expected to do on pages: of one system, and on lists made of two."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from benchmarks.online_parts.needed import Expected
from benchmarks.online_parts.searches import Numbers, Pair, Searches
from benchmarks.online_parts.users import DEPTH, Floats, Users

from rankproof.online.interleaving.show import interleave

METRICS = ("clicks", "success", "reciprocal rank")
INTERLEAVINGS = ("team_draft", "probabilistic", "optimized", "optimized(credit='linear')")
# What one session says: how much more a system earned; or, the last, only which system earned more.
WINS = "team_draft, wins"
METHODS = (*INTERLEAVINGS, WINS)


@dataclass(frozen=True, eq=False)
class Lists:
    """Lists that were drawn for queries: queries x lists x ranks.

    docs   the results
    lead   what a click is worth to the better system of the pair less what it is worth to the other
    """

    docs: Numbers
    lead: Floats


def alone(shown: Numbers, users: Users, attraction: Floats) -> dict[str, Expected]:
    """By metric, on one page for each query: clicks, whether there is any, and 1 / rank of the first (0 without)."""
    appeal = attraction[shown]
    first, ranks = users.first(appeal), np.arange(1, DEPTH + 1)
    success, reciprocal = first.sum(axis=1), first / ranks
    return {
        "clicks": Expected(*users.totals(appeal, np.ones_like(appeal))),
        "success": Expected(success, success),
        "reciprocal rank": Expected(reciprocal.sum(axis=1), (reciprocal / ranks).sum(axis=1)),
    }


def drawn(searches: Searches, pair: Pair, method: str, many: int, experiment: str) -> Lists:
    """So many lists for each query, each for a session of its own."""
    docs = np.empty((len(searches.queries), many, DEPTH), dtype=np.int64)
    lead = np.empty(docs.shape)
    for i, query in enumerate(searches.queries):
        rankings = {system: searches.ranked[system][query] for system in (pair.worse, pair.better)}
        for session in range(many):
            shown = interleave(rankings, f"{query} {session}", method, DEPTH, experiment)
            worse, better = shown.systems.index(pair.worse), shown.systems.index(pair.better)
            docs[i, session] = [searches.results[query, doc] for doc in shown.docs]
            lead[i, session] = [credit[better] - credit[worse] for credit in shown.credits]
    return Lists(docs, lead)


def earned(method: str, lists: Lists, users: Users, attraction: Floats) -> tuple[Expected, float]:
    """What the better system is expected to earn more in a session, by query; and how far, as a standard error, the
    mean over queries may be off because no more lists were drawn.
    """
    queries, many, _ = lists.docs.shape
    appeal, lead = attraction[lists.docs].reshape(-1, DEPTH), lists.lead.reshape(-1, DEPTH)
    if method == WINS:
        above, below = users.signs(appeal, lead)
        mean, square = above - below, above + below
    else:
        mean, square = users.totals(appeal, lead)
    mean, square = mean.reshape(queries, many), square.reshape(queries, many)
    error = np.sqrt((mean.var(axis=1, ddof=1) / many).sum()) / queries
    return Expected(mean.mean(axis=1), square.mean(axis=1)), float(error)
