"""Position-based model: a click needs a look, which depends on the rank, and a liking, which depends on the document.

Attractiveness and examination are found together by expectation and maximization, from counts of how often each pair
stood and was clicked at each rank. Documents that were seen at several ranks tell one from the other; where each
document of a query always stands at its own rank, only the prior does. The two can be scaled against each other:
compare examination with that of rank 1.

assumes: whether a rank is looked at depends on the rank alone, not on what was clicked above
source: Richardson, Dominowska and Ragno, Predicting clicks: estimating the click-through rate for new ads, WWW 2007

The first pass by hand, for one document clicked on one page of two, from 1/2 and 1/2. On the page without a click it
is attractive with probability (1/2 x 1/2) / (1 - 1/4) = 1/3, so that attractiveness is (1 + 1 + 1/3) / (2 + 2):

>>> from rankproof.online.clickmodels.position_based import fit
>>> from rankproof.testing.statistics import pages_of
>>> found = fit(pages_of("q: A", "q: a"), {"alpha": 1, "beta": 1, "passes": 1})
>>> round(float(found.attractiveness[0]), 6), round(float(found.looked[0]), 6)
(0.583333, 0.583333)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rankproof.online.clickmodels._product import by_rank, cells_of, learn
from rankproof.online.clickmodels.contract import ALPHA, BETA, PASSES, ClickModel, Floats
from rankproof.online.impressions import Impressions


@dataclass(frozen=True, slots=True, eq=False)
class PositionBased:
    """Attractiveness by pair and examination by rank."""

    attractiveness: Floats
    looked: Floats
    trail: tuple[float, ...] = ()

    def conditional(self, pages: Impressions) -> Floats:
        """As without the clicks above: they say nothing."""
        return self.marginal(pages)

    def marginal(self, pages: Impressions) -> Floats:
        """Attractiveness times examination."""
        return self.attractiveness[pages.shown] * self.looked

    def examination(self, pages: Impressions) -> Floats:
        """That of the rank, on every page."""
        return np.broadcast_to(self.looked, pages.shown.shape)


def fit(pages: Impressions, values: Mapping[str, float]) -> PositionBased:
    """Both kinds of parameters, by EM over pairs at ranks."""
    fitted = learn(cells_of(pages, by_rank, pages.ranks), len(pages.pairs), pages.ranks, values)
    return PositionBased(fitted.attractiveness, fitted.examination, fitted.trail)


OFFERS = (ClickModel(name="position_based", page=__doc__, fit=fit, params=(ALPHA, BETA, PASSES)),)
