"""The http engine on the hostile server, and small queries for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rankproof.kernel import shelf
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines.contract import Asker
from rankproof.stack.pipeline import read_pipeline
from rankproof.stack.records import Ground, Step

PARAMS = {"q": "{query}", "n": "{depth}", "id": "{query_id}"}


def http_step(url: str, **said: Any) -> Step:
    """The engine as a step of a pipeline."""
    values = {"url": f"{url}/search", "params": PARAMS, "hits": "hits", "score": "score", **said}
    return engine_step("http", **values)


def opened(step: Step) -> Asker:
    """The engine, ready to be asked."""
    engine: Asker = shelf.find("engines", step.name).open(step.values, Ground())
    return engine


def engine_step(name: str, **said: Any) -> Step:
    """An engine with these options as a step of a pipeline."""
    return read_pipeline(f"{name}({', '.join(f'{option}={value!r}' for option, value in said.items())})")


def asking(engine: Callable[..., Asker], timeout: float) -> Callable[..., Ranking]:
    """Opens the engine with the options given, asks one query, and closes it."""

    def one(text: str, depth: int = 10, columns: dict[str, str] | None = None, **said: Any) -> Ranking:
        asker = engine(**said)
        try:
            return asker.ask(Query("q1", text, columns or {}), depth, timeout)
        finally:
            asker.close()

    return one


def queries(n: int) -> list[Query]:
    """q0, q1, ... with words of their own."""
    return [Query(f"q{i}", f"red shoes size {i}") for i in range(n)]
