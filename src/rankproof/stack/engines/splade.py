"""Learned sparse search: a language model weighs the terms of a text, and adds terms that the text does not have.

A document's score is the sum, over the terms it shares with the query, of the product of their weights. `model` is a
folder with model.onnx (a masked language model, whose logits become weights as in SPLADE), tokenizer.json and
config.json, or a name on the hub that has a graph. `vectors` names a file of terms and weights in its place, made
elsewhere: JSON lines such as {"id": "d1", "vector": {"tent": 1.5, "camping": 0.7}}; `query_vectors` is the same for
queries. Files and corpus must match one to one unless missing="drop".

queries="model" encodes each query, as a service would. queries="words" runs no model for a query: its terms are those
of the tokenizer (without a model, its words in small letters), each once, with the weight that idf.json in the model's
folder gives it, or else ln(1 + (N - n + 0.5) / (n + 0.5)) for a term that n of N documents have.

Vectors of documents are kept in the cache; a changed text is encoded anew. Scores are exact sums in 64 bits, rounded to
four decimals; documents that share no term with the query are not results, and ties go by id, descending.

shown on: in this process, on small models and files of terms that the tests make; not on a trained model
assumes: texts in a language the model was trained on
source: Formal et al., SPLADE v2, arXiv 2109.10086, 2021; queries without a model: Geng et al., Towards Competitive
    Search Relevance For Inference-Free Learned Sparse Retrievers, arXiv 2411.04403, 2024
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.kernel.cache import Cache
from rankproof.kernel.progress import Progress
from rankproof.kernel.sections import counted, some
from rankproof.kernel.specs.kinds import Choice, Param, Path, Text, Texts, Whole
from rankproof.reading.collection import Corpus, Query, Rewritten
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines._encoded import refuse_unknown_fields
from rankproof.stack.engines._given import refuse_unmatched
from rankproof.stack.engines._in_process import NOTHING
from rankproof.stack.engines.contract import Engine
from rankproof.stack.models.sparse import SparseFile, SpladeEncoder, open_sparse, rarity, read_sparse_file
from rankproof.stack.records import Ground, Values

DECIMALS = 4
_WORD = re.compile(r"\w+")
Weights = Mapping[str, float]


class InvertedIndex:
    """Documents by term: of term t, `doc` and `weight` from start[t] to start[t + 1]."""

    def __init__(
        self,
        doc_ids: tuple[str, ...],
        terms: Sequence[str],
        place: NDArray[np.int64],
        doc: NDArray[np.int32],
        weight: NDArray[np.float32],
    ) -> None:
        self._doc_ids = doc_ids
        order = np.lexsort((doc, place))
        self._start = np.searchsorted(place[order], np.arange(len(terms) + 1))
        self._doc, self._weight = doc[order], weight[order].astype(np.float64)
        self._number = {term: i for i, term in enumerate(terms)}
        by_id = np.argsort([doc.encode("utf-8", "surrogateescape") for doc in doc_ids], kind="stable")[::-1]
        self._by_id = np.empty(len(doc_ids), dtype=np.int64)
        self._by_id[by_id] = np.arange(len(by_id))

    def __len__(self) -> int:
        return len(self._doc)

    def having(self, term: str) -> int:
        """How many documents have a term."""
        at = self._number.get(term)
        return 0 if at is None else int(self._start[at + 1] - self._start[at])

    def search(self, query: Weights, depth: int) -> Ranking:
        """The documents that share a term with the query, by the sum of products."""
        scores = np.zeros(len(self._doc_ids))
        met = np.zeros(len(self._doc_ids), dtype=bool)
        for number, weight in sorted((self._number[term], w) for term, w in query.items() if term in self._number):
            rows = slice(self._start[number], self._start[number + 1])
            scores[self._doc[rows]] += weight * self._weight[rows]
            met[self._doc[rows]] = True
        places = np.flatnonzero(met)
        if not len(places):
            return NOTHING
        rounded = np.round(scores[places], DECIMALS)
        first = np.lexsort((self._by_id[places], -rounded))[:depth]
        return Ranking(tuple(self._doc_ids[i] for i in places[first].tolist()), rounded[first])


@dataclass(frozen=True, eq=False)
class _SparseSearcher:
    corpus: Corpus
    cache: Cache
    values: Values
    encoder: SpladeEncoder | None
    file: SparseFile | None
    queries: SparseFile | None
    progress: Progress

    @property
    def identity(self) -> Mapping[str, str]:
        identity = {"corpus": self.corpus.content_hash}
        if self.encoder is not None:
            identity["model"] = sha256(self.encoder.identity.encode()).hexdigest()
            identity["encoder"] = self.encoder.identity
            if self.values["queries"] == "words" and self.encoder.idf_hash:
                identity["idf"] = self.encoder.idf_hash
        files = {"vectors": self.file, "query_vectors": self.queries}
        return {**identity, **{name: file.content_hash for name, file in files.items() if file is not None}}

    @property
    def notes(self) -> Mapping[str, str]:
        """How many terms documents have, once they are indexed; documents and vectors that do not match."""
        notes = {}
        if "index" in self.__dict__:
            notes["terms"] = f"{len(self.index) / max(1, len(self.corpus)):.1f} of a document on average"
        if self.file is not None:
            without = sum(doc not in self.file.vectors for doc in self.corpus.doc_ids)
            strange = sum(doc not in self.corpus.place for doc in self.file.vectors)
            if without:
                notes["without vectors"] = f"{counted(without, 'document')} of {len(self.corpus):,} cannot be found"
            if strange:
                notes["vectors of no document"] = f"{strange:,} of {len(self.file.vectors):,} were left out"
        return notes

    def prepare(self) -> None:
        """Encodes the documents and builds the index, so that the first query does not pay for it."""
        _ = self.index

    @cached_property
    def index(self) -> InvertedIndex:
        return self._of_file(self.file) if self.file is not None else self._of_model()

    def _of_file(self, file: SparseFile) -> InvertedIndex:
        vectors = [file.vectors.get(doc, {}) for doc in self.corpus.doc_ids]
        terms = sorted({term for vector in vectors for term in vector})
        number = {term: i for i, term in enumerate(terms)}
        place = np.array([number[term] for vector in vectors for term in vector], dtype=np.int64)
        weight = np.array([w for vector in vectors for w in vector.values()], dtype=np.float32)
        return self._indexed(terms, place, [len(vector) for vector in vectors], weight)

    def _of_model(self) -> InvertedIndex:
        assert self.encoder is not None

        def report(done: int, total: int) -> None:
            self.progress("splade: encoding document", done, total)

        rows = self.encoder.kept().rows(self.corpus.texts(self.values["fields"]), self.cache, report)
        names = self.encoder.names
        most = max([*names, *(int(row.terms[-1]) for row in rows if len(row.terms))], default=-1)
        terms = [names.get(i, f"\0{i}") for i in range(most + 1)]
        place = np.concatenate([np.empty(0, np.int64), *(row.terms for row in rows)]).astype(np.int64)
        weight = np.concatenate([np.empty(0, np.float32), *(row.weights for row in rows)])
        return self._indexed(terms, place, [len(row.terms) for row in rows], weight)

    def _indexed(
        self, terms: Sequence[str], place: NDArray[np.int64], lengths: Sequence[int], weight: NDArray[np.float32]
    ) -> InvertedIndex:
        doc = np.repeat(np.arange(len(self.corpus), dtype=np.int32), np.array(lengths, dtype=np.int64))
        return InvertedIndex(self.corpus.doc_ids, terms, place, doc, weight)

    def search(self, queries: Sequence[Query], depth: int) -> list[Ranking]:
        return [self.index.search(weights, depth) for weights in self._weights(queries)]

    def _weights(self, queries: Sequence[Query]) -> list[Weights]:
        """The terms of each query, with weights."""
        if self.queries is not None:
            return [_of_query(query, self.queries) for query in queries]
        texts = [query.text for query in queries]
        if self.values["queries"] == "words":
            return [{term: self._idf(term) for term in terms} for terms in self._words(texts)]
        assert self.encoder is not None
        names = self.encoder.names
        return [
            {names.get(t, f"\0{t}"): w for t, w in zip(v.terms.tolist(), v.weights.tolist(), strict=True)}
            for v in self.encoder.vectors(texts)
        ]

    def _words(self, texts: Sequence[str]) -> list[list[str]]:
        if self.encoder is None:
            return [sorted(Counter(_WORD.findall(text.lower()))) for text in texts]
        names = self.encoder.names
        return [[names[number] for number in numbers.tolist()] for numbers in self.encoder.words(texts)]

    def _idf(self, term: str) -> float:
        table = None if self.encoder is None else self.encoder.idf
        return rarity(len(self.corpus), self.index.having(term)) if table is None else table.get(term, 0.0)


def _of_query(query: Query, file: SparseFile) -> Weights:
    if isinstance(query, Rewritten):
        raise UsageError(
            f"splade takes the vectors of queries from {file.name}, by their ids, so a rewrite before it changes "
            "nothing. Take the rewrite out, or set queries='words'."
        )
    if query.query_id not in file.vectors:
        raise InputError(
            f"splade: {file.name} has no vector for the query {query.query_id!r}; it has "
            f"{some(list(file.vectors))}. Add it, or leave query_vectors out and set queries='words'."
        )
    return file.vectors[query.query_id]


def open_splade(values: Values, ground: Ground) -> _SparseSearcher:
    """Finds the model and reads the files; what does not match is refused before anything runs."""
    corpus = ground.documents("splade")
    refuse_unknown_fields(values, corpus)
    _refuse_choices(values)
    encoder = None
    if values["model"] is not None:
        encoder = open_sparse(values["model"], ground.folder, values["length"], ground.threads)
    file, queries = (
        None
        if values[name] is None
        else read_sparse_file(os.path.join(ground.folder, os.path.expanduser(values[name])))
        for name in ("vectors", "query_vectors")
    )
    if file is not None:
        refuse_unmatched("splade", file.name, tuple(file.vectors), corpus, drop=values["missing"] == "drop")
    if encoder is not None and values["queries"] == "words":
        _ = encoder.idf
    return _SparseSearcher(corpus, ground.cache, values, encoder, file, queries, ground.progress)


def _refuse_choices(values: Values) -> None:
    """UsageError where documents or queries have nothing that weighs their terms."""
    if values["model"] is None and values["vectors"] is None:
        raise UsageError(
            "splade: name a model (a folder with model.onnx, or a name on the hub), or vectors, a file of terms and "
            "weights."
        )
    if values["query_vectors"] is not None and values["vectors"] is None:
        raise UsageError("splade: query_vectors goes with vectors, the file of the documents' vectors. Name both.")
    if values["queries"] == "words" and values["query_vectors"] is not None:
        raise UsageError("splade: queries='words' and query_vectors say two things of the queries. Leave one out.")
    if values["model"] is None and values["query_vectors"] is None and values["queries"] == "model":
        raise UsageError(
            "splade: vectors of documents are given, but none of queries. Name query_vectors or a model, or set "
            "queries='words'."
        )


OFFERS = (
    Engine(
        name="splade",
        page=__doc__,
        params=(
            Param("model", Text(), None, "a folder with a masked language model as ONNX, or a name on the hub"),
            Param("vectors", Path(), None, "file of the documents' terms and weights, in place of the model's"),
            Param("query_vectors", Path(), None, "file of the queries' terms and weights, by the queries' ids"),
            Param("queries", Choice(("model", "words")), "model", "what weighs the terms of a query"),
            Param("missing", Choice(("refuse", "drop")), "refuse", "vectors: when documents and vectors do not match"),
            Param(
                "length", Whole(8), None, "most tokens of a text that are read; as the model says when nothing is said"
            ),
            Param("fields", Texts(), None, "fields whose texts are joined; all when nothing is said"),
        ),
        open=open_splade,
        needs=frozenset({"corpus"}),
        extra="stack",
    ),
)
