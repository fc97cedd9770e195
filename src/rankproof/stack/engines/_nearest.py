"""Nearest: what engines share that index documents with a library, most of them by their vectors, in this process.

The library finds and scores; what is decided here is alike for all: vectors are those of the engine dense, their scores
are rounded to as many decimals, and of documents that tie at the last place the ids say which of them stays.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from shutil import disk_usage
from tempfile import TemporaryDirectory
from typing import Generic, Protocol, TypeVar
from weakref import finalize

import numpy as np

from rankproof.errors import InputError
from rankproof.kernel.specs.kinds import Choice, Param, Texts
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines._encoded import EncodedCorpus
from rankproof.stack.engines._in_process import NOTHING, Hits, Once, Scores, best, numbered, told
from rankproof.stack.engines.dense import DECIMALS
from rankproof.stack.models.encoder import Vectors
from rankproof.stack.models.find import ENDPOINT_PARAMS, MODEL_PARAMS

# What a 32-bit product of two vectors may be off by, as a share of the product of their lengths.
_NOISE = 1e-5

NEAREST_PARAMS = (
    *MODEL_PARAMS,
    *ENDPOINT_PARAMS,
    Param("fields", Texts(), None, "fields whose texts are joined; all when nothing is said"),
    Param("similarity", Choice(("cosine", "dot")), "cosine", "how near two vectors are"),
)


class Sized(Protocol):
    """An index. `size` is its bytes, where they are known and are the same each time; else 0."""

    @property
    def size(self) -> int:
        """Bytes."""


class Nearest(Sized, Protocol):
    """An index of vectors. A document is known to it by its number: its row in what it was built of."""

    def nearest(self, vector: Vectors, limit: int) -> Hits:
        """At least the `limit` documents whose scores are the greatest, or all; several threads ask at once."""


Index = TypeVar("Index", bound=Sized)
VectorIndex = TypeVar("VectorIndex", bound=Nearest)


class IndexSource(Protocol[Index]):
    """What an index is made of, and how it is asked.

    doc_ids   the documents that it can find
    """

    @property
    def identity(self) -> Mapping[str, str]:
        """What the answers depend on besides versions."""

    @property
    def doc_ids(self) -> tuple[str, ...]:
        """Ids."""

    def build(self, places: tuple[int, ...]) -> Index:
        """The index of the documents, of which there is at least one; the document n is the one at places[n]."""

    def asked(self, index: Index, query: Query) -> Callable[[int], Hits] | None:
        """Gives so many of the best, best first; None for a query that can find nothing."""

    def rounded(self, scores: Sequence[float]) -> Scores:
        """Scores without the digits that say nothing."""


class VectorSource(Generic[VectorIndex]):
    """The vectors of documents, and `make`, which makes an index of those that it is given."""

    def __init__(self, encoded: EncodedCorpus, make: Callable[[Vectors], VectorIndex]) -> None:
        self._encoded, self._make = encoded, make

    @property
    def identity(self) -> Mapping[str, str]:
        """Corpus and model."""
        return self._encoded.identity

    @property
    def doc_ids(self) -> tuple[str, ...]:
        """The documents that have a direction."""
        return self._encoded.doc_ids

    def build(self, places: tuple[int, ...]) -> VectorIndex:
        """The index."""
        return self._make(self._encoded.vectors[list(places)])

    def asked(self, index: VectorIndex, query: Query) -> Callable[[int], Hits] | None:
        """None where the model makes nothing of the query."""
        (vector,) = self._encoded.of_queries([query])
        return (lambda limit: index.nearest(vector, limit)) if vector.any() else None

    def rounded(self, scores: Sequence[float]) -> Scores:
        """Rounded as the engine dense does it."""
        return np.asarray(np.round(np.asarray(scores, dtype=np.float64), DECIMALS) + 0.0, dtype=np.float64)  # no -0.0


def scratch(who: str, needed: int) -> TemporaryDirectory[str]:
    """A temporary folder with room for so many bytes; InputError where the disk has less.

    A library that maps its files into memory ends the whole process where the disk is full, without a word.
    """
    folder = TemporaryDirectory(prefix=f"rankproof-{who}-", ignore_cleanup_errors=True)
    free = disk_usage(folder.name).free
    if free < needed:
        place = os.path.dirname(folder.name)
        folder.cleanup()
        raise InputError(
            f"The index of {who} needs {needed / 1e6:,.0f} MB in {place}, where {free / 1e6:,.0f} MB are free. "
            "Make room there, or name another folder in the environment variable TMPDIR."
        )
    return folder


def in_folder(owner: object, folder: TemporaryDirectory[str], close: Callable[[], object]) -> None:
    """Closes what lies in a folder and removes that, when its owner goes, or the process does."""

    def end() -> None:
        try:
            close()
        finally:
            folder.cleanup()

    finalize(owner, end)


def size_of(folder: str) -> int:
    """The bytes of the files in a folder, and in its folders."""
    return sum(os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(folder) for name in names)


def rescored(find: Callable[[int], Hits], vectors: Vectors, vector: Vectors, limit: int) -> Hits:
    """The `limit` best with scores in 64 bits, for a library whose own depend on where among others a row stands.

    find   the so many best by scores of 32 bits
    """
    lengths = np.linalg.norm(vectors, axis=1).max() * np.linalg.norm(vector)
    wanted = min(limit + 1, len(vectors))
    while True:
        numbers, scores = find(wanted)
        if wanted == len(vectors) or scores[-1] < scores[limit - 1] - _NOISE * lengths:
            break
        wanted = min(4 * wanted, len(vectors))
    places = np.asarray(numbers, dtype=np.int64)
    products = np.sum(vectors[places].astype(np.float64) * vector.astype(np.float64), axis=1)
    order = np.lexsort((places, -products))[:limit]
    return places[order].tolist(), products[order].tolist()


class IndexSearcher(Generic[Index]):
    """The engine, opened. `versions` are those of the libraries that the answers depend on."""

    def __init__(self, source: IndexSource[Index], versions: Mapping[str, str]) -> None:
        self._source, self._versions = source, versions
        self._once = Once(self._build)

    @property
    def identity(self) -> Mapping[str, str]:
        """Corpus, model and versions."""
        return {**self._source.identity, **self._versions}

    @property
    def notes(self) -> Mapping[str, str]:
        """How many documents the index has and its size, once it is built."""
        built = self._once.built
        if built is None:
            return {}
        index, places = built.index
        size = 0 if index is None else index.size
        return {"index": told(len(places), size) if size else f"{len(places):,} documents"}

    @property
    def observed(self) -> Mapping[str, float]:
        """The time that building took, with the time of the model."""
        built = self._once.built
        return {} if built is None else {"index_seconds": built.seconds}

    def prepare(self) -> None:
        """Builds the index, so that the first query does not pay for it."""
        self._once()

    def _build(self) -> tuple[Index | None, tuple[int, ...]]:
        places = numbered(self._source.doc_ids)
        return (self._source.build(places) if places else None), places

    def search(self, queries: Sequence[Query], depth: int) -> list[Ranking]:
        """A ranking for each query."""
        index, places = self._once()
        return [NOTHING if index is None else self._one(index, places, query, depth) for query in queries]

    def _one(self, index: Index, places: tuple[int, ...], query: Query, depth: int) -> Ranking:
        find = self._source.asked(index, query)
        if find is None:
            return NOTHING
        pairs = best(find, depth, len(places), self._source.rounded)
        ids = tuple(self._source.doc_ids[places[number]] for number, _ in pairs)
        return Ranking(ids, np.array([score for _, score in pairs], dtype=np.float64) + 0.0)
