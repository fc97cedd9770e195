"""Tiny engines and stages for tests of pipelines, put on the shelves for the time of a test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from rankproof.kernel import shelf
from rankproof.kernel.specs.kinds import REQUIRED, Number, Param, Text, Whole
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Failure, Passed, Ranking
from rankproof.stack.engines.contract import Engine
from rankproof.stack.records import Ground
from rankproof.stack.stages.contract import Stage

ASKED: list[str] = []


class Letters:
    """Documents a, b, c ... in the order of the alphabet; the query's words in capitals come first."""

    identity: ClassVar = {"alphabet": "latin"}

    def __init__(self, values: Mapping[str, Any], ground: Ground) -> None:
        self.step = values["step"]

    def search(self, queries: Sequence[Query], depth: int) -> list[Ranking]:
        ASKED.extend(query.text for query in queries)
        return [Ranking.in_order([chr(97 + self.step * i) for i in range(depth)]) for _ in queries]


class Turn:
    """Turns the first `depth` around."""

    identity: Mapping[str, str] = {}

    def __init__(self, values: Mapping[str, Any], ground: Ground) -> None:
        self.depth, self.also = values["depth"], values["also"]

    def apply(self, queries: Sequence[Query], rankings: Sequence[Sequence[Ranking]]) -> list[Passed]:
        passed = []
        for query, (ranking,) in zip(queries, rankings, strict=True):
            docs = [*ranking.doc_ids[: self.depth][::-1], *ranking.doc_ids[self.depth :]]
            if self.also == "loses":
                docs = docs[:-1]
            if self.also == "moves":
                docs = docs[::-1]
            failed = (Failure(query.query_id, "turn", "odd", "it failed"),) if self.also == "fails" else ()
            passed.append(Passed(Ranking.in_order(docs), failed))
        return passed


class Join:
    """All documents, those of the first pipeline first."""

    identity: Mapping[str, str] = {}

    def __init__(self, values: Mapping[str, Any], ground: Ground) -> None:
        pass

    def apply(self, queries: Sequence[Query], rankings: Sequence[Sequence[Ranking]]) -> list[Passed]:
        return [
            Passed(Ranking.in_order(list(dict.fromkeys(doc for ranking in several for doc in ranking.doc_ids))))
            for several in rankings
        ]


class Shout:
    """Queries in capitals."""

    identity: Mapping[str, str] = {}

    def __init__(self, values: Mapping[str, Any], ground: Ground) -> None:
        pass

    def rewrite(self, queries: Sequence[Query]) -> list[Query]:
        return [Query(query.query_id, query.text.upper(), query.columns) for query in queries]


ENGINES = (
    Engine("letters", "Letters of the alphabet.", (Param("step", Whole(1), 1, "how many letters apart"),), Letters),
)
STAGES = (
    Stage(
        "turn", "Turns the head around.",
        (Param("depth", Whole(1), 3, "how many"), Param("also", Text(), "nothing", "what it does wrong")),
        Turn, keeps="set", depth="depth",
    ),
    Stage("join", "Joins.", (Param("weight", Number(0), 1.0, "not used"),), Join, takes="many"),
    Stage("shout", "In capitals.", (Param("how", Text(), REQUIRED, "how loud"),), Shout, takes="query"),
)  # fmt: skip


@contextmanager
def on_shelves() -> Iterator[None]:
    """The items above, besides those that are there."""
    added = {"engines": ENGINES, "stages": STAGES}
    for name, items in added.items():
        shelf.everything(name)
        shelf._loaded[name].update({item.name: item for item in items})
    ASKED.clear()
    try:
        yield
    finally:
        for name, items in added.items():
            for item in items:
                del shelf._loaded[name][item.name]
