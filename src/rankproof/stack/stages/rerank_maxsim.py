"""Late interaction: each word of the query looks for the word of the document that is nearest to it.

The first `depth` documents are ordered by the mean, over the tokens of the query, of the greatest cosine with any token
of the document: ColBERT's MaxSim, divided by the number of the query's tokens.

`model` may be a folder of a ColBERT: as colbert-ai saves one (linear.weight in model.safetensors, artifact.metadata)
or PyLate (1_Dense beside the transformer). Its projection, the markers of queries and documents, the lengths, the
padding of queries with [MASK] and the marks of punctuation that are left out are then the model's own; weights of a
BERT are run as they are, other families take a model.onnx of the transformer.

With any other model of the engine dense the tokens' vectors are those of its last layer, so no further weights are
needed, and marks such as [CLS] are left out. Such a model was not trained for this: expect less than ColBERT gives.

On SciFact, over BM25 with nDCG@10 0.686, minilm gave 0.718 at depth 10 and 0.712 at depth 50. The table wordllama,
whose tokens do not know their neighbors, lost (0.659 at depth 10) and gained a little with weight=0.5 (0.694).

`weight` mixes the new score with the incoming one, each brought to 0 to 1 over the first `depth`: 1 (the default) is
the new score alone, 0 the incoming order. Vectors of the documents' tokens are kept in the cache (16 bits; about 200
KB for a text of 256 tokens with minilm): the first run pays for encoding documents and later ones do not, as in a
service that encodes documents when they come in. Where the engine dense reads the same fields with the same model, its
pass makes them too, up to 2 GB, so that a document goes through the model once. The query is encoded each time. A
document that the corpus does not have keeps its place and is counted as a failure.

assumes: texts in a language the model was trained on
source: Khattab and Zaharia, ColBERT, SIGIR 2020, equation 3

Two tokens of a query and one of a document, whose cosines with them are 0.6 and 0.8:

>>> import numpy as np
>>> from rankproof.stack.stages.rerank_maxsim import maxsim
>>> maxsim(np.array([[1, 0], [0, 1]], np.float32), [np.array([[0.6, 0.8]], np.float32)]).tolist()
[0.7]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UnknownName
from rankproof.kernel.cache import Cache
from rankproof.kernel.progress import Progress, silent
from rankproof.kernel.specs.kinds import Number, Param, Texts, Whole
from rankproof.reading.collection import Corpus, Query
from rankproof.reading.ranking import Failure, Passed, Ranking
from rankproof.stack.models.colbert import ColbertEncoder
from rankproof.stack.models.encoder import Encoder, Vectors, kept_token_vectors
from rankproof.stack.models.find import MODEL_PARAMS, open_model, prefixes, token_request
from rankproof.stack.records import Ground, Values
from rankproof.stack.stages._scores import mixed
from rankproof.stack.stages.contract import Stage, rerank_head

PARAMS = (
    Param("depth", Whole(1), 50, "how many of the first documents are reordered"),
    Param("weight", Number(0, 1), 1.0, "share of the new score; the rest is the incoming one's"),
    *MODEL_PARAMS,
    Param("fields", Texts(), None, "fields whose texts are joined; all when nothing is said"),
)
# So many bytes of documents' vectors are held in memory, those used last.
MEMORY = 1 << 28
# So many documents are encoded together before anybody asks.
TOGETHER = 64


# Vectors are kept in 16 bits: further digits say nothing.
DECIMALS = 5


def maxsim(query: Vectors, documents: Sequence[NDArray[np.floating]]) -> NDArray[np.float64]:
    """For each document the mean over the query's tokens of the greatest cosine with one of its own; 0 without tokens.

    All documents are multiplied at once: small products by themselves cost more in waiting threads than in arithmetic.
    """
    scores = np.zeros(len(documents))
    filled = [i for i, rows in enumerate(documents) if len(rows)]
    if filled and len(query):
        tokens = np.concatenate([documents[i] for i in filled]).astype(np.float32)
        begins = np.cumsum([0, *(len(documents[i]) for i in filled[:-1])])
        greatest = np.maximum.reduceat(query @ tokens.T, begins, axis=1)
        scores[filled] = greatest.mean(axis=0)
    return np.asarray(np.round(scores, DECIMALS) + 0.0, dtype=np.float64)  # no -0.0


@dataclass(frozen=True, eq=False)
class _Transform:
    corpus: Corpus
    cache: Cache
    values: Values
    encoder: Encoder
    progress: Progress = silent
    _vectors: dict[str, NDArray[np.float16]] = field(default_factory=dict)

    @property
    def identity(self) -> Mapping[str, str]:
        model = sha256(self.encoder.identity.encode()).hexdigest()
        return {"corpus": self.corpus.content_hash, "model": model, "encoder": self.encoder.identity}

    def prepare(self, queries: Sequence[Query], rankings: Sequence[Sequence[Ranking]]) -> None:
        """Encodes the documents that will come, as a service does before anybody asks, and reads the weights."""
        depth = int(self.values["depth"])
        heads = (doc for (incoming,) in rankings for doc in incoming.read_as(incoming.doc_ids[:depth]))
        docs = [doc for doc in dict.fromkeys(heads) if doc in self.corpus.place]
        for at in range(0, len(docs), TOGETHER):
            self._tokens(docs[at : at + TOGETHER])
            self.progress("rerank_maxsim: encoding document", min(at + TOGETHER, len(docs)), len(docs))
        if queries:
            self._of_queries(queries[:1])

    def apply(self, queries: Sequence[Query], rankings: Sequence[Sequence[Ranking]]) -> list[Passed]:
        tokens = self._of_queries(queries)
        return [
            Passed(self._one(vectors, incoming[0]), self._without_text(query, incoming[0]))
            for query, vectors, incoming in zip(queries, tokens, rankings, strict=True)
        ]

    def _of_queries(self, queries: Sequence[Query]) -> list[Vectors]:
        """Vectors of the tokens of each query; a model of late interaction reads queries in a way of their own."""
        texts = [prefixes(self.values, self.encoder)[0] + query.text for query in queries]
        if isinstance(self.encoder, ColbertEncoder):
            return self.encoder.query_token_vectors(texts)
        return self.encoder.token_vectors(texts)

    def _without_text(self, query: Query, incoming: Ranking) -> tuple[Failure, ...]:
        head = incoming.doc_ids[: int(self.values["depth"])]
        return tuple(
            Failure(query.query_id, "rerank_maxsim", "no text", f"the corpus has no document {doc!r}")
            for doc, text in zip(head, incoming.read_as(head), strict=True)
            if text not in self.corpus.place
        )

    def _one(self, query: Vectors, incoming: Ranking) -> Ranking:
        depth, weight = int(self.values["depth"]), float(self.values["weight"])
        head = incoming.doc_ids[:depth]
        texts = incoming.read_as(head)
        known = [i for i, text in enumerate(texts) if text in self.corpus.place]
        new = maxsim(query, self._tokens([texts[i] for i in known]))
        scores: list[float | None] = [None] * len(head)  # a document without a text keeps its place
        for i, score in zip(known, new.tolist(), strict=True):
            scores[i] = score
        return rerank_head(incoming, depth, mixed(incoming, scores, weight))

    def _tokens(self, docs: list[str]) -> list[NDArray[np.float16]]:
        """Vectors of the documents' tokens: from memory, from the cache, or encoded now."""
        missing = [doc for doc in docs if doc not in self._vectors]
        before = prefixes(self.values, self.encoder)[1]
        texts = [before + text for text in self.corpus.texts(self.values["fields"], missing)]
        fresh = dict(zip(missing, kept_token_vectors(self.encoder, texts, self.cache), strict=True))
        vectors = {doc: fresh[doc] if doc in fresh else self._vectors.pop(doc) for doc in docs}
        self._vectors.update(vectors)  # those used now come last
        size = sum(rows.nbytes for rows in self._vectors.values())
        for doc in list(self._vectors):
            if size <= MEMORY:
                break
            size -= self._vectors.pop(doc).nbytes
        return list(vectors.values())


def open_maxsim(values: Values, ground: Ground) -> _Transform:
    """Finds the model and checks the fields."""
    corpus = ground.documents("rerank_maxsim")
    for name in values["fields"] or ():
        if name not in corpus.fields:
            raise UnknownName(f"field of {corpus.name}", name, corpus.fields)
    ground.wanted.add(token_request(values))
    return _Transform(corpus, ground.cache, values, open_model(values, ground), ground.progress)


OFFERS = (
    Stage(
        name="rerank_maxsim",
        page=__doc__,
        params=PARAMS,
        open=open_maxsim,
        keeps="set",
        depth="depth",
        needs=frozenset({"corpus"}),
        extra="stack",
    ),
)
