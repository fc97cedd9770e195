"""What stages share: scores brought to one scale, weighted sums of pipelines, and what rerankers read and mix."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.kernel.sections import counted
from rankproof.kernel.specs.kinds import Kind, Param, show_number
from rankproof.reading.collection import Corpus
from rankproof.reading.ranking import Ranking
from rankproof.stack.records import Values

Scores = NDArray[np.float64]

# Beyond it a difference or a square may leave the range of numbers; a power of two changes no digit.
_VAST, _DOWN = 1e150, 2.0**-600


def minmax(scores: Scores) -> Scores:
    """From 0 for the last to 1 for the first; 1 for all when they are alike."""
    scores = _within(scores)
    span = np.ptp(scores) if len(scores) else 0.0
    return (scores - scores.min()) / span if span else np.ones(len(scores))


def zscore(scores: Scores) -> Scores:
    """Mean 0 and standard deviation 1; 0 for all when they are alike."""
    scores = _within(scores)
    spread = scores.std() if len(scores) and np.ptp(scores) else 0.0
    return (scores - scores.mean()) / spread if spread else np.zeros(len(scores))


def total(scores: Scores) -> Scores:
    """0 for the last, and 1 for all together; equal parts when they are alike."""
    above = minmax(scores)
    return above / above.sum() if len(above) else above


def by_rank(scores: Scores) -> Scores:
    """1 for the first, 1/n less for each below it."""
    n = len(scores)
    return 1 - np.arange(n) / max(n, 1)


def _within(scores: Scores) -> Scores:
    return scores * _DOWN if len(scores) and np.abs(scores).max() > _VAST else scores


@dataclass(frozen=True, slots=True)
class Weights(Kind):
    """A number from 0 on for each pipeline, not all of them 0."""

    def read(self, value: object) -> tuple[float, ...]:
        """The numbers."""
        numbers = tuple(value) if isinstance(value, list | tuple) else ()
        right = all(isinstance(n, int | float) and not isinstance(n, bool) and 0 <= n <= 1e9 for n in numbers)
        if not right or not any(numbers):
            raise ValueError(f"must be a list of numbers from 0 to 1e9, not all 0, such as [0.7, 0.3]; got {value!r}")
        return tuple(float(n) for n in numbers)

    def show(self, value: tuple[float, ...] | None) -> str:
        """The numbers with commas."""
        return ", ".join(show_number(number) for number in value) if value else "all 1"


WEIGHTS = Param("weights", Weights(), None, "what each pipeline counts, in their order; all 1 when nothing is said")


def misfit(values: Values, pipelines: int) -> str:
    """Why the weights do not go with so many pipelines."""
    weights = values["weights"]
    if weights is None or len(weights) == pipelines:
        return ""
    return f"got {counted(len(weights), 'weight')} for {counted(pipelines, 'pipeline')}. Give one for each."


def weights_for(values: Values, pipelines: int) -> tuple[float, ...]:
    """A weight for each pipeline."""
    why = misfit(values, pipelines)
    if why:
        raise UsageError(f"The fusion cannot be made: {why}")
    return values["weights"] or (1.0,) * pipelines


def summed(tables: Sequence[tuple[Mapping[str, float], float]]) -> Ranking:
    """The documents by the sum of their scores: each entry is a table, and the score of the documents that it lacks.

    The sum is rounded once, so that it does not depend on the order of the pipelines: 3 + 1 + 2 ties with 1 + 2 + 3.
    """
    docs = list(dict.fromkeys(doc for table, _ in tables for doc in table))
    return Ranking.of(docs, [math.fsum(table.get(doc, least) for table, least in tables) for doc in docs])


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
