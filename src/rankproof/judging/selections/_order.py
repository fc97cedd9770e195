"""Order: the heaviest pairs first; what weighs alike by its best rank, then by the order of the queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rankproof.judging.selections.contract import Rankings, SelectedPair


def query_places(runs: Mapping[str, Rankings]) -> dict[str, int]:
    """Where each query stands, in the order the runs have them."""
    return {query: i for i, query in enumerate(dict.fromkeys(q for ranked in runs.values() for q in ranked))}


def best_ranks(runs: Mapping[str, Rankings], depth: int | None = None) -> dict[tuple[str, str], int]:
    """The best rank of each pair over the runs, from 1; pairs below `depth` everywhere are left out."""
    best: dict[tuple[str, str], int] = {}
    for ranked in runs.values():
        for query, docs in ranked.items():
            for rank, doc in enumerate(docs[:depth], 1):
                pair = (query, doc)
                if rank < best.get(pair, rank + 1):
                    best[pair] = rank
    return best


def heaviest(chosen: Iterable[SelectedPair], runs: Mapping[str, Rankings], pairs: int | None) -> list[SelectedPair]:
    """The pairs by weight; of equal weight, the best rank over the runs first, then the order of the queries."""
    best, place = best_ranks(runs), query_places(runs)
    last = len(best) + 1
    ordered = sorted(
        chosen,
        key=lambda c: (-c.weight, best.get(c.pair, last), place.get(c.query_id, last), c.query_id, c.doc_id),
    )
    return ordered[:pairs]
