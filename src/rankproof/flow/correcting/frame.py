"""The frame: the pairs of query and document that the values are about, where each run has them, and their grades."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError
from rankproof.flow.agreement.gathering import Grades

Pair = tuple[str, str]
Rankings = Mapping[str, Sequence[str]]  # query -> documents, best first


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Pairs in rows.

    queries     every query that counts in a mean
    query       the number of each pair's query
    ranks       for each run and pair, its rank; 0 where the run does not have it in its first `depth`
    retrieved   for each run and query, how many documents the run has
    model       the model's grade of each pair, 0 where it gave none
    graded      whether the model gave one
    outside     documents among the runs' first that are no part of the frame
    """

    pairs: tuple[Pair, ...]
    queries: tuple[str, ...]
    query: NDArray[np.int64]
    runs: tuple[str, ...]
    ranks: NDArray[np.int64]
    retrieved: NDArray[np.int64]
    model: NDArray[np.int64]
    graded: NDArray[np.bool_]
    outside: int
    depth: int

    def places(self) -> dict[Pair, int]:
        """The row of each pair."""
        return {pair: row for row, pair in enumerate(self.pairs)}


def frame_of(model: Grades, runs: Mapping[str, Rankings], depth: int, planned: Sequence[Pair] | None = None) -> Frame:
    """The runs' first `depth` documents that the model graded; or the pairs of a plan."""
    wanted = None if planned is None else dict.fromkeys(planned)
    found: dict[Pair, None] = {}
    missed: dict[Pair, None] = {}
    queries = tuple(model)
    for query in queries:
        graded = model[query]
        for ranking in runs.values():
            for doc in ranking.get(query, ())[:depth]:
                inside = doc in graded if wanted is None else (query, doc) in wanted
                (found if inside else missed)[query, doc] = None
    if not found:
        raise InputError(
            f"None of the runs' first {depth} documents has a grade of the model. Give runs and grades of the same "
            "queries and documents."
        )
    pairs = tuple(found if wanted is None else wanted)
    number = {query: i for i, query in enumerate(queries)}
    strange = next((query for query, _ in pairs if query not in number), None)
    if strange is not None:
        raise InputError(f"The plan has the query {strange!r}, of which the model graded nothing. Give its grades too.")
    place = {pair: row for row, pair in enumerate(pairs)}
    ranks = np.zeros((len(runs), len(pairs)), dtype=np.int64)
    retrieved = np.zeros((len(runs), len(queries)), dtype=np.int64)
    for at, ranking in enumerate(runs.values()):
        for query in queries:
            retrieved[at, number[query]] = len(ranking.get(query, ()))
            for rank, doc in enumerate(ranking.get(query, ())[:depth], start=1):
                row = place.get((query, doc))
                if row is not None:
                    ranks[at, row] = rank
    return Frame(
        pairs,
        queries,
        np.array([number[query] for query, _ in pairs], dtype=np.int64),
        tuple(runs),
        ranks,
        retrieved,
        np.array([model[query].get(doc, 0) for query, doc in pairs], dtype=np.int64),
        np.array([doc in model[query] for query, doc in pairs], dtype=bool),
        len(missed),
        depth,
    )
