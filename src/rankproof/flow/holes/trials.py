"""Trials: a measure's own values under many assumed grades of a query, computed for all queries together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.holes.world import Grades, World
from rankproof.measures._contract import Values, Variant

# Rows and pooled documents computed at once; bounds memory, changes no result.
AT_ONCE = 2_000_000

# For a query, the grades of its open documents: a row for each trial.
Assumed = Callable[[int], NDArray[np.int64]]


def tried(
    world: World, variant: Variant, queries: Iterable[int], assumed: Assumed, plus: int | None, minus: int | None
) -> Iterator[tuple[int, Values]]:
    """For each query, the value of one run less that of another in every trial, in the order of its trials."""
    waiting: list[tuple[int, Grades]] = []
    size = 0
    for query in queries:
        grades = _whole(world, query, assumed(query))
        waiting.append((query, grades))
        size += 2 * grades.size
        if size > AT_ONCE:
            yield from _computed(world, variant, waiting, plus, minus)
            waiting, size = [], 0
    if waiting:
        yield from _computed(world, variant, waiting, plus, minus)


def _whole(world: World, query: int, trials: NDArray[np.int64]) -> Grades:
    """Grades of all documents of a query, a row for each trial."""
    here = slice(int(world.pool.start[query]), int(world.pool.start[query + 1]))
    grades = np.tile(world.grade[here], (len(trials), 1))
    grades[:, world.open[here]] = trials
    return grades


def _computed(
    world: World, variant: Variant, waiting: list[tuple[int, Grades]], plus: int | None, minus: int | None
) -> Iterator[tuple[int, Values]]:
    times = [len(grades) for _, grades in waiting]
    queries = np.repeat(np.array([query for query, _ in waiting], dtype=np.int64), times)
    grade = np.concatenate([grades.ravel() for _, grades in waiting])
    value = np.zeros(len(queries))
    if plus is not None:
        value += variant.measure.compute(world.assumed(plus, queries, grade), variant)
    if minus is not None:
        value -= variant.measure.compute(world.assumed(minus, queries, grade), variant)
    for (query, _), part in zip(waiting, np.split(value, np.cumsum(times)[:-1]), strict=True):
        yield query, part
