"""Policies: what a new system would do for each query, as a ranking or as probabilities of actions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from math import fsum

from rankproof.errors import InputError
from rankproof.reading.records import Run
from rankproof.reading.row_batches import stream

# query -> action -> probability
Policy = Mapping[str, Mapping[Hashable, float]]
# Probabilities that were written with few digits sum to 1 no nearer than this.
ROUNDING = 1e-6
# query -> documents, best first
Rankings = Mapping[str, tuple[str, ...]]


def rankings_of(run: Run, queries: Iterable[str]) -> Rankings:
    """The rankings of those queries that the run has."""
    query_ids = set(queries)
    return {query: tuple(docs) for query, docs, _ in run.rankings() if query in query_ids}


def first_documents(rankings: Rankings) -> Policy:
    """The first document of each ranking, for sure."""
    return {query: {docs[0]: 1.0} for query, docs in rankings.items() if docs}


def read_policy(path: str) -> Policy:
    """The probabilities in a table of query_id, action and probability; those of a query sum to 1."""
    policy: dict[str, dict[Hashable, float]] = {}
    first: dict[str, str] = {}
    for batch in stream(path, ("query_id", "action", "probability")):
        rows = zip(batch.texts("query_id"), batch.texts("action"), batch.numbers("probability").tolist(), strict=True)
        for row, (query, action, probability) in enumerate(rows):
            if not 0 <= probability <= 1:
                raise InputError(f"{batch.where(row)}: probability must lie between 0 and 1; got {probability:g}.")
            actions = policy.setdefault(query, {})
            if action in actions:
                raise InputError(
                    f"{batch.where(row)}: action {action!r} of query {query!r} has a probability already. Give each "
                    "action one row."
                )
            actions[action] = probability
            first.setdefault(query, batch.where(row))
    for query, actions in policy.items():
        total = fsum(actions.values())
        if abs(total - 1) > ROUNDING:
            raise InputError(
                f"{first[query]}: the probabilities of query {query!r} sum to {total:g}, not to 1. Name every action."
            )
    if not policy:
        raise InputError(f"{path} has no rows. Give query_id, action and probability.")
    return policy
