"""Many columns at once on several threads: numpy works on large arrays without holding Python's lock."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from rankproof.kernel.system import processors

Out = TypeVar("Out")

MOST_HELD = 32_000_000  # resamples x columns held at a time: 256 MB


def together(answer: Callable[..., Out], *columns: Iterable[Any]) -> list[Out]:
    """The answer for each column, in order. Columns are independent, so threads change only the time."""
    arguments = list(zip(*columns, strict=True))
    workers = min(len(arguments), processors())
    if workers < 2:
        return [answer(*parts) for parts in arguments]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(lambda parts: answer(*parts), arguments))
