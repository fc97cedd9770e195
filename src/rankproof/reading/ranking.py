"""Ranking: the documents of one query, best first, as an engine or a stage gives them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.llm.answer import NO_USAGE, Usage


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Documents, best first, none twice, and a score for each that never rises from one to the next.

    A stage that reorders keeps this: where its own scores would not put the documents into this order (as when the
    head was reranked and the tail was not), it gives scores that do.

    text_ids   by document the id whose text stands for it, where that is not its own: the best chunk of a document
    hit_fields by document what an engine's answer said of it, field by field: what people who searched saw
    """

    doc_ids: tuple[str, ...]
    scores: NDArray[np.float64]
    text_ids: Mapping[str, str] = field(default_factory=dict)
    hit_fields: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.scores) != len(self.doc_ids):
            raise ValueError(f"{len(self.doc_ids)} documents and {len(self.scores)} scores")
        if len(set(self.doc_ids)) != len(self.doc_ids):
            raise ValueError("a document stands twice in a ranking")
        if len(self.scores) and not (np.isfinite(self.scores).all() and (np.diff(self.scores) <= 0).all()):
            raise ValueError("scores must be finite and must not rise from one document to the next")

    def __len__(self) -> int:
        return len(self.doc_ids)

    def read_as(self, doc_ids: Iterable[str]) -> tuple[str, ...]:
        """The ids whose texts stand for these documents: their own where nothing else is said."""
        return tuple(self.text_ids.get(doc, doc) for doc in doc_ids)

    @classmethod
    def of(cls, doc_ids: list[str] | tuple[str, ...], scores: NDArray[np.float64] | list[float]) -> Ranking:
        """The ranking of scored documents: by score, ties by id descending, as runs are ordered."""
        numbers = np.asarray(scores, dtype=np.float64)
        ids = np.array(doc_ids, dtype=object)
        by_id = np.argsort([doc.encode("utf-8", "surrogateescape") for doc in doc_ids], kind="stable")[::-1]
        turn = by_id[np.argsort(-numbers[by_id], kind="stable")]
        return cls(tuple(ids[turn]), numbers[turn])

    @classmethod
    def in_order(cls, doc_ids: list[str] | tuple[str, ...]) -> Ranking:
        """A ranking that is only an order: scores from n down to 1."""
        return cls(tuple(doc_ids), np.arange(len(doc_ids), 0, -1, dtype=np.float64))


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure for one query that did not stop the work; it is counted and shown, never hidden.

    kind      a word that counts: "missing ids", "unknown ids", "repeated ids", "unreadable answer", "cut off",
              "timeout", "refused", ...
    fallback  what is used instead: "incoming order", "no answer"
    """

    query_id: str
    stage: str
    kind: str
    message: str
    fallback: str = "incoming order"


@dataclass(frozen=True, slots=True, eq=False)
class Passed:
    """The result of a stage for one query.

    kept    its answers were read from the cache, so its time means nothing
    saved   milliseconds that the part which came from the cache took when it was made: they belong to its time
    usage   what it asked a language model, answers from the cache included
    """

    ranking: Ranking
    failures: tuple[Failure, ...] = ()
    kept: bool = False
    saved: float = 0.0
    usage: Usage = NO_USAGE


@dataclass(frozen=True, slots=True, eq=False)
class Answered:
    """The answer of an engine to one query, its time, and the failures on the way.

    milliseconds   from asking to the answer, without waiting for its turn and without attempts that failed; None where
                   there is no answer or it was not timed
    attempts       how many requests were sent
    kept           the answer is from an earlier fetch, and so are its milliseconds
    day            of a kept answer the day it was made (UTC), such as 2026-01-31; "" where it is not known
    """

    query_id: str
    ranking: Ranking
    milliseconds: float | None = None
    attempts: int = 1
    failures: tuple[Failure, ...] = field(default=())
    kept: bool = False
    day: str = ""
