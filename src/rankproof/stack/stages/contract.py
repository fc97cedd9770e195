"""What an item on the stages shelf is: Stage, which opens something that transforms rankings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from rankproof.kernel.specs.kinds import Param
from rankproof.reading.collection import Query, Rewritten
from rankproof.reading.ranking import Passed, Ranking
from rankproof.stack.records import Ground, Values


class Transform(Protocol):
    """A stage, opened. `rankings` has an entry for each query: one ranking for each pipeline that flows into it.

    One that loads or encodes what a service would have ready does so in `prepare(queries, rankings)`, where it has one:
    whoever times queries calls it before, with what will come. `notes`, where it has them, say what to know of the
    answers so far.
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
    """One item of the shelf. `page` is the module's docstring: what it does, what it needs, its dials, an example.

    takes    "query" (comes before an engine), "one" ranking, or "many" (two or more pipelines flow into it)
    keeps    what it promises about the documents: "set" (the same ones, as a rerank), "head" (some of the first),
             or "any" of those that flow in (as a fusion)
    depth    the parameter that says how many of the first it reorders; below it nothing moves
    needs    "corpus" where it reads the documents' texts
    extra    the extra that brings its library, for the install line; "" for none
    misfit   for "many": why these values do not go with so many pipelines, as a sentence; "" when they do
    """

    name: str
    page: str
    params: tuple[Param, ...]
    open: Callable[[Values, Ground], Transform | Rewrite]
    takes: Literal["query", "one", "many"] = "one"
    keeps: Literal["set", "head", "any"] = "any"
    depth: str | None = None
    needs: frozenset[str] = frozenset()
    extra: str = ""
    misfit: Callable[[Values, int], str] | None = None

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]
