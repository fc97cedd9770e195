"""Makes documents of chunks: the best chunk of each document stands for it.

Which document a chunk belongs to is said by one of two. `pattern`: a separator, with the document's id before its first
occurrence, or a regular expression whose group is the document's id. `mapping`: a file with chunk_id and doc_id (CSV,
TSV, JSON or JSON lines), named from the configuration's folder. Chunks without a document are `unmapped`: "refuse"
stops with the first few of them (the default with a mapping), "keep" makes each a document of its own (the default with
a pattern), "drop" leaves them out.

score = "max" (the default) is the score of the best chunk, and documents keep its order. "sum" and "mean" are those of
a document's first `of` chunks among those that flowed in; where it has fewer, of those it has. A sum of scores below 0
lowers documents with many chunks: take the mean, or normalize before.

Ten documents may need fifty chunks. `chunks` is how many the engines before this stage are asked for, in place of the
benchmark's depth; the notes say how many documents came of them, and for which share of the queries fewer than ten did.
A rerank after this stage reads the text of a document's best chunk, or its own where the corpus has documents.

assumes: judgments of documents, and scores of which a higher one is better
source: Dai and Callan, Deeper text understanding for IR with contextual neural language modeling, SIGIR 2019 (MaxP)

>>> from rankproof.testing import passed
>>> passed("collapse", {"a#1": 3.0, "b#1": 2.0, "a#2": 1.5, "b#2": 1.0}, pattern="#")
{'a': 3.0, 'b': 2.0}
>>> passed("collapse", {"a#1": 3.0, "b#1": 2.5, "b#2": 1.0}, pattern="#", score="sum")
{'b': 3.5, 'a': 3.0}
"""

from __future__ import annotations

import math
import os
from collections.abc import Container, Mapping, Sequence
from pathlib import Path as FilePath

import numpy as np

from rankproof.errors import InputError, UsageError
from rankproof.kernel.specs.kinds import Choice, Param, Path, Text, Whole
from rankproof.reading.chunk_map import UNMAPPED, ChunkMap, chunk_map
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Passed, Ranking
from rankproof.stack.records import Ground, Values
from rankproof.stack.stages.contract import Stage

NAME = "collapse"
# Where the notes look for queries with few documents: what a person sees on a first page.
FEW = 10


class Collapsed:
    """The stage, opened. Counts what flowed through it since `prepare`, for the notes."""

    def __init__(self, values: Values, ground: Ground, by: ChunkMap) -> None:
        self._texts: Container[str] = () if ground.corpus is None else ground.corpus.place
        self._by, self._score, self._of = by, values["score"], values["of"]
        self._sizes: list[tuple[int, int]] = []  # chunks and documents of each query
        self._unmapped = 0

    @property
    def identity(self) -> Mapping[str, str]:
        """The pairs of the mapping; a pattern is among the parameters."""
        return {"mapping": self._by.identity} if self._by.identity.startswith("sha256:") else {}

    @property
    def notes(self) -> Mapping[str, str]:
        """How many documents came of how many chunks."""
        if not self._sizes:
            return {}
        chunks, documents = (np.array(column) for column in zip(*self._sizes, strict=True))
        few = float((documents < FEW).mean())
        note = (
            f"{documents.mean():.1f} of {chunks.mean():.1f} chunks a query, {documents.min()} at least; "
            f"{few:.1%} of the queries have fewer than {FEW}"
        )
        if not self._unmapped:
            return {"documents": note}
        fate = "left out" if self._by.unmapped == "drop" else "kept under their own ids"
        return {"documents": note, "chunks without a document": f"{self._unmapped:,}, {fate}"}

    def prepare(self, queries: Sequence[Query], rankings: Sequence[Sequence[Ranking]]) -> None:
        """Refuses chunks that will come, before the first one does; and counts anew for every pipeline it stands in."""
        self._sizes, self._unmapped = [], 0
        flowing = dict.fromkeys(chunk for (ranking,) in rankings for chunk in ranking.doc_ids)
        self._by.documents(tuple(flowing), NAME)

    def apply(self, queries: Sequence[Query], rankings: Sequence[Sequence[Ranking]]) -> list[Passed]:
        """Each ranking of chunks as one of documents."""
        return [Passed(self._one(query, ranking)) for query, (ranking,) in zip(queries, rankings, strict=True)]

    def _one(self, query: Query, incoming: Ranking) -> Ranking:
        scores: dict[str, list[float]] = {}
        texts: dict[str, str] = {}
        for chunk, score in zip(incoming.doc_ids, incoming.scores.tolist(), strict=True):
            doc = self._document(query, chunk)
            if doc is not None:
                text = incoming.text_ids.get(chunk, chunk)
                if doc not in scores and text in self._texts:
                    texts[doc] = text
                scores.setdefault(doc, []).append(score)
        self._sizes.append((len(incoming), len(scores)))
        if self._score == "max":
            return Ranking(tuple(scores), np.array([own[0] for own in scores.values()], dtype=np.float64), texts)
        totals = [math.fsum(own[: self._of]) for own in scores.values()]
        if self._score == "mean":
            totals = [total / min(len(own), self._of) for total, own in zip(totals, scores.values(), strict=True)]
        ranking = Ranking.of(list(scores), totals)
        return Ranking(ranking.doc_ids, ranking.scores, texts)

    def _document(self, query: Query, chunk: str) -> str | None:
        """The document of a chunk; None where it is left out."""
        doc = self._by(chunk)
        if doc is not None:
            return doc
        if self._by.unmapped == "refuse":
            raise InputError(
                f"{NAME}, query {query.query_id!r:.80}: the chunk {chunk!r:.80} has no document by {self._by.name}. "
                f"{self._by.remedy} Or say what happens to such chunks: unmapped='keep' or unmapped='drop'."
            )
        self._unmapped += 1
        return chunk if self._by.unmapped == "keep" else None


def open_collapse(values: Values, ground: Ground) -> Collapsed:
    """Reads the mapping; holes of it are told before anything runs where the corpus is one of chunks and shows them."""
    pattern, mapping = values["pattern"], values["mapping"]
    if (pattern is None) == (mapping is None):
        got = "both" if pattern is not None else "neither"
        raise UsageError(f"{NAME} takes a pattern such as '#', or a mapping such as 'chunks.csv'; got {got}.")
    what = pattern if mapping is None else FilePath(os.path.join(ground.folder, mapping))
    by = chunk_map(what, values["unmapped"])
    if ground.corpus is not None and any(by(chunk) is not None for chunk in ground.corpus):
        by.documents(ground.corpus.doc_ids, ground.corpus.name)
    return Collapsed(values, ground, by)


OFFERS = (
    Stage(
        name=NAME,
        page=__doc__,
        params=(
            Param("pattern", Text(), None, "a separator, or a regular expression with a group: the document's id"),
            Param("mapping", Path(), None, "a file with chunk_id and doc_id"),
            Param("unmapped", Choice(UNMAPPED), None, "chunks without a document"),
            Param("score", Choice(("max", "sum", "mean")), "max", "a document's score, of those of its chunks"),
            Param("of", Whole(), 3, "sum and mean: how many chunks of a document count"),
            Param(
                "chunks", Whole(), None, "how many the engines before are asked for; the benchmark's depth otherwise"
            ),
        ),
        open=open_collapse,
        keeps="other",
        asks="chunks",
    ),
)
