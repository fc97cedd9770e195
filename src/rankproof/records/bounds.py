"""Bounds: how far documents that nobody judged could move a value or a difference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """Least and greatest value over all grades that unjudged documents of the universe could have.

    by_query   columns least, greatest; rows in the order of the population
    exact      True: both ends are reached by some grades. False: a guaranteed outer bound
    note       which way it was found, or what bounds nothing ("without a universe the least R is 0")
    """

    least: float
    greatest: float
    by_query: NDArray[np.float64]
    exact: bool
    note: str = ""

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
    warning         "" or a sentence: the sides are judged to different degrees
    """

    universe: str
    documents: int
    judged_at: int
    judged_rates: tuple[float, ...]
    bounds: tuple[MeasureBounds, ...]
    warning: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A pair worth judging: what it could move, in the measure asked for."""

    query_id: str
    doc_id: str
    worth: float  # how much narrower the bounds of the difference become, on the scale of the mean
    best_rank: int  # over the runs
