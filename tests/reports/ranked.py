"""Comparisons of real rankings, from dicts, for tests of the pages that show them."""

from __future__ import annotations

import random
from dataclasses import replace

import rankproof
from rankproof.proving.movement import titled_later
from rankproof.proving.records import Comparison

MEASURES = "nDCG@10 RR@10 R@20"
SEGMENTS = ("short", "long")


def ranked_comparison(
    queries: int = 30,
    systems: tuple[str, ...] = ("before", "after"),
    *,
    prefix: str = "d",
    query_prefix: str = "q",
    titles: bool = True,
    documents: int = 14,
    beyond: bool = False,
) -> Comparison:
    """Systems that order the same documents by a seeded generator; half of the documents of a query are judged.

    q1 is the same in the first two systems, and the later systems rank relevant documents higher.
    """
    rng = random.Random(7)
    qrels: dict[str, dict[str, int]] = {}
    runs: list[dict[str, dict[str, float]]] = [{} for _ in systems]
    names: dict[str, str] = {}
    for i in range(1, queries + 1):
        query = f"{query_prefix}{i}"
        docs = [f"{prefix}{i}_{j}" for j in range(documents)]
        qrels[query] = {doc: j % 4 for j, doc in enumerate(docs[: documents // 2])}
        names |= {doc: f"Title of {doc}" for doc in docs}
        for at, run in enumerate(runs):
            score = {doc: rng.random() + 0.15 * at * qrels[query].get(doc, 0) for doc in docs[:12]}
            run[query] = score if i > 1 or not at else dict(runs[0][query])
    columns = {f"{query_prefix}{i}": {"kind": SEGMENTS[i % 2]} for i in range(1, queries + 1)}
    topics = {query: f"words of {query}" for query in qrels}
    found = rankproof.compare(
        qrels, runs[0], runs[1:], MEASURES, names=list(systems), topics=topics, queries=columns, by=("kind",),
        beyond=beyond, rankings=True,
    )  # fmt: skip
    if not titles:
        return found
    return replace(found, rankings=titled_later(found.rankings, lambda docs: {doc: names[doc] for doc in docs}))
