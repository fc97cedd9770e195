"""Clicks over expected clicks: how often a document was clicked, against what its places get on the average.

Every rank has a rate of clicks over all pages. A pair expects the sum of the rates of the places where it stood; its
worth is its clicks over that sum, drawn toward 1 by `weight` expected clicks of an average document. One pass, no
hidden parts; it takes the average rate of a rank for looking, and so keeps what good rankings put on top.

Examination is the rate of a rank over that of the best rank, and attractiveness the worth times the best rate, at
most 1: their product is the chance of a click.

assumes: documents at each rank are equally good on the average
source: Zhang and Jones, Comparing click logs and editorial labels for training query rewriting, WWW 2007 workshop on
    query log analysis

Rank 1 has rate 1/2, and so expects each of its documents to be clicked on every other page. The first is clicked each
time: (2 + 1) / (1 + 1) = 1.5 times as often.

>>> from rankproof.online.clickmodels.coec import fit
>>> from rankproof.testing.statistics import pages_of
>>> found = fit(pages_of("q: A", "q: A", "q: b", "q: b"), {"weight": 1.0})
>>> found.worth.tolist(), found.attractiveness.tolist()
([1.5, 0.5], [0.75, 0.25])
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rankproof.kernel.specs.kinds import Number, Param
from rankproof.online.clickmodels.contract import ClickModel, Floats, clicked, per_pair, sum_per_pair
from rankproof.online.impressions import Impressions

WEIGHT = Param(
    "weight", Number(0, open_low=True), 1.0, "expected clicks of an average document that each pair begins with"
)


@dataclass(frozen=True, slots=True, eq=False)
class OverExpected:
    """The worth of each pair and the rate of clicks at each rank."""

    worth: Floats
    rates: Floats
    trail: tuple[float, ...] = ()

    @property
    def attractiveness(self) -> Floats:
        """The worth as a probability of a click at the rank that gets most clicks."""
        return np.asarray(np.minimum(self.worth * self.rates.max(), 1.0), dtype=np.float64)

    def conditional(self, pages: Impressions) -> Floats:
        """As without the clicks above: they say nothing."""
        return self.marginal(pages)

    def marginal(self, pages: Impressions) -> Floats:
        """Attractiveness where users look."""
        return self.attractiveness[pages.shown] * self.examination(pages)

    def examination(self, pages: Impressions) -> Floats:
        """The rate of the rank over that of the best rank; 0 where nobody clicked at all."""
        best = self.rates.max()
        looked = self.rates / best if best else np.zeros_like(self.rates)
        return np.broadcast_to(looked, pages.shown.shape)


def fit(pages: Impressions, values: Mapping[str, float]) -> OverExpected:
    """Clicks over the rates of the ranks where a pair stood."""
    showings, clicks = np.zeros((2, pages.ranks), dtype=np.int64)
    for piece in pages.pieces():
        showings += piece.there.sum(axis=0)
        clicks += piece.clicks.sum(axis=0)
    rates = clicks / np.maximum(showings, 1)
    expected = sum_per_pair(pages, lambda piece: np.broadcast_to(rates, piece.shown.shape))
    weight = float(values["weight"])
    return OverExpected((per_pair(pages, clicked) + weight) / (expected + weight), rates)


OFFERS = (ClickModel(name="coec", page=__doc__, fit=fit, params=(WEIGHT,)),)
