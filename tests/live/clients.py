"""The http engine on the hostile server, and small queries for it."""

from __future__ import annotations

from typing import Any

from rankproof.kernel import shelf
from rankproof.reading.collection import Query
from rankproof.stack.engines.contract import Asker
from rankproof.stack.pipeline import read_pipeline
from rankproof.stack.records import Ground, Step

PARAMS = {"q": "{query}", "n": "{depth}", "id": "{query_id}"}


def http_step(url: str, **said: Any) -> Step:
    """The engine as a step of a pipeline."""
    values = {"url": f"{url}/search", "params": PARAMS, "hits": "hits", "score": "score", **said}
    return read_pipeline(f"http({', '.join(f'{name}={value!r}' for name, value in values.items())})")


def opened(step: Step) -> Asker:
    """The engine, ready to be asked."""
    engine: Asker = shelf.find("engines", step.name).open(step.values, Ground())
    return engine


def queries(n: int) -> list[Query]:
    """q0, q1, ... with words of their own."""
    return [Query(f"q{i}", f"red shoes size {i}") for i in range(n)]
