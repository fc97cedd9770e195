"""Chroma in this process: vectors in a collection in memory.

Chroma finds documents by a walk over a graph (HNSW). Its defaults look at a hundred documents for each query, and build
the graph in parts side by side, so that the answers to the same questions differ from run to run. Here the walk looks
at every document, with one thread: it finds what the engine dense finds by exact search, the same each time. What the
walk can reach is counted when the collection is filled, and an error says so where that is not all of it. Documents
whose vectors are the same are one point of the graph, since the walk loses its way among many such points.

Vectors are made by a `model`, as in dense. With similarity="cosine" the space is cosine, with "dot" it is ip. Scores
are computed again in 64 bits, as in dense. The collection is in memory and is made anew for each benchmark; its size is
not known. Chroma sends no usage reports from here. Its speed with its defaults cannot be read from these times.

shown on: in this process, chromadb 1.5.9, by `make test-full`; not on a server of Chroma
assumes: texts in a language the model was trained on
source: https://docs.trychroma.com/; Malkov and Yashunin, TPAMI 42(4), 2020 (HNSW)

>>> from rankproof.testing import searched
>>> found = searched("chroma", {"a": "a cat sleeps", "b": "tax law"}, "the kitten naps", model="wordllama")
>>> list(found)
['a', 'b']
"""

from __future__ import annotations

from importlib.metadata import version
from itertools import count
from threading import Lock
from types import ModuleType
from weakref import finalize

import numpy as np

from rankproof.errors import InputError
from rankproof.kernel.libraries import library
from rankproof.kernel.progress import Progress
from rankproof.stack.engines._encoded import open_encoded
from rankproof.stack.engines._in_process import Hits
from rankproof.stack.engines._nearest import NEAREST_PARAMS, IndexSearcher, VectorSource, rescored
from rankproof.stack.engines.contract import Engine
from rankproof.stack.models.encoder import Vectors
from rankproof.stack.records import Ground, Values

ROWS = 1_000  # that are added at once
LINKS = 32  # of each point to others
# Similarity -> Chroma's space.
SPACES = {"cosine": "cosine", "dot": "ip"}
# All collections of a process are in one database.
_NUMBER = count()


def chromadb() -> ModuleType:
    """The library."""
    return library("chromadb", "The engine chroma")


class _ChromaCollection:
    """A collection in memory, that is deleted with this."""

    size = 0  # not told by the library

    def __init__(self, vectors: Vectors, similarity: str, progress: Progress) -> None:
        settings = library("chromadb.config", "The engine chroma").Settings(anonymized_telemetry=False)
        client, name = chromadb().EphemeralClient(settings), f"rankproof-{next(_NUMBER)}"
        self._vectors, self._lock = vectors, Lock()
        points, self._point_of = np.unique(vectors, axis=0, return_inverse=True)
        self._points = points
        graph = {
            "space": SPACES[similarity],
            "max_neighbors": LINKS,
            "ef_construction": max(200, 2 * LINKS),
            "ef_search": len(points),
            "num_threads": 1,
        }
        self._docs = client.create_collection(name, configuration={"hnsw": graph}, embedding_function=None)
        finalize(self, client.delete_collection, name)
        for at in range(0, len(points), ROWS):
            part = points[at : at + ROWS]
            self._docs.add(ids=[str(number) for number in range(at, at + len(part))], embeddings=part)
            progress("chroma: indexing document", at + len(part), len(points))
        reached = len(self._found(points[0], len(points))[0])
        if reached < len(points):
            raise InputError(
                f"The walk over Chroma's graph reaches {reached:,} of {len(points):,} vectors, so documents would be "
                "missing without a word. Ask the engine dense, which compares with all of them."
            )

    def nearest(self, vector: Vectors, limit: int) -> Hits:
        """The documents of the nearest points, as many points as documents are wanted."""
        with self._lock:
            points, _ = rescored(lambda n: self._found(vector, n), self._points, vector, min(limit, len(self._points)))
        numbers = np.flatnonzero(np.isin(self._point_of, np.asarray(points)))
        scores = np.sum(self._vectors[numbers].astype(np.float64) * vector.astype(np.float64), axis=1)
        order = np.lexsort((numbers, -scores))
        return numbers[order].tolist(), scores[order].tolist()

    def _found(self, vector: Vectors, limit: int) -> Hits:
        found = self._docs.query(query_embeddings=vector[None], n_results=limit, include=["distances"])
        # It gives 1 less the cosine, and 1 less the product.
        return [int(number) for number in found["ids"][0]], [1 - distance for distance in found["distances"][0]]


def open_chroma(values: Values, ground: Ground) -> IndexSearcher[_ChromaCollection]:
    """Checks that library, model and fields are there; the collection is filled by `prepare` or the first search."""
    ground.documents("chroma")
    chromadb()
    encoded = open_encoded("chroma", values, ground)
    source = VectorSource(encoded, lambda vectors: _ChromaCollection(vectors, values["similarity"], ground.progress))
    return IndexSearcher(source, {"chromadb": version("chromadb")})


OFFERS = (
    Engine(
        name="chroma",
        page=__doc__,
        params=NEAREST_PARAMS,
        open=open_chroma,
        needs=frozenset({"corpus"}),
    ),
)
