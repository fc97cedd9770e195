"""Cascade model: users read from the top, click the first document that attracts them, and stop.

Everything down to the first click was looked at, and nothing below it; on a page without a click, all of it. That
makes attractiveness a plain share: first clicks over looks. A second click on a page cannot happen under this model;
where one did, its probability is 0, and scores count it with the floor that they have for that.

assumes: one click a page at most; no one gives up before it
source: Craswell, Zoeter, Taylor and Ramsey, An experimental comparison of click position-bias models, WSDM 2008

Document b is looked at on both pages and clicked on one; c is never looked at, and keeps the prior:

>>> from rankproof.online.clickmodels.cascade import fit
>>> from rankproof.testing.statistics import pages_of
>>> fit(pages_of("q: a B c", "q: B c"), {"alpha": 1, "beta": 1}).attractiveness.tolist()
[0.3333333333333333, 0.75, 0.5]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rankproof.online.clickmodels._chain import examined, examined_given
from rankproof.online.clickmodels.contract import ALPHA, BETA, ClickModel, Floats, last_above, per_pair, rate
from rankproof.online.impressions import Flags, Impressions


@dataclass(frozen=True, slots=True, eq=False)
class Cascade:
    """Attractiveness by pair."""

    attractiveness: Floats
    trail: tuple[float, ...] = ()

    def conditional(self, pages: Impressions) -> Floats:
        """Attractiveness down to the first click, and 0 below it."""
        attraction = self.attractiveness[pages.shown]
        return attraction * examined_given(attraction, np.zeros_like(attraction), pages.clicks)

    def marginal(self, pages: Impressions) -> Floats:
        """Attractiveness where nothing above attracted."""
        return self.attractiveness[pages.shown] * self.examination(pages)

    def examination(self, pages: Impressions) -> Floats:
        """The probability that nothing above attracted."""
        attraction = self.attractiveness[pages.shown]
        return examined(attraction, np.zeros_like(attraction))


def fit(pages: Impressions, values: Mapping[str, float]) -> Cascade:
    """First clicks over looks."""
    return Cascade(rate(per_pair(pages, lambda piece: piece.clicks & _looked(piece)), per_pair(pages, _looked), values))


def _looked(piece: Impressions) -> Flags:
    return np.asarray(piece.there & (last_above(piece) == 0))


OFFERS = (ClickModel(name="cascade", page=__doc__, fit=fit, params=(ALPHA, BETA)),)
