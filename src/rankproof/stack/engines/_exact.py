"""Exact search: every document's vector against every query's, in blocks that fit in memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rankproof.reading.ranking import Ranking
from rankproof.stack.models.encoder import Vectors

# So many scores are held at once.
BLOCK = 1 << 24
# What 32-bit products of a block may be off by, as a share.
_NOISE = 1e-5
# Further digits say nothing: vectors have 32-bit numbers.
DECIMALS = 6


def exact(documents: Vectors, queries: Vectors, doc_ids: tuple[str, ...], depth: int) -> Iterator[Ranking]:
    """The `depth` best of all documents, for each query."""
    rows = max(1, BLOCK // max(1, len(documents)))
    for at in range(0, len(queries), rows):
        for row, scores in enumerate(queries[at : at + rows] @ documents.T):
            found = np.arange(len(scores))
            if len(scores) > depth:
                # All that may tie with the last one: which of them stays is for their ids to say.
                last = np.partition(scores, -depth)[-depth]
                found = np.flatnonzero(scores >= last - _NOISE * max(1.0, abs(float(last))))
            yield best(doc_ids, found, documents, queries[at + row], depth)


def best(
    doc_ids: tuple[str, ...], places: NDArray[np.int64], documents: Vectors, query: Vectors, depth: int
) -> Ranking:
    """The `depth` best of some documents, ties by id.

    Their scores are computed again in 64 bits: what 32 bits give depends on how the work was cut into blocks, while
    documents with the same vector must tie, and a query must get the same scores alone and among others.
    """
    scores = np.sum(documents[places].astype(np.float64) * query.astype(np.float64), axis=1)
    rounded = np.asarray(np.round(scores, DECIMALS) + 0.0, dtype=np.float64)  # no -0.0
    whole = Ranking.of([doc_ids[i] for i in places.tolist()], rounded)
    return Ranking(whole.doc_ids[:depth], whole.scores[:depth])
