"""Similarity: how alike two runs are, query by query, without judgments."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankproof.errors import InputError
from rankproof.measuring.similarities.contract import parse


@dataclass(frozen=True, slots=True)
class Likeness:
    """The values of one similarity on two runs.

    `mean` is over the queries in `by_query`, and None when there are none. `undefined` are queries that
    both runs answer and the similarity has no value for; `only_a` and `only_b` are answered by one run only
    and compared with nothing.
    """

    text: str
    mean: float | None
    by_query: Mapping[str, float]
    undefined: tuple[str, ...] = ()
    only_a: tuple[str, ...] = ()
    only_b: tuple[str, ...] = ()


Rankings = Mapping[str, Sequence[str]]


def similarities(run_a: Rankings, run_b: Rankings, names: str) -> dict[str, Likeness]:
    """Each similarity in `names`, by its canonical text.

    A run is given as `{query_id: [doc_id, ...]}`, best first. Queries that only one run answers are named,
    and compared with nothing.
    """
    pairings = parse(names)
    _refuse_doubles(run_a, "first")
    _refuse_doubles(run_b, "second")
    both = [query for query in run_a if query in run_b]
    only_a = tuple(query for query in run_a if query not in run_b)
    only_b = tuple(query for query in run_b if query not in run_a)
    answers = {}
    for pairing in pairings:
        by_query = {}
        undefined = []
        for query in both:
            value = pairing.similarity.compare(run_a[query], run_b[query], pairing)
            if value is None:
                undefined.append(query)
            else:
                by_query[query] = value
        mean = math.fsum(by_query.values()) / len(by_query) if by_query else None
        answers[str(pairing)] = Likeness(str(pairing), mean, by_query, tuple(undefined), only_a, only_b)
    return answers


def _refuse_doubles(run: Rankings, place: str) -> None:
    """Refuses a document that stands twice in a ranking, so that no similarity has to check for it."""
    for query, ranking in run.items():
        if len(set(ranking)) != len(ranking):
            last = {doc: i for i, doc in enumerate(ranking)}
            double = next(doc for i, doc in enumerate(ranking) if last[doc] != i)
            raise InputError(
                f"The {place} run ranks document {double!r:.80} twice for query {query!r:.80}. Keep one of the two."
            )
