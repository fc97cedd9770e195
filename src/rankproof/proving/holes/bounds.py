"""Bounds: how far documents that nobody judged could move a value or a difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rankproof.measuring.judged_table import JudgedTable, Pool

# Half a document of ten for each query. It is a fact about these queries and no estimate, so that no
# significance test applies; and half a document in the first ten is about as much as a usual gain in P@10.
CLEAR = 0.05


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


def unjudged_within(table: JudgedTable, k: int) -> NDArray[np.int64]:
    """By query, how many of the first k documents nobody judged."""
    judged = table.count(table.judged & table.within(k))
    return np.minimum(table.retrieved, k) - judged


def names_not_relevant(pool: Pool) -> bool:
    """Whether some judged document is not relevant.

    Where none is, only relevant documents were written down: an unjudged one is one that nobody called relevant, and a
    ranking with more judged documents is one with more relevant ones, not one that people looked at more closely.
    """
    return bool((pool.grade < 1).any())


def unequally_judged(names: Sequence[str], unjudged: Sequence[float], k: int) -> str:
    """A sentence when a candidate is judged to another degree than the baseline; of several, the farthest."""
    gaps = [rate - unjudged[0] for rate in unjudged[1:]]
    far = max(range(len(gaps)), key=lambda i: abs(gaps[i]), default=None)
    if far is None or abs(gaps[far]) <= CLEAR:
        return ""
    less, more = (names[far + 1], names[0]) if gaps[far] > 0 else (names[0], names[far + 1])
    low, high = sorted((unjudged[far + 1], unjudged[0]))
    return (
        f"Of the first {k} documents, {high:.0%} of {less} are unjudged and {low:.0%} of {more}: unjudged documents "
        f"count as not relevant, so {less} may look worse than it is."
    )
