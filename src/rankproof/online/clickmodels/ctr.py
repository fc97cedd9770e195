"""Click-through rate: how often a document was clicked when it was shown for a query, wherever it stood.

The simplest account, and the one that position misleads: a document that always stood first looks better than it is.
Use it as the line that other models must beat, or where positions were shuffled. The prior adds `alpha` clicks and
`beta` pages without one, so that a pair seen twice does not count as sure.

assumes: every place of a page is looked at alike
source: Craswell, Zoeter, Taylor and Ramsey, An experimental comparison of click position-bias models, WSDM 2008,
    the baseline hypothesis

One click on three showings, with the prior (1 + 1) / (3 + 2):

>>> from rankproof.online.clickmodels.ctr import fit
>>> from rankproof.testing.statistics import pages_of
>>> pages = pages_of("q: A", "q: a", "q: a")
>>> float(fit(pages, {"alpha": 1, "beta": 1}).attractiveness[0])
0.4
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rankproof.online.clickmodels.contract import ALPHA, BETA, ClickModel, Floats, clicked, per_pair, rate, there
from rankproof.online.impressions import Impressions


@dataclass(frozen=True, slots=True, eq=False)
class ClickThrough:
    """A rate for each pair, and nothing else."""

    attractiveness: Floats
    trail: tuple[float, ...] = ()

    def conditional(self, pages: Impressions) -> Floats:
        """The rate: clicks above say nothing."""
        return self.marginal(pages)

    def marginal(self, pages: Impressions) -> Floats:
        """The rate of the pair."""
        return self.attractiveness[pages.shown]

    def examination(self, pages: Impressions) -> None:
        """None: the model does not tell looking from liking."""
        return


def fit(pages: Impressions, values: Mapping[str, float]) -> ClickThrough:
    """Clicks over showings."""
    return ClickThrough(rate(per_pair(pages, clicked), per_pair(pages, there), values))


OFFERS = (ClickModel(name="ctr", page=__doc__, fit=fit, params=(ALPHA, BETA)),)
