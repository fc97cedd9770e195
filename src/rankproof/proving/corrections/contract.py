"""Contract of the corrections shelf: Correction, which controls the error rate of a family of tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.estimate import Answer
from rankproof.proving.records import Adjusted

if TYPE_CHECKING:
    from rankproof.proving.sampling import Sampling

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """All systems on one measure and one set of queries: what a method over all pairs permutes.

    scores    queries by systems
    pairs     which two columns each test of this block compares (baseline, candidate)
    tests     where each of those tests stands in the family
    queries   the ids behind the rows; blocks with the same ones are drawn together. () where they are not known
    sampling  how they were drawn, in their order; None for a simple random sample
    """

    scores: Scores
    pairs: tuple[tuple[int, int], ...]
    tests: tuple[int, ...]
    queries: tuple[str, ...] = ()
    sampling: Sampling | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Tests:
    """A family: the plain answers, the same tests at another level, and the scores behind them.

    answers    one per test; a NotEstimable stays as it is and is not counted
    at_level   the answers again at another confidence level, same method, same resamples
    blocks     the scores by measure and segment
    """

    answers: Sequence[Answer]
    at_level: Callable[[float], Sequence[Answer]]
    blocks: Sequence[Block]
    level: float
    resamples: int


# One entry per answer; None where the answer is NotEstimable.
Adjust = Callable[[Tests, np.random.Generator], list[Adjusted | None]]


@dataclass(frozen=True, slots=True, eq=False)
class Correction:
    """One item of the shelf. `page` is the module's docstring: what it controls, source, example.

    controls         "family-wise error" or "false discovery rate"
    needs_all_pairs  whether it is defined over all pairs of systems
    draws_queries    whether it takes the queries behind the tests for a simple random sample, and no other
    """

    name: str
    page: str
    adjust: Adjust
    controls: str
    needs_all_pairs: bool = False
    draws_queries: bool = False

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]
