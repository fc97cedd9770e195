"""Fusing: weights of pipelines, and the weighted sum of their scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankproof.errors import UsageError
from rankproof.kernel.sections import counted
from rankproof.kernel.specs.kinds import Kind, Param, show_number
from rankproof.reading.ranking import Ranking
from rankproof.stack.records import Values


@dataclass(frozen=True, slots=True)
class Weights(Kind):
    """A number from 0 on for each pipeline, not all of them 0."""

    def read(self, value: object) -> tuple[float, ...]:
        """The numbers."""
        numbers = tuple(value) if isinstance(value, list | tuple) else ()
        right = all(isinstance(n, int | float) and not isinstance(n, bool) and 0 <= n <= 1e9 for n in numbers)
        if not right or not any(numbers):
            raise ValueError(f"must be a list of numbers from 0 to 1e9, not all 0, such as [0.7, 0.3]; got {value!r}")
        return tuple(float(n) for n in numbers)

    def show(self, value: tuple[float, ...] | None) -> str:
        """The numbers with commas."""
        return ", ".join(show_number(number) for number in value) if value else "all 1"


WEIGHTS = Param("weights", Weights(), None, "what each pipeline counts, in their order; all 1 when nothing is said")


def misfit(values: Values, pipelines: int) -> str:
    """Why the weights do not go with so many pipelines."""
    weights = values["weights"]
    if weights is None or len(weights) == pipelines:
        return ""
    return f"got {counted(len(weights), 'weight')} for {counted(pipelines, 'pipeline')}. Give one for each."


def weights_for(values: Values, pipelines: int) -> tuple[float, ...]:
    """A weight for each pipeline."""
    why = misfit(values, pipelines)
    if why:
        raise UsageError(f"The fusion cannot be made: {why}")
    return values["weights"] or (1.0,) * pipelines


def summed(tables: Sequence[tuple[Mapping[str, float], float]]) -> Ranking:
    """The documents by the sum of their scores: each entry is a table, and the score of the documents that it lacks.

    The sum is rounded once, so that it does not depend on the order of the pipelines: 3 + 1 + 2 ties with 1 + 2 + 3.
    """
    docs = list(dict.fromkeys(doc for table, _ in tables for doc in table))
    return Ranking.of(docs, [math.fsum(table.get(doc, least) for table, least in tables) for doc in docs])
