"""Dependent click model: a cascade in which users may read on after a click, more or less readily by rank.

Everything down to the last click was looked at, and on a page without a click all of it. After the last click the user
stopped, or read on and clicked no more: expectation and maximization weigh the two. (The estimate of the paper takes it
that everybody stopped, which makes documents look better than they are.)

assumes: nobody stops but after a click; whether a user then goes on depends on the rank of the click alone
source: Guo, Liu and Wang, Efficient multiple-click models in web search, WSDM 2009

The first pass by hand, from 1/2 everywhere. On the second page the user read on and passed over b and c with 1/2 x 1/4,
or stopped with 1/2: read on with probability 1/5. Of two clicks at rank 1, 1 + 1/5 were followed by more reading, with
the prior (1 + 1.2) / (2 + 2); c was looked at 1 + 1/5 times and clicked once, with the prior (1 + 1) / (2 + 1.2):

>>> from rankproof.online.clickmodels.dependent_click import fit
>>> from rankproof.testing.statistics import pages_of
>>> found = fit(pages_of("q: A b C", "q: A b c"), {"alpha": 1, "beta": 1, "passes": 1})
>>> found.goes_on.round(6).tolist(), found.attractiveness.round(6).tolist()
([0.55, 0.5, 0.5], [0.75, 0.3125, 0.625])
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rankproof.online.clickmodels._chain import examined, examined_given
from rankproof.online.clickmodels._product import by_rank
from rankproof.online.clickmodels._reading_on import learn
from rankproof.online.clickmodels.contract import ALPHA, BETA, PASSES, ClickModel, Floats
from rankproof.online.impressions import Impressions


@dataclass(frozen=True, slots=True, eq=False)
class DependentClick:
    """Attractiveness by pair, and by rank the probability of going on after a click."""

    attractiveness: Floats
    goes_on: Floats
    trail: tuple[float, ...] = ()

    def conditional(self, pages: Impressions) -> Floats:
        """Attractiveness where the user may have come."""
        attraction = self.attractiveness[pages.shown]
        return attraction * examined_given(attraction, self._goes_on(pages), pages.clicks)

    def marginal(self, pages: Impressions) -> Floats:
        """Attractiveness where users come."""
        return self.attractiveness[pages.shown] * self.examination(pages)

    def examination(self, pages: Impressions) -> Floats:
        """The probability to come down to a rank."""
        return examined(self.attractiveness[pages.shown], self._goes_on(pages))

    def _goes_on(self, pages: Impressions) -> Floats:
        return np.broadcast_to(self.goes_on, pages.shown.shape)


def fit(pages: Impressions, values: Mapping[str, float]) -> DependentClick:
    """Both kinds of parameters, by EM over what follows the last click."""
    fitted = learn(pages, by_rank, pages.ranks, values)
    return DependentClick(fitted.attractiveness, fitted.goes_on, fitted.trail)


OFFERS = (ClickModel(name="dependent_click", page=__doc__, fit=fit, params=(ALPHA, BETA, PASSES)),)
