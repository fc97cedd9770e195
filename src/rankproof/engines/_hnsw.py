"""HNSW search through usearch: near neighbors found over a graph, without looking at every document.

The graph is built on one thread, document after document, so that it is the same every time.

source: Malkov and Yashunin, Efficient and robust approximate nearest neighbor search using HNSW, TPAMI 42(4), 2020
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np

from rankproof.engines._exact import best
from rankproof.models.encoder import Vectors
from rankproof.models.library import library
from rankproof.records.ground import Cache
from rankproof.records.ranking import Ranking


def usearch() -> Any:
    """The library, after onnxruntime: in the other order onnxruntime 1.31 with usearch 2.26 ends the process."""
    with suppress(ImportError):
        import_module("onnxruntime")
    return library("usearch.index", "search='hnsw'")


class Hnsw:
    """The graph over some vectors; read back from the cache where it was built before."""

    def __init__(self, documents: Vectors, connectivity: int, expansion_add: int, cache: Cache) -> None:
        self._documents = documents
        said = f"hnsw 1 usearch {version('usearch')} {connectivity} {expansion_add} {documents.shape}"
        key = sha256(said.encode() + b"\n" + np.ascontiguousarray(documents, "<f4").tobytes()).hexdigest()
        kept = cache.get(key)
        self._index: Any = usearch().Index(
            ndim=documents.shape[1],
            metric="ip",
            dtype="f32",
            connectivity=connectivity,
            expansion_add=expansion_add,
        )
        if kept is not None:
            self._index.load(kept)
        elif len(documents):
            self._index.add(np.arange(len(documents), dtype=np.uint64), documents, threads=1)
            cache.put(key, bytes(self._index.save()))

    def search(self, queries: Vectors, doc_ids: tuple[str, ...], depth: int, expansion: int) -> Iterator[Ranking]:
        """The best that the graph leads to; their scores are computed as those of exact search."""
        self._index.expansion_search = max(expansion, depth)
        for query in queries:
            keys = self._index.search(query, min(depth, len(doc_ids)), threads=1).keys
            places = np.unique(np.asarray(keys).astype(np.int64))  # one that is not reached is not there
            yield best(doc_ids, places, self._documents, query, depth)
