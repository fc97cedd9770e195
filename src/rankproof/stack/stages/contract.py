"""What an item on the stages shelf is: Stage, which opens something that transforms rankings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.specs.kinds import Param
from rankproof.reading.collection import Query, Rewritten
from rankproof.reading.ranking import Passed, Ranking
from rankproof.stack.records import Ground, Values


class Transform(Protocol):
    """A stage, opened. `rankings` has an entry for each query: one ranking for each pipeline that flows into it.

    One that loads or encodes what a service would have ready does so in `prepare(queries, rankings)`, where it has one:
    whoever times queries calls it before, with what will come. `notes`, where it has them, say what to know of the
    answers so far. One that was trained for certain pipelines has `refuse_inputs(steps, depth, identities)`, which is
    called before anything runs with those that flow in, and what each of their steps depends on.
    """

    @property
    def identity(self) -> Mapping[str, str]:
        """What its answers depend on besides its parameters and what flows in: hashes of models, endpoints."""

    def apply(self, queries: Sequence[Query], rankings: Sequence[Sequence[Ranking]]) -> list[Passed]:
        """For each query what comes out, with the failures that were survived. Never loses a document of a rerank."""


class Rewrite(Protocol):
    """A stage before the engine, opened: it gives each query other words."""

    @property
    def identity(self) -> Mapping[str, str]:
        """What its answers depend on besides its parameters."""

    def rewrite(self, queries: Sequence[Query]) -> list[Rewritten]:
        """Each query with its id and columns, the words to search with, and the failures that were survived."""


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """One item of the shelf. `page` is the module's docstring: what it does, what it needs, its parameters, an example.

    takes    "query" (comes before an engine), "one" ranking, or "many" (two or more pipelines flow into it)
    keeps    what it promises about the documents: "set" (the same ones, as a rerank), "head" (some of the first),
             "any" of those that flow in (as a fusion), or "other" ones in their place (documents for chunks)
    depth    the parameter that says how many of the first it reorders; below it nothing moves
    asks     the parameter that says how many documents the engines before it are asked for, where it has a value
    needs    "corpus" where it reads the documents' texts
    extra    the extra that brings its library, for the install line; "" for none
    misfit   for "many": why these values do not go with so many pipelines, as a sentence; "" when they do
    """

    name: str
    page: str
    params: tuple[Param, ...]
    open: Callable[[Values, Ground], Transform | Rewrite]
    takes: Literal["query", "one", "many"] = "one"
    keeps: Literal["set", "head", "any", "other"] = "any"
    depth: str | None = None
    asks: str | None = None
    needs: frozenset[str] = frozenset()
    extra: str = ""
    misfit: Callable[[Values, int], str] | None = None

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]


def rerank_head(incoming: Ranking, depth: int, scores: Sequence[float | None] | NDArray[np.floating]) -> Ranking:
    """The first `depth` documents by new scores, one for each in the incoming order; nothing below them moves.

    None stands for a score that could not be computed: that document keeps its place and the others share the places
    that are left. Equal scores leave the incoming order. The scores that come out are the new ones, raised all alike
    when that is needed to stand above the tail, and set apart by the least step of a 32-bit number where they would
    tie, so that no reader of a run file orders them otherwise. The tail keeps its scores.
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
    order = list(range(head))
    for place, best in zip(places, np.argsort(-numbers, kind="stable"), strict=True):
        order[place] = places[best]
    falling = _falling([values[i] for i in order], incoming.scores[head:])
    return Ranking(
        tuple(incoming.doc_ids[i] for i in order) + incoming.doc_ids[head:],
        np.concatenate([falling, incoming.scores[head:]]),
    )


def reorder_head(incoming: Ranking, order: Sequence[str]) -> Ranking:
    """The head in this order: `order` names its documents, each once; nothing below them moves."""
    head = incoming.doc_ids[: len(order)]
    if len(set(order)) != len(order) or set(order) != set(head):
        raise ValueError("a new order must name the documents of the head, each once")
    points = {doc: float(len(order) - i) for i, doc in enumerate(order)}
    return rerank_head(incoming, len(order), [points[doc] for doc in head])


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
