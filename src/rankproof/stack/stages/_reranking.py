"""Reranking: the text of a document that a model reads, and the ranking with its head in a new order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

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


def reranked(incoming: Ranking, depth: int, scores: Sequence[float | None] | NDArray[np.floating]) -> Ranking:
    """The first `depth` documents by new scores, one for each in the incoming order; nothing below them moves.

    None stands for a score that could not be had: that document keeps its place and the others share the places that
    are left. Equal scores leave the incoming order. The scores that come out are the new ones, raised all alike when
    that is needed to stand above the tail, and set apart by the least step of a 32-bit number where they would tie, so
    that no reader of a run file orders them otherwise. The tail keeps its scores.
    """
    head = min(depth, len(incoming))
    if len(scores) != head:
        raise ValueError(f"{head} documents to rerank and {len(scores)} scores")
    values = [None if score is None else float(score) for score in scores]
    places = [i for i, score in enumerate(values) if score is not None]
    if not places:
        return incoming
    numbers = np.array([score for score in values if score is not None])
    if not np.isfinite(numbers).all():
        raise ValueError("a new score is not finite")
    turn = list(range(head))
    for place, best in zip(places, np.argsort(-numbers, kind="stable"), strict=True):
        turn[place] = places[best]
    falling = _falling([values[i] for i in turn], incoming.scores[head:])
    return Ranking(
        tuple(incoming.doc_ids[i] for i in turn) + incoming.doc_ids[head:],
        np.concatenate([falling, incoming.scores[head:]]),
    )


def reordered(incoming: Ranking, order: Sequence[str]) -> Ranking:
    """The head in this order: `order` names its documents, each once; nothing below them moves."""
    head = incoming.doc_ids[: len(order)]
    if len(set(order)) != len(order) or set(order) != set(head):
        raise ValueError("a new order must name the documents of the head, each once")
    points = {doc: float(len(order) - i) for i, doc in enumerate(order)}
    return reranked(incoming, len(order), [points[doc] for doc in head])


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


def _falling(scores: list[float | None], tail: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores in their final order, made strictly falling and strictly above the tail."""
    least = min(score for score in scores if score is not None)
    top = float(tail[0]) if len(tail) else None
    lift = top + 1.0 - least if top is not None and least <= top else 0.0
    # Where a reader keeps 32-bit numbers, two scores a smaller step apart would tie, and ties go by id.
    small = max(abs(least), abs(lift), *(abs(score) for score in scores if score is not None)) < 1e30
    kind = np.float32 if small else np.float64
    out = np.empty(len(scores))
    below: np.floating | None = None if top is None else kind(top)
    for i in reversed(range(len(scores))):
        score = scores[i]
        value = kind(score + lift) if score is not None else below if below is not None else kind(least + lift)
        if below is not None and value <= below:
            value = np.nextafter(below, kind(np.inf))
        out[i], below = value, value
    return out


__all__ = ["mixed", "reordered", "reranked"]
