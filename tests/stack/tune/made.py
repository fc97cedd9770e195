"""A collection and an engine small enough to tune by hand.

`spelled(first=...)` answers every query with the letters a to f, the one named first. Which letter is
relevant depends on the query, so the value of a setting can be counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, ClassVar

from tests.stack.pipeline.items import on_shelves

from rankproof.kernel import shelf
from rankproof.kernel.cache import NO_CACHE, Cache
from rankproof.kernel.specs.kinds import Param, Text, Whole
from rankproof.reading.collect import read_qrels
from rankproof.reading.collection import Query
from rankproof.reading.datasets.records import Dataset
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines.contract import Engine
from rankproof.stack.pipeline import Runner
from rankproof.stack.records import Ground
from rankproof.stack.tune.config import halves, tune_config_of
from rankproof.stack.tune.records import Setting, TuneConfig, Tuning
from rankproof.stack.tune.tune import OpenRunner, tune

# What each engine was asked: the letter it puts first, and the query.
ASKED: list[tuple[str, str]] = []


class Spelled:
    identity: ClassVar[Mapping[str, str]] = {"alphabet": "latin"}

    def __init__(self, values: Mapping[str, Any], ground: Ground) -> None:
        self.first = values["first"]

    def search(self, queries: Sequence[Query], depth: int) -> list[Ranking]:
        ASKED.extend((self.first, query.query_id) for query in queries)
        order = [self.first, *(letter for letter in "abcdef" if letter != self.first)]
        return [Ranking.in_order(order[:depth]) for _ in queries]


ENGINE = Engine(
    "spelled",
    "Letters.",
    (Param("first", Text(), "a", "the first"), Param("effort", Whole(1), 10, "changes nothing")),
    Spelled,
)


@contextmanager
def at_hand() -> Iterator[None]:
    """The engine, beside those of the tests of pipelines."""
    with on_shelves():
        shelf._loaded["engines"]["spelled"] = ENGINE
        ASKED.clear()
        try:
            yield
        finally:
            del shelf._loaded["engines"]["spelled"]


def collection(relevant: Mapping[str, str], splits: Mapping[str, tuple[str, ...]] | None = None) -> Dataset:
    """Queries by id and the letter that is relevant for each."""
    queries = tuple(Query(query, f"text of {query}") for query in relevant)
    qrels = read_qrels({query: {letter: 1, "z": 0} for query, letter in relevant.items()})
    return Dataset("made", None, queries, qrels, splits=splits or {})


# On dev, c is relevant for four of six queries, b and d for one each; on test, c for five of six.
RELEVANT = dict(zip([f"d{i}" for i in range(6)], "ccccbd", strict=True)) | dict(
    zip([f"t{i}" for i in range(6)], "cccccd", strict=True)
)
SPLITS = {"dev": tuple(f"d{i}" for i in range(6)), "test": tuple(f"t{i}" for i in range(6))}
DOCUMENT: dict[str, Any] = {
    "benchmark": {"significance": "t", "dataset": "here", "measures": ["RR"], "depth": 6},
    "modes": {"plain": "spelled()", "other": "letters(step=1)", "final": "plain >> cutoff(depth=6)"},
    "tune": {"dev": "dev", "test": "test", "dials": {"plain": {"first": list("abcd")}}},
}


def config(**tune_table: Any) -> TuneConfig:
    """The document above with another [tune]."""
    return tune_config_of({**DOCUMENT, "tune": {**DOCUMENT["tune"], **tune_table}}, "t.toml")


def opener(found: TuneConfig, cache: Cache = NO_CACHE) -> OpenRunner:
    """Runners on the queries of a dataset."""

    @contextmanager
    def opened(dataset: Dataset) -> Iterator[Runner]:
        runner = Runner(dataset.judged_queries, found.benchmark.depth, Ground(cache=cache))
        yield runner
        runner.close()

    def give(dataset: Dataset) -> AbstractContextManager[Runner]:
        return opened(dataset)

    return give


def quiet(done: int, setting: Setting, best: Setting) -> None:
    """Tells nobody."""


def tuned(found: TuneConfig, dataset: Dataset | None = None, cache: Cache = NO_CACHE) -> tuple[Tuning, int]:
    """The whole of it."""
    dev, test = halves(found, dataset or collection(RELEVANT, SPLITS))
    return tune(found, dev, test, opener(found, cache), quiet)
