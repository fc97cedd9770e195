"""Milvus in this process: vectors in Milvus Lite, the embedded Milvus.

Every query is compared with every document, as an index of the type FLAT does it, which gives what the engine dense
finds by exact search. Vectors are made by a `model`, as in dense. With similarity="cosine" the metric is COSINE, with
"dot" it is IP. Milvus Lite finds the documents; their scores are computed again in 64 bits, as in dense, because those
of Milvus Lite depend in their last digits on where a document stands, and documents that are alike would not tie.

The library is milvus-lite 3, which is written in Python with numpy and has the interface of Milvus, not its engine: it
says nothing of how fast a server of Milvus is. Its collection lies in a temporary folder that is removed with the
engine. Its size is noted. It is filled and asked without a port and without a process of its own, by one thread at a
time.

shown on: in this process, milvus-lite 3.2.2, by `make test-full`; not on a server of Milvus
assumes: texts in a language the model was trained on
source: https://github.com/milvus-io/milvus-lite

>>> from rankproof.testing import searched
>>> found = searched("milvus", {"a": "a cat sleeps", "b": "tax law"}, "the kitten naps", model="wordllama")
>>> list(found)
['a', 'b']
"""

from __future__ import annotations

from importlib.metadata import version
from threading import Lock
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
    rescored,
    scratch,
    size_of,
)
from rankproof.stack.engines.contract import Engine
from rankproof.stack.models.encoder import Vectors
from rankproof.stack.records import Ground, Values

ROWS = 1_000  # that are inserted at once
# Similarity -> Milvus' metric.
METRICS = {"cosine": "COSINE", "dot": "IP"}


def milvus_lite() -> ModuleType:
    """The library."""
    return library("milvus_lite", "The engine milvus")


def room(size: int) -> int:
    """Bytes to have free for vectors of so many bytes."""
    # Its files have 1.03 times the bytes of the vectors (measured with 20,000 of 384 numbers), and the log as many.
    return 4 * 2**20 + int(2.5 * size)


class _MilvusCollection:
    """A collection of Milvus Lite, in a folder that is removed with it."""

    def __init__(self, vectors: Vectors, similarity: str, progress: Progress) -> None:
        made = milvus_lite()
        folder = scratch("milvus", room(vectors.nbytes))
        database = made.MilvusLite(folder.name)
        in_folder(self, folder, database.close)
        self.folder, self._lock, self._metric = folder.name, Lock(), METRICS[similarity]
        self._vectors = vectors
        number = made.FieldSchema(name="number", dtype=made.DataType.INT64, is_primary=True)
        vector = made.FieldSchema(name="vector", dtype=made.DataType.FLOAT_VECTOR, dim=vectors.shape[1])
        self._docs = database.create_collection("docs", made.CollectionSchema(fields=[number, vector]))
        for at in range(0, len(vectors), ROWS):
            part = vectors[at : at + ROWS].tolist()
            self._docs.insert([{"number": number, "vector": vector} for number, vector in enumerate(part, at)])
            progress("milvus: indexing document", at + len(part), len(vectors))
        self._docs.flush()

    @property
    def size(self) -> int:
        """The bytes of its files."""
        return size_of(self.folder)

    def nearest(self, vector: Vectors, limit: int) -> Hits:
        with self._lock:
            return rescored(lambda wanted: self._found(vector, wanted), self._vectors, vector, limit)

    def _found(self, vector: Vectors, limit: int) -> Hits:
        (found,) = self._docs.search(
            [vector.tolist()], limit, self._metric, anns_field="vector", output_fields=["number"]
        )
        return [hit["id"] for hit in found], [hit["distance"] for hit in found]


def open_milvus(values: Values, ground: Ground) -> IndexSearcher[_MilvusCollection]:
    """Checks that library, model and fields are there; the collection is filled by `prepare` or the first search."""
    ground.documents("milvus")
    milvus_lite()
    encoded = open_encoded("milvus", values, ground)
    source = VectorSource(encoded, lambda vectors: _MilvusCollection(vectors, values["similarity"], ground.progress))
    return IndexSearcher(source, {"milvus-lite": version("milvus-lite")})


OFFERS = (
    Engine(
        name="milvus",
        page=__doc__,
        params=NEAREST_PARAMS,
        open=open_milvus,
        needs=frozenset({"corpus"}),
    ),
)
