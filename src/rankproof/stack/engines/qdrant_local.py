"""Qdrant in this process: vectors in Qdrant Edge, the engine of Qdrant without its server.

Every query is compared with every document (`exact` in Qdrant's words), which gives what the engine dense finds by
exact search, up to the last of six decimals. Vectors are made by a `model`, as in dense. With similarity="cosine" the
collection has the distance Cosine, with "dot" it has Dot.

Qdrant's walk over a graph (HNSW) is not offered here: it draws the levels of its graph anew each time it is built, so
that two builds of the same documents give different rankings. The engine dense has such a walk that repeats, with
search="hnsw"; the engine qdrant asks a server that has a graph.

The library is qdrant-edge-py, which has Qdrant's code in Rust and needs no other. The local mode of qdrant-client is a
rewrite of it with numpy, and is not used. The collection lies in a temporary folder that is removed with the engine,
without a log of what is written to it. Its size is noted; of an empty one it is 66 MiB, which Qdrant
sets aside and which take no room on most disks. Where the disk has too little room it is not begun.

shown on: in this process, qdrant-edge-py 0.9.0, in every run of the tests
assumes: texts in a language the model was trained on
source: https://qdrant.tech/documentation/edge/

>>> from rankproof.testing import searched
>>> found = searched("qdrant_local", {"a": "a cat sleeps", "b": "tax law"}, "the kitten naps", model="wordllama")
>>> list(found)
['a', 'b']
"""

from __future__ import annotations

from importlib.metadata import version
from types import ModuleType

from rankproof.kernel.libraries import library
from rankproof.kernel.progress import Progress
from rankproof.stack.engines._encoded import open_encoded
from rankproof.stack.engines._in_process import Hits
from rankproof.stack.engines._nearest import (
    NEAREST_PARAMS,
    IndexSearcher,
    VectorSource,
    in_folder,
    scratch,
    size_of,
)
from rankproof.stack.engines.contract import Engine
from rankproof.stack.models.encoder import Vectors
from rankproof.stack.records import Ground, Values

ROWS = 1_000  # that are sent at once
# Similarity -> Qdrant's distance.
DISTANCES = {"cosine": "Cosine", "dot": "Dot"}


def qdrant_edge() -> ModuleType:
    """The library."""
    return library("qdrant_edge", "The engine qdrant_local")


def room(size: int) -> int:
    """Bytes to have free for vectors of so many bytes."""
    # Its files have 1.11 times the bytes of the vectors (measured with 60,000 of 384 numbers).
    return 4 * 2**20 + int(1.25 * size)


class _EdgeShard:
    """A shard of Qdrant Edge, in a folder that is removed with it."""

    def __init__(self, vectors: Vectors, similarity: str, progress: Progress) -> None:
        made = qdrant_edge()
        folder = scratch("qdrant_local", room(vectors.nbytes))
        distance = getattr(made.Distance, DISTANCES[similarity])
        config = made.EdgeConfig(
            vectors=made.EdgeVectorParams(size=vectors.shape[1], distance=distance),
            max_search_threads=1,
            wal_enabled=False,
        )
        self._shard = made.EdgeShard.create(folder.name, config)
        in_folder(self, folder, self._shard.close)
        self.folder = folder.name
        for at in range(0, len(vectors), ROWS):
            part = vectors[at : at + ROWS].tolist()
            points = [made.Point(id=number, vector=vector) for number, vector in enumerate(part, at)]
            self._shard.update(made.UpdateOperation.upsert_points(points))
            progress("qdrant_local: indexing document", at + len(part), len(vectors))
        self._shard.flush()
        self._exact = made.SearchParams(exact=True)

    @property
    def size(self) -> int:
        """The bytes of its files."""
        return size_of(self.folder)

    def nearest(self, vector: Vectors, limit: int) -> Hits:
        made = qdrant_edge()
        nearest = made.Query.Nearest(vector.tolist())
        found = self._shard.query(made.QueryRequest(limit=limit, query=nearest, params=self._exact))
        return [point.id for point in found], [point.score for point in found]


def open_qdrant_local(values: Values, ground: Ground) -> IndexSearcher[_EdgeShard]:
    """Checks that library, model and fields are there; the collection is filled by `prepare` or the first search."""
    ground.documents("qdrant_local")
    qdrant_edge()
    encoded = open_encoded("qdrant_local", values, ground)
    source = VectorSource(encoded, lambda vectors: _EdgeShard(vectors, values["similarity"], ground.progress))
    return IndexSearcher(source, {"qdrant-edge-py": version("qdrant-edge-py")})


OFFERS = (
    Engine(
        name="qdrant_local",
        page=__doc__,
        params=NEAREST_PARAMS,
        open=open_qdrant_local,
        needs=frozenset({"corpus"}),
        extra="all",
    ),
)
