"""Decisions: what a logged system chose to show, how it was rewarded, and how much more a new system would choose it.

All that estimators of the new system's value need, whatever was decided: a list or another action, a document for a
rank, or a rank for a document. Rows are decisions; several may stand on one page.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankproof.records.impressions import Numbers

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """What the new system would show: `amounts[i]` of cell `cells[i]` on every page of query `queries[i]`.

    An amount is a probability, or the examination of the rank that the document would get.
    """

    queries: Numbers
    cells: Numbers
    amounts: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Believed:
    """What a model of rewards foretells, learned from other pages.

    rewards    of each decision that was logged
    of_pages   of all that the new system would show on each page
    """

    rewards: Floats
    of_pages: Floats


@dataclass(frozen=True, eq=False)
class Decisions:
    """Logged decisions in columns; queries, pages, units and cells have numbers from 0.

    queries    of each page
    units      of each page: what is independent of the others (session, user, or the page itself)
    logged     of each page: the reward as it was logged
    pages      of each decision: its page
    cells      of each decision: what was decided, so that the same decision for the same query is one cell
    rewards    of each decision: what came of it
    weights    of each decision: how much more the new system would choose it than the logged one did; where a rank was
               chosen, how much more it would be looked at
    looked     of each decision: the chance that the user saw it, where that is corrected for; else 1
    norms      of each decision: what it counts where its group is normalized; None where that is its weight
    group_of   of each cell: the group in which it is normalized
    wanted     what the new system would show
    balanced   whether weights are 1 on average for all that is wanted, where the log is right
    believed   what a model of rewards says; None where nobody asked
    """

    queries: Numbers
    units: Numbers
    logged: Floats
    pages: Numbers
    cells: Numbers
    rewards: Floats
    weights: Floats
    looked: Floats
    norms: Floats | None
    group_of: Numbers
    wanted: Wanted
    balanced: bool
    believed: Believed | None = None

    def __post_init__(self) -> None:
        if not len(self.queries) or not len(self.pages):
            raise ValueError("an estimate needs a page and a decision")
        of_pages = {"units": self.units, "logged": self.logged}
        of_rows = {
            "cells": self.cells,
            "rewards": self.rewards,
            "weights": self.weights,
            "looked": self.looked,
            "norms": self.norms,
        }
        for size, columns in ((len(self.queries), of_pages), (len(self.pages), of_rows)):
            for name, column in columns.items():
                if column is not None and column.shape != (size,):
                    raise ValueError(f"{name}: {column.shape} where {size} are needed")
        if not np.isfinite(self.weights).all() or (self.weights < 0).any() or (self.looked <= 0).any():
            raise ValueError("weights are finite and not below 0, and what was shown can have been looked at")

    def __len__(self) -> int:
        """Pages."""
        return len(self.queries)

    def by_page(self, values: Floats) -> Floats:
        """Sums over the decisions of each page."""
        return np.bincount(self.pages, values, len(self)).astype(np.float64)

    @cached_property
    def numbered_units(self) -> tuple[int, Numbers]:
        """How many units there are, and the place of each page's among them."""
        names, of = np.unique(self.units, return_inverse=True)
        return len(names), of.astype(np.int64)

    @cached_property
    def pages_of_queries(self) -> Numbers:
        """How many pages each query has."""
        most = max(int(self.queries.max()), int(self.wanted.queries.max(initial=0)))
        return np.bincount(self.queries, minlength=most + 1)

    @cached_property
    def shown(self) -> Numbers:
        """How often each cell was decided for."""
        return np.bincount(self.cells, minlength=len(self.group_of))

    def clipped(self, clip: float) -> Decisions:
        """With no weight above `clip`."""
        return replace(self, weights=np.minimum(self.weights, clip))


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """An estimate, and how far each page pulled it: the error of the estimate is the mean of `of_pages`."""

    value: float
    of_pages: Floats
