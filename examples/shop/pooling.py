"""Writes pool.txt: what was looked at for each query. Run by hand after texts or queries changed.

The pool of a query is the best 40 of BM25, the best 40 of the default dense model, and 10 products drawn at random.
It is kept as a file, so that making the sample needs no model and gives the same bytes everywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from examples.shop.catalog import read_catalog
from examples.shop.files import POOL, record
from examples.shop.grading import read_queries

from rankproof.kernel import shelf
from rankproof.reading.collection import Query
from rankproof.stack.records import Ground
from rankproof.testing.rankings import corpus_of, parameters_of

DEPTH = 40
DRAWN = 10


def pooled() -> list[str]:
    """The lines of the pool."""
    records = [record(product) for product in read_catalog()]
    corpus = corpus_of({one.pop("_id"): one for one in records})
    queries = [Query(query.query_id, query.text) for query in read_queries()]
    rng = np.random.default_rng(0)
    seen = [set(rng.choice(corpus.doc_ids, DRAWN, replace=False).tolist()) for _ in queries]
    for name in ("bm25", "dense"):
        engine = shelf.find("engines", name)
        searcher: Any = engine.open(parameters_of(engine), Ground(corpus))
        for found, ranking in zip(seen, searcher.search(queries, DEPTH), strict=True):
            found.update(ranking.doc_ids)
    return [" ".join((query.query_id, *sorted(found))) for query, found in zip(queries, seen, strict=True)]


if __name__ == "__main__":
    POOL.write_text("\n".join(pooled()) + "\n", "utf-8")
