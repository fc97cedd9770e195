"""Learned fusion: trees that LightGBM trained (LambdaMART) order the documents of several pipelines.

A fusion with weights adds up what its pipelines say. Trees may also learn that one pipeline is right only where another
is silent, or where the query has a number. They see of each document its score, rank and presence in every pipeline,
lengths, and which words of the query its fields have; what they learn is added to reciprocal rank fusion.

`model` is a file that `rankproof tune` writes with method = "train" in [tune]: it trains on the dev queries, takes as
many trees as cross-validation says, and tests on queries it never saw. The file names the pipelines it was trained
with, and other ones are refused. All documents that flow in come out; ties go by document id, descending.

A query that the model was trained on gets no answer, which is counted as a failure: a benchmark over such queries is
undecided. --failed drop compares over the others. A query counts as one of these by its text, or by its id among the
same documents.

assumes: judgments of the dev queries that hold for what is searched; unjudged documents are trained as not relevant
source: Burges, From RankNet to LambdaRank to LambdaMART, MSR-TR-2010-82, 2010; Ke et al., LightGBM, NeurIPS 2017;
    Cormack, Clarke and Buettcher, Reciprocal Rank Fusion, SIGIR 2009
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel.specs.kinds import REQUIRED, Param, Path
from rankproof.reading.collection import Corpus, Query
from rankproof.reading.ranking import Failure, Passed, Ranking
from rankproof.stack.records import Ground, Step, Values
from rankproof.stack.stages._ltr_features import LtrFeatures
from rankproof.stack.stages._ltr_model import LtrModel, read_ltr_model, same_identities
from rankproof.stack.stages.contract import Stage

NAME = "fuse_ltr"


class LearnedFusion:
    """The stage, opened."""

    def __init__(self, model: LtrModel, name: str, corpus: Corpus | None) -> None:
        header = model.header
        self._model, self._name = model, name
        self._corpus = "" if corpus is None else corpus.content_hash
        self._features = LtrFeatures(len(header.keys), None if header.fields is None else corpus, header.fields or ())
        self._changed: list[str] = []
        if self._features.names != header.features:
            raise UsageError(
                f"{name} was trained on other features than this version of rankproof computes (by rankproof "
                f"{header.rankproof}). Train it again: rankproof tune."
            )

    @property
    def identity(self) -> Mapping[str, str]:
        """The file and the documents."""
        return {"model": self._model.content_hash, "lightgbm": self._model.header.lightgbm} | (
            {"corpus": self._corpus} if self._corpus else {}
        )

    @property
    def notes(self) -> Mapping[str, str]:
        """How it was trained, and whether what flows in is what it was trained on."""
        header = self._model.header
        trained = f"{header.trees} trees on {len(header.queries)} queries ({header.split}) for {header.measure}"
        changed = ", ".join(self._changed)
        return {"trained": trained} | (
            {"changed since training": f"models or versions of {changed}"} if changed else {}
        )

    def refuse_inputs(self, inputs: Sequence[Step], depth: int, identities: Sequence[object]) -> None:
        """UsageError where other pipelines flow in than it was trained for."""
        header = self._model.header
        header.refuse_inputs(self._name, inputs, depth)
        pairs = zip(inputs, header.identities, identities, strict=True)
        self._changed = [step.text for step, was, now in pairs if not same_identities([was], [now])]

    def apply(self, queries: Sequence[Query], rankings: Sequence[Sequence[Ranking]]) -> list[Passed]:
        """All documents by what was learned; nothing for a query that was trained on."""
        return [self._one(query, several) for query, several in zip(queries, rankings, strict=True)]

    def _one(self, query: Query, rankings: Sequence[Ranking]) -> Passed:
        if self._model.header.trained_on(query, self._corpus):
            message = (
                f"the model {self._name} was trained on this query, so its answer says nothing. Measure it on other "
                "queries, or leave these out with --failed drop"
            )
            return Passed(Ranking.in_order(()), (Failure(query.query_id, NAME, "trained on", message, "no answer"),))
        candidates = self._features.of(query, rankings, self._model.header.depth)
        if not candidates.doc_ids:
            return Passed(Ranking.in_order(()))
        return Passed(candidates.ranked(self._model.trees.predict(candidates.features)))


def open_learned(values: Values, ground: Ground) -> LearnedFusion:
    """Reads the file, and checks that there are the texts it needs."""
    name: str = values["model"]
    model = read_ltr_model(os.path.join(ground.folder, os.path.expanduser(name)), name)
    corpus = ground.corpus
    if model.header.fields is not None:
        corpus = ground.documents(NAME)
        for field in model.header.fields:
            if field not in corpus.fields:
                raise UnknownName(f"field of {corpus.name}, on which {name} was trained", field, corpus.fields)
    return LearnedFusion(model, name, corpus)


OFFERS = (
    Stage(
        name=NAME,
        page=__doc__,
        params=(Param("model", Path(), REQUIRED, "file of the trained model; `rankproof tune` writes it"),),
        open=open_learned,
        takes="many",
    ),
)
