"""A corpus of ten colors and a stage opened on it, for the tests of stages with a language model."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from rankproof.kernel import shelf
from rankproof.reading.collection import Corpus, Query
from rankproof.reading.ranking import Passed, Ranking
from rankproof.stack.records import Ground

COLORS = ("red", "orange", "yellow", "green", "blue", "indigo", "violet", "black", "white", "gray")
CORPUS = Corpus(COLORS, {"text": tuple(f"This passage is about {color}." for color in COLORS)}, "colors")
INCOMING = Ranking(COLORS, np.arange(10.0, 0.0, -1.0))
QUERY = Query("q1", "which color is it?")


class MemoryCache:
    """Keeps what it is given, and counts."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        return self.kept.get(key)

    def put(self, key: str, data: bytes) -> None:
        self.kept[key] = data


def values(stage: str, **said: Any) -> dict[str, Any]:
    """The parameters of a stage, with those that are said; a model's name where there is an address."""
    params = {param.name: param for param in shelf.find("stages", stage).params}
    if said.get("endpoint", "local") != "local":
        said = {"model": "m", **said}
    return {name: param.kind.read(said[name]) if name in said else param.default for name, param in params.items()}


def opened(stage: str, ground: Ground | None = None, **said: Any) -> Any:
    return shelf.find("stages", stage).open(values(stage, **said), ground or Ground(CORPUS))


def rerank(url: str, ground: Ground | None = None, incoming: Ranking = INCOMING, **said: Any) -> Passed:
    """One query through the stage."""
    stage = opened("rerank_llm", ground, endpoint=url, **said)
    passed: Passed = stage.apply([QUERY], [[incoming]])[0]
    return passed


def kinds(passed: Passed) -> Counter[str]:
    return Counter(failure.kind for failure in passed.failures)


def check_promises(passed: Passed, depth: int, incoming: Ranking = INCOMING) -> None:
    """No document is lost, and nothing below the depth moves."""
    assert sorted(passed.ranking.doc_ids) == sorted(incoming.doc_ids)
    assert passed.ranking.doc_ids[depth:] == incoming.doc_ids[depth:]
    assert passed.ranking.scores[depth:].tolist() == incoming.scores[depth:].tolist()
