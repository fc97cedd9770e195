"""Given: vectors of documents from a file, and of queries from a file or a model, for an engine that indexes vectors.

What `_encoded.py` makes with a model, these are read: an index is measured on the vectors that a team has already.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import numpy as np

from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import counted, some
from rankproof.kernel.specs.kinds import Choice, Param, Path
from rankproof.reading.collection import Corpus, Query, Rewritten
from rankproof.stack.engines._encoded import refuse_unknown_fields
from rankproof.stack.models.encoder import Encoder, Vectors, unit
from rankproof.stack.models.find import open_model, prefixes
from rankproof.stack.models.vector_files import VectorFile, read_vector_file
from rankproof.stack.records import Ground, Values

VECTOR_FILE_PARAMS = (
    Param(
        "vectors", Path(), None, "file of the documents' vectors, in place of the model's: .npy, .npz, .jsonl, .parquet"
    ),
    Param(
        "query_vectors", Path(), None, "file of the queries' vectors, by the queries' ids; `model` makes them without"
    ),
    Param(
        "missing", Choice(("refuse", "drop")), "refuse", "vectors: when documents and vectors do not match one to one"
    ),
)
# So many documents are encoded by the model of the queries, to see whether it could have made the vectors of the file.
COMPARED = 8
# The mean cosine below which it hardly did. Vectors of different models have cosines around 0.
ALIKE = 0.5


@dataclass(frozen=True, eq=False)
class GivenVectors:
    """Vectors of a corpus from a file. `queries` is the file of the queries' vectors, or the model that makes them."""

    who: str
    corpus: Corpus
    values: Values
    file: VectorFile
    queries: VectorFile | Encoder

    @property
    def identity(self) -> Mapping[str, str]:
        """Corpus, the hash of the file, and that of the other one or the model."""
        identity = {"corpus": self.corpus.content_hash, "vectors": self.file.content_hash}
        if isinstance(self.queries, VectorFile):
            return {**identity, "query_vectors": self.queries.content_hash}
        model = sha256(self.queries.identity.encode()).hexdigest()
        return {**identity, "model": model, "encoder": self.queries.identity}

    @cached_property
    def notes(self) -> Mapping[str, str]:
        """Documents that cannot be found, vectors of nothing, and whether model and file go together."""
        notes = {}
        without, strange = len(self.corpus) - len(self.doc_ids), len(self.file.ids) - len(self.doc_ids)
        if without:
            notes["without vectors"] = f"{counted(without, 'document')} of {len(self.corpus):,} cannot be found"
        if strange:
            notes["vectors of no document"] = f"{strange:,} of {len(self.file.ids):,} were left out"
        if not isinstance(self.queries, VectorFile) and self.doc_ids:
            notes["the model on documents"] = self._likeness(self.queries)
        return notes

    def _likeness(self, encoder: Encoder) -> str:
        """What the model of the queries makes of some documents, against their vectors in the file."""
        some_ids = self.doc_ids[:: -(-len(self.doc_ids) // COMPARED)]
        before = prefixes(self.values, encoder)[1]
        texts = [before + text for text in self.corpus.texts(self.values["fields"], some_ids)]
        place = {doc: i for i, doc in enumerate(self.doc_ids)}
        own, given = unit(encoder.vectors(texts)), unit(self.vectors[[place[doc] for doc in some_ids]])
        mean = float(np.mean(np.sum(own.astype(np.float64) * given, axis=1)))
        told = f"mean cosine {mean:.2f} with {counted(len(some_ids), 'vector')} of the file"
        return told if mean >= ALIKE else f"{told}: another model, or other texts, made these"

    @property
    def vectors(self) -> Vectors:
        """One for each of `doc_ids`."""
        return self._matched[0]

    @property
    def doc_ids(self) -> tuple[str, ...]:
        """The documents of the corpus that have a vector."""
        return self._matched[1]

    @cached_property
    def _matched(self) -> tuple[Vectors, tuple[str, ...]]:
        row = {doc: i for i, doc in enumerate(self.file.ids)}
        doc_ids = tuple(doc for doc in self.corpus.doc_ids if doc in row)
        return self._measured(self.file.vectors[[row[doc] for doc in doc_ids]]), doc_ids

    @cached_property
    def _query_rows(self) -> Mapping[str, int]:
        assert isinstance(self.queries, VectorFile)
        return {query: i for i, query in enumerate(self.queries.ids)}

    def of_queries(self, queries: Sequence[Query]) -> Vectors:
        """One for each query, from the file by its id, or by the model."""
        if not isinstance(self.queries, VectorFile):
            before = prefixes(self.values, self.queries)[0]
            made = self.queries.vectors([before + query.text for query in queries])
            if len(made) and made.shape[1] != self.file.vectors.shape[1]:
                raise InputError(
                    f"{self.who}: the vectors in {self.file.name} have {self.file.vectors.shape[1]} dimensions, and "
                    f"the model gives {made.shape[1]}. Name the model that made them, or give query_vectors."
                )
            return self._measured(made)
        rewritten = [query.query_id for query in queries if isinstance(query, Rewritten)]
        if rewritten:
            raise UsageError(
                f"{self.who} takes the vectors of queries from {self.queries.name}, by their ids, so a rewrite before "
                "it changes nothing. Take the rewrite out, or name a model in place of query_vectors."
            )
        lacking = [query.query_id for query in queries if query.query_id not in self._query_rows]
        if lacking:
            raise InputError(
                f"{self.who}: {self.queries.name} has no vector for {counted(len(lacking), 'query', 'queries')}: "
                f"{some(lacking)}. Add what is missing, or leave query_vectors out and name the model."
            )
        return self._measured(self.queries.vectors[[self._query_rows[query.query_id] for query in queries]])

    def _measured(self, vectors: Vectors) -> Vectors:
        return unit(vectors) if self.values["similarity"] == "cosine" else np.ascontiguousarray(vectors)


def open_given(who: str, values: Values, ground: Ground) -> GivenVectors:
    """Reads the files; what does not match is refused before anything runs."""
    corpus = ground.documents(who)
    refuse_unknown_fields(values, corpus)
    file = read_vector_file(os.path.join(ground.folder, os.path.expanduser(values["vectors"])))
    refuse_unmatched(who, file.name, file.ids, corpus, drop=values["missing"] == "drop")
    if values["query_vectors"] is None:
        return GivenVectors(who, corpus, values, file, open_model(values, ground))
    queries = read_vector_file(os.path.join(ground.folder, os.path.expanduser(values["query_vectors"])))
    if queries.vectors.shape[1] != file.vectors.shape[1]:
        raise InputError(
            f"{who}: the vectors in {file.name} have {file.vectors.shape[1]} dimensions, and those in {queries.name} "
            f"have {queries.vectors.shape[1]}. Both must be of one model."
        )
    return GivenVectors(who, corpus, values, file, queries)


def refuse_unmatched(who: str, name: str, ids: Sequence[str], corpus: Corpus, drop: bool) -> None:
    """InputError where the ids of a file are not those of the corpus; with `drop`, only where none of them is."""
    known = set(ids)
    without = [doc for doc in corpus.doc_ids if doc not in known]
    strange = [doc for doc in ids if doc not in corpus.place]
    if drop and (len(without) < len(corpus) or not len(corpus)):
        return
    reasons = []
    if without:
        has = "has" if len(without) == 1 else "have"
        reasons.append(f"{counted(len(without), 'document')} of {corpus.name} {has} no vector: {some(without)}")
    if strange:
        are = "is" if len(strange) == 1 else "are"
        reasons.append(f"{counted(len(strange), 'vector')} {are} of no document: {some(strange)}")
    if reasons:
        raise InputError(
            f"{who}: {name} and {corpus.name} do not match: {'; '.join(reasons)}. Bring them together, or set "
            "missing='drop': a document without a vector is then never found, and a vector of no document is left out."
        )
