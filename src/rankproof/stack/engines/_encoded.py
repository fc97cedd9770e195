"""Encoded: the vectors of a corpus and of queries, for every engine that indexes vectors of a model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UnknownName
from rankproof.kernel.cache import Cache, NoCache
from rankproof.kernel.progress import Progress
from rankproof.reading.collection import Corpus, Query
from rankproof.stack.models.encoder import Encoder, Vectors, keep_tokens, kept_vectors, unit
from rankproof.stack.models.find import open_model, prefixes, token_request
from rankproof.stack.models.transformer import TransformerEncoder
from rankproof.stack.records import Ground, Values

# So many bytes of tokens' vectors are kept by one pass over a corpus: about 10,000 texts of 256 tokens with minilm.
TOKEN_BYTES = 1 << 31


@dataclass(frozen=True, eq=False)
class EncodedCorpus:
    """Vectors of a corpus by a model, made when they are first wanted, and kept in the cache.

    who       the engine, for its progress
    wanted    what stages want besides; see Ground
    values    of MODEL_PARAMS and `fields`; `similarity`, where the engine has it: vectors have length 1 for "cosine"
    """

    who: str
    corpus: Corpus
    values: Values
    encoder: Encoder
    cache: Cache
    progress: Progress
    wanted: Collection[tuple[object, ...]] = ()

    @property
    def identity(self) -> Mapping[str, str]:
        """Corpus and model."""
        model = sha256(self.encoder.identity.encode()).hexdigest()
        return {"corpus": self.corpus.content_hash, "model": model, "encoder": self.encoder.identity}

    @property
    def vectors(self) -> Vectors:
        """One for each of `doc_ids`."""
        return self._encoded[0]

    @property
    def doc_ids(self) -> tuple[str, ...]:
        """The documents that have a direction; the model makes nothing of the others, and they are not found."""
        return self._encoded[1] if len(self.corpus) else ()

    @cached_property
    def _encoded(self) -> tuple[Vectors, tuple[str, ...]]:
        before = prefixes(self.values, self.encoder)[1]
        texts = [before + text for text in self.corpus.texts(self.values["fields"])]

        def report(done: int, total: int) -> None:
            self.progress(f"{self.who}: encoding document", done, total)

        vectors = self._measured(kept_vectors(self.encoder, texts, self.cache, report, self._with_tokens()))
        some = np.flatnonzero(vectors.any(axis=1))
        if len(some) == len(vectors):
            return vectors, self.corpus.doc_ids
        return vectors[some], tuple(self.corpus.doc_ids[i] for i in some.tolist())

    def _with_tokens(self) -> Callable[[list[str]], Iterable[NDArray[np.float32]]] | None:
        """Encodes texts and keeps the vectors of their tokens, where a stage will want them; None where none does."""
        encoder, left = self.encoder, TOKEN_BYTES
        if not isinstance(encoder, TransformerEncoder) or isinstance(self.cache, NoCache):
            return None
        if token_request(self.values) not in self.wanted:
            return None

        def encode(texts: list[str]) -> Vectors:
            nonlocal left
            if left <= 0:  # the stage makes what it needs of the others by itself
                return encoder.vectors(texts)
            tokens, vectors = encoder.both(texts)
            for text, rows in zip(texts, tokens, strict=True):
                left -= keep_tokens(encoder.identity, text, rows, self.cache).nbytes
            return vectors

        return encode

    def of_queries(self, queries: Sequence[Query]) -> Vectors:
        """One for each query; 0 everywhere where the model makes nothing of it."""
        before = prefixes(self.values, self.encoder)[0]
        return self._measured(self.encoder.vectors([before + query.text for query in queries]))

    def _measured(self, vectors: Vectors) -> Vectors:
        cosine = self.values.get("similarity", "cosine") == "cosine"
        return unit(vectors) if cosine else np.ascontiguousarray(vectors)


def open_encoded(who: str, values: Values, ground: Ground) -> EncodedCorpus:
    """Finds the model and checks the fields; texts are encoded when their vectors are wanted."""
    corpus = ground.documents(who)
    refuse_unknown_fields(values, corpus)
    return EncodedCorpus(who, corpus, values, open_model(values, ground), ground.cache, ground.progress, ground.wanted)


def refuse_unknown_fields(values: Values, corpus: Corpus) -> None:
    """UnknownName for a field of `fields` that the corpus does not have."""
    for name in values["fields"] or ():
        if name not in corpus.fields:
            raise UnknownName(f"field of {corpus.name}", name, corpus.fields)
