"""User browsing model: whether a rank is looked at depends on the rank and on where the last click above it was.

A user who has just clicked looks at the next document more readily than one who has clicked nothing in nine; this
model has a probability for each rank and each last click above it, where the position-based model has one for each
rank. Found by expectation and maximization as there.

assumes: a look depends on the rank and the last click alone; what was clicked does not satisfy
source: Dupret and Piwowarski, A user browsing model to predict search engine click data from past observations,
    SIGIR 2008, the single browsing model

>>> from rankproof.online.clickmodels.user_browsing import UserBrowsing
>>> from rankproof.testing.statistics import pages_of
>>> import numpy as np
>>> looked = np.array([[1.0, 0.0], [0.2, 0.8]])

Rank 2 is looked at with 0.2 after no click and with 0.8 after a click at rank 1, which half the users make; a quarter
of those who look click it. Before anything is clicked that is (0.5 x 0.2 + 0.5 x 0.8) x 0.25:

>>> found = UserBrowsing(np.array([0.5, 0.25]), looked)
>>> found.conditional(pages_of("q: A b", "q: a b")).tolist()
[[0.5, 0.2], [0.5, 0.05]]
>>> found.marginal(pages_of("q: A b")).tolist()
[[0.5, 0.125]]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from rankproof.online.clickmodels._product import cells_of, learn
from rankproof.online.clickmodels.contract import ALPHA, BETA, PASSES, ClickModel, Floats, last_above
from rankproof.online.impressions import Impressions


@dataclass(frozen=True, slots=True, eq=False)
class UserBrowsing:
    """Attractiveness by pair; examination by rank and the rank of the last click above, 0 for none."""

    attractiveness: Floats
    looked: Floats
    trail: tuple[float, ...] = ()

    def conditional(self, pages: Impressions) -> Floats:
        """Attractiveness times the examination after the clicks that were made."""
        ranks = np.arange(pages.ranks)
        return self.attractiveness[pages.shown] * self.looked[ranks, last_above(pages)]

    def marginal(self, pages: Impressions) -> Floats:
        """Over all places where the last click may be."""
        attraction = self.attractiveness[pages.shown]
        return np.column_stack([attraction[:, rank] * look for rank, look in enumerate(self._looks(attraction))])

    def examination(self, pages: Impressions) -> Floats:
        """Over all places where the last click may be."""
        return np.column_stack(list(self._looks(self.attractiveness[pages.shown])))

    def _looks(self, attraction: Floats) -> Iterator[Floats]:
        """For each rank, how likely it is looked at on each page.

        `last[j]` is the probability that the last click above the rank is at rank j; 0 stands for none.
        """
        last = [np.ones(len(attraction))]
        for rank in range(attraction.shape[1]):
            reached = [likely * self.looked[rank, j] for j, likely in enumerate(last)]
            look: Floats = np.sum(reached, axis=0)
            yield look
            drawn = attraction[:, rank]
            last = [likely - drawn * seen for likely, seen in zip(last, reached, strict=True)]
            last.append(drawn * look)


def fit(pages: Impressions, values: Mapping[str, float]) -> UserBrowsing:
    """Both kinds of parameters, by EM over pairs at ranks after last clicks."""
    n = pages.ranks
    cells = cells_of(pages, lambda piece: np.arange(n) * n + last_above(piece), n * n)
    fitted = learn(cells, len(pages.pairs), n * n, values)
    return UserBrowsing(fitted.attractiveness, fitted.examination.reshape(n, n), fitted.trail)


OFFERS = (ClickModel(name="user_browsing", page=__doc__, fit=fit, params=(ALPHA, BETA, PASSES)),)
