"""Bounds: how far documents that nobody judged could move a value or a difference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """Least and greatest value over all grades that unjudged documents of the universe could have.

    by_query   columns least, greatest; rows in the order of the population; NaN where a measure that leaves
               undefined queries out has no value under any grades
    exact      True: both ends are reached by some grades. False: a guaranteed outer bound
    note       how it was computed, or why there is no bound on one side ("without a universe the least R is 0")
    """

    least: float
    greatest: float
    by_query: NDArray[np.float64]
    exact: bool
    note: str = ""

    @property
    def certain(self) -> bool:
        """Of a difference: whether its sign is the same under all grades."""
        return self.least > 0 or self.greatest < 0

    def contains(self, value: float) -> bool:
        """Whether a value lies within, up to rounding."""
        return self.least - 1e-9 <= value <= self.greatest + 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class MeasureBounds:
    """One measure: each system's bound (in the order of the systems), each candidate's difference, jointly."""

    measure: str
    values: tuple[Bound, ...]
    differences: tuple[Bound, ...]  # candidate minus baseline: one document, one grade, on both sides


@dataclass(frozen=True, slots=True, eq=False)
class Holes:
    """What is unjudged, and what it could do.

    universe        the documents that could be relevant, in words
    documents       how many unjudged documents the universe holds, over all queries
    judged_at       the depth of the judged rates
    judged_rates    one per system: judged documents among the first `judged_at`, mean over queries
    outside         "" or a sentence: which measures relevant documents outside the universe could move
    warning         "" or a sentence: the sides are judged to different degrees
    note            "" or why there are no bounds
    """

    universe: str
    documents: int
    judged_at: int
    judged_rates: tuple[float, ...]
    bounds: tuple[MeasureBounds, ...]
    warning: str = ""
    note: str = ""
    outside: str = ""


@dataclass(frozen=True, slots=True)
class ProposedPair:
    """A pair worth judging.

    worth       by how much its judgment is expected to move the end of the bounds that decides, on the scale of the
                mean; of several candidates, all together
    best_rank   over the runs; 0 where it is in none of them
    """

    query_id: str
    doc_id: str
    worth: float
    best_rank: int


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """What to judge next, the most deciding pair first.

    systems       the runs; the first is the baseline
    values        each run's value now
    differences   the bounds of each candidate's difference to the baseline, before anything is judged
    documents     unjudged documents of the universe, over all queries
    useful        how many of them are worth a judgment; `wanted` has the first of these
    """

    measure: str
    systems: tuple[str, ...]
    values: tuple[float, ...]
    differences: tuple[Bound, ...]
    universe: str
    documents: int
    useful: int
    wanted: tuple[ProposedPair, ...]

    @property
    def settled(self) -> tuple[bool, ...]:
        """For each candidate, whether the sign of its difference is certain already."""
        return tuple(bound.certain for bound in self.differences)
