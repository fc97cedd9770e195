"""Movement: the queries that lost and won most, and which documents moved in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.prepare import PreparedQrels, PreparedRun, listed
from rankproof.proving.records import Contrast, DocMove, QueryMove

# How deep to look where a measure has no cutoff: what a person sees on a first page.
USUAL_DEPTH = 10


def moves(
    contrasts: Sequence[Contrast],
    variants: Sequence[Variant],
    runs: Mapping[str, PreparedRun],
    topics: Mapping[str, str],
    most: int,
    values: Mapping[tuple[str, str], Mapping[str, float]],
) -> tuple[QueryMove, ...]:
    """For each contrast the `most` worst and the `most` best queries, worst first.

    `values` gives by (measure, system) each query's value.
    """
    depths = {variant.text: _depth(variant) for variant in variants}
    deepest = max(depths.values(), default=USUAL_DEPTH)
    extremes = [_extremes(contrast, most) for contrast in contrasts]
    wanted = {query for found in extremes for query, _ in found}
    lists = {name: listed(run, deepest, queries=wanted) for name, run in runs.items()}
    grades = _Grades(next(iter(runs.values())).qrels)
    found = []
    for contrast, chosen in zip(contrasts, extremes, strict=True):
        depth = depths[contrast.measure]
        before, after = lists[contrast.baseline], lists[contrast.candidate]
        for query, difference in chosen:
            documents = documents_moved(before.get(query, [])[:depth], after.get(query, [])[:depth], grades.of(query))
            found.append(
                QueryMove(
                    contrast.measure,
                    contrast.candidate,
                    query,
                    topics.get(query, ""),
                    values[contrast.measure, contrast.baseline][query],
                    values[contrast.measure, contrast.candidate][query],
                    difference,
                    depth,
                    *documents,
                )
            )
    return tuple(found)


def _depth(variant: Variant) -> int:
    takes_rank = variant.measure.cutoff in ("optional", "required")
    return variant.k if takes_rank and variant.k is not None else USUAL_DEPTH


def _extremes(contrast: Contrast, most: int) -> list[tuple[str, float]]:
    """The worst first, then the best, worst of them first; queries that did not change are in neither."""
    sign = -1.0 if contrast.better == "lower" else 1.0
    turn = np.argsort(sign * contrast.by_query, kind="stable").tolist()
    worst = [i for i in turn if sign * contrast.by_query[i] < 0][:most]
    best = [i for i in turn if sign * contrast.by_query[i] > 0][-most:] if most else []
    return [(contrast.query_ids[i], float(contrast.by_query[i])) for i in (*worst, *best)]


def documents_moved(
    before: Sequence[str], after: Sequence[str], grades: Mapping[str, int]
) -> tuple[tuple[DocMove, ...], tuple[DocMove, ...], tuple[DocMove, ...], tuple[DocMove, ...]]:
    """What entered, left, rose and fell, each in the order of the ranking where it stands."""
    was = {doc: rank for rank, doc in enumerate(before, 1)}
    now = {doc: rank for rank, doc in enumerate(after, 1)}
    every = [DocMove(doc, was.get(doc), rank, grades.get(doc)) for doc, rank in now.items()]
    return (
        tuple(m for m in every if m.before is None),
        tuple(DocMove(doc, rank, None, grades.get(doc)) for doc, rank in was.items() if doc not in now),
        tuple(m for m in every if m.before is not None and m.after is not None and m.after < m.before),
        tuple(m for m in every if m.before is not None and m.after is not None and m.after > m.before),
    )


class _Grades:
    """The grades of a query's documents by id, read when first asked for."""

    def __init__(self, qrels: PreparedQrels) -> None:
        self._qrels = qrels
        self._place = {query: i for i, query in enumerate(qrels.pool.query_ids)}
        self._found: dict[str, dict[str, int]] = {}

    def of(self, query: str) -> Mapping[str, int]:
        """{doc_id: grade} of one query."""
        if query not in self._found:
            pool, at = self._qrels.pool, self._place[query]
            span = range(int(pool.start[at]), int(pool.start[at + 1]))
            self._found[query] = {self._qrels.judgments.doc_id(i): int(pool.grade[i]) for i in span}
        return self._found[query]
