"""What rerankers share: the text of a document that a model reads, and new scores mixed with the incoming ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankproof.errors import UsageError
from rankproof.reading.collection import Corpus
from rankproof.reading.ranking import Ranking
from rankproof.stack.stages._scaling import minmax


def passages(corpus: Corpus, doc_ids: Sequence[str], fields: Sequence[str] | None, characters: int) -> list[str | None]:
    """The text of each document, without line ends; None for one that the corpus does not have."""
    known = [doc for doc in doc_ids if doc in corpus.place]
    flat = (" ".join(text[: 4 * characters].split())[:characters].rstrip() for text in corpus.texts(fields, known))
    texts = dict(zip(known, flat, strict=True))
    return [texts.get(doc) for doc in doc_ids]


def refuse_fields(who: str, corpus: Corpus, fields: Sequence[str] | None) -> None:
    """An error for a field that the corpus does not have; asked before anything runs."""
    lacking = [name for name in fields or () if name not in corpus.fields]
    if lacking:
        raise UsageError(
            f"{who}: {corpus.name} has no field {lacking[0]!r}. Its fields: {', '.join(corpus.fields) or 'none'}."
        )


def mixed(incoming: Ranking, scores: Sequence[float | None], weight: float) -> list[float | None]:
    """New scores of the head with a share of the incoming ones, each brought to 0 to 1 over those that have both.

    weight = 1 gives the new scores as they are, 0 the incoming order; None stays None.
    """
    there = [i for i, score in enumerate(scores) if score is not None]
    out = list(scores)
    if weight < 1 and there:
        new = minmax(np.array([scores[i] for i in there], dtype=np.float64))
        for i, score in zip(there, weight * new + (1 - weight) * minmax(incoming.scores[there]), strict=True):
            out[i] = float(score)
    return out
