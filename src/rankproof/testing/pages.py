"""A small table of pages with clicks for examples and tests."""

from __future__ import annotations

import numpy as np

from rankproof.online.impressions import Impressions


def pages_of(*pages: str) -> Impressions:
    """Impressions from texts such as `"q: a B c"`: the query, and its documents by rank, capitals where clicked."""
    queries: dict[str, int] = {}
    docs: dict[str, int] = {}
    split = [(query.strip(), shown.split()) for query, _, shown in (page.partition(":") for page in pages)]
    ranks = max(len(shown) for _, shown in split)
    of = np.array([queries.setdefault(query, len(queries)) for query, _ in split])
    at = np.zeros((len(pages), ranks), dtype=np.int64)
    clicks = np.zeros((len(pages), ranks), dtype=np.bool_)
    for row, (_, shown) in enumerate(split):
        at[row, : len(shown)] = [docs.setdefault(doc.lower(), len(docs)) for doc in shown]
        clicks[row, : len(shown)] = [doc != doc.lower() for doc in shown]
    lengths = np.array([len(shown) for _, shown in split])
    return Impressions.of(tuple(queries), tuple(docs), of, at, lengths, clicks)
