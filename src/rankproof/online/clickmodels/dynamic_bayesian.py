"""Dynamic Bayesian model: users read from the top until a document that they clicked satisfies them.

Attractiveness is what is seen on the page of results, satisfaction what is found behind the click; a document is worth
their product. This is the simplified model, in which nobody gives up without having clicked (gamma = 1 in the paper).
Everything down to the last click was looked at, and on a page without a click all of it. After the last click the user
was satisfied, or read on and clicked no more: expectation and maximization weigh the two. (The estimate of the paper
takes it that the last click always satisfied.) The prior gives each pair `alpha` clicks that did not satisfy and `beta`
that did.

assumes: nobody stops but where a click satisfied
source: Chapelle and Zhang, A dynamic Bayesian network click model for web search ranking, WWW 2009

The first pass by hand, from 1/2 everywhere: after the click the user passed over b with 1/2 x 1/2, or was satisfied
with 1/2. With probability 2/3 it was satisfaction, with the prior (1 + 2/3) / (2 + 1):

>>> from rankproof.online.clickmodels.dynamic_bayesian import fit
>>> from rankproof.testing.statistics import pages_of
>>> found = fit(pages_of("q: A b"), {"alpha": 1, "beta": 1, "passes": 1})
>>> found.satisfaction.round(6).tolist(), found.attractiveness.round(6).tolist()
([0.555556, 0.5], [0.666667, 0.428571])
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rankproof.online.clickmodels._chain import examined, examined_given
from rankproof.online.clickmodels._reading_on import learn
from rankproof.online.clickmodels.contract import ALPHA, BETA, PASSES, ClickModel, Floats
from rankproof.online.impressions import Impressions


@dataclass(frozen=True, slots=True, eq=False)
class DynamicBayesian:
    """Attractiveness and satisfaction by pair."""

    attractiveness: Floats
    satisfaction: Floats
    trail: tuple[float, ...] = ()

    def conditional(self, pages: Impressions) -> Floats:
        """Attractiveness where the user may have come."""
        attraction = self.attractiveness[pages.shown]
        return attraction * examined_given(attraction, 1 - self.satisfaction[pages.shown], pages.clicks)

    def marginal(self, pages: Impressions) -> Floats:
        """Attractiveness where users come."""
        return self.attractiveness[pages.shown] * self.examination(pages)

    def examination(self, pages: Impressions) -> Floats:
        """The probability that nothing above satisfied."""
        return examined(self.attractiveness[pages.shown], 1 - self.satisfaction[pages.shown])


def fit(pages: Impressions, values: Mapping[str, float]) -> DynamicBayesian:
    """Both kinds of parameters, by EM over what follows the last click."""
    fitted = learn(pages, lambda piece: piece.shown, len(pages.pairs), values)
    return DynamicBayesian(fitted.attractiveness, 1 - fitted.goes_on, fitted.trail)


OFFERS = (ClickModel(name="dynamic_bayesian", page=__doc__, fit=fit, params=(ALPHA, BETA, PASSES)),)
