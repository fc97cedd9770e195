"""Choices: one logged action for each page, such as a list, a variant or the first document, with its propensity."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.records.impressions import Impressions, Numbers

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Choices:
    """Pages of one action each.

    query_ids, names   the ids; `queries` and `actions` have places in them
    propensities       how likely the logged system was to choose the action it chose, above 0 and at most 1
    rewards            what came of it: 1 for a click, revenue, ...
    units              who saw the page, as a number; None where the log does not say
    """

    query_ids: tuple[str, ...]
    names: tuple[Hashable, ...]
    queries: Numbers
    actions: Numbers
    propensities: Floats
    rewards: Floats
    units: Numbers | None = None

    def __post_init__(self) -> None:
        size = (len(self.queries),)
        if not len(self.queries):
            raise ValueError("choices need a page")
        for name in ("actions", "propensities", "rewards", "units"):
            column = getattr(self, name)
            if column is not None and column.shape != size:
                raise ValueError(f"{name}: {column.shape} for {size[0]} pages")
        if not ((self.propensities > 0) & (self.propensities <= 1)).all():
            raise ValueError("a propensity is above 0 and at most 1")
        if not np.isfinite(self.rewards).all():
            raise ValueError("a reward is a finite number")

    def __len__(self) -> int:
        """Pages."""
        return len(self.queries)


@dataclass(frozen=True, slots=True, eq=False)
class PlacedPages:
    """Pages with clicks, and the propensity of each place, pages x ranks: of the document there, or of the whole list.

    None where the log has no propensities. Below the end of a page they mean nothing.
    """

    pages: Impressions
    propensities: Floats | None = None

    def __post_init__(self) -> None:
        if self.propensities is None:
            return
        if self.propensities.shape != self.pages.shown.shape:
            raise ValueError(f"{self.propensities.shape} propensities for {self.pages.shown.shape} documents")
        there = self.propensities[self.pages.there]
        if not ((there > 0) & (there <= 1)).all():
            raise ValueError("a propensity is above 0 and at most 1")
