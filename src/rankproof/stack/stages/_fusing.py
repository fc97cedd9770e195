"""Fusing: weights of pipelines, and the sum of what each of them says of a document."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.errors import UsageError
from rankproof.kernel.specs import Kind, Param, show_number
from rankproof.reading.ranking import Ranking


@dataclass(frozen=True, slots=True)
class Weights(Kind):
    """A number from 0 on for each pipeline, not all of them 0."""

    def read(self, value: Any) -> tuple[float, ...]:
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


def misfit(values: Mapping[str, Any], pipelines: int) -> str:
    """Why the weights do not go with so many pipelines."""
    weights = values["weights"]
    if weights is None or len(weights) == pipelines:
        return ""
    return f"there are {len(weights)} weights for {pipelines} pipelines. Give one for each."


def weights_for(values: Mapping[str, Any], pipelines: int) -> tuple[float, ...]:
    """A weight for each pipeline."""
    why = misfit(values, pipelines)
    if why:
        raise UsageError(f"The fusion cannot be made: {why}")
    return values["weights"] or (1.0,) * pipelines


def summed(said: Sequence[tuple[Mapping[str, float], float]]) -> Ranking:
    """The documents by the sum of what is said of them: a table and what counts for documents it lacks, each.

    The sum is rounded once, so that it does not depend on the order of the pipelines: 3 + 1 + 2 ties with 1 + 2 + 3.
    """
    docs = list(dict.fromkeys(doc for table, _ in said for doc in table))
    return Ranking.of(docs, [math.fsum(table.get(doc, least) for table, least in said) for doc in docs])
