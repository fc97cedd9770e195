"""What an item on the clickmodels shelf is: ClickModel, which learns from pages and then foretells clicks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.specs.kinds import Number, Param, Whole
from rankproof.online.impressions import Flags, Impressions

Floats = NDArray[np.float64]


class Fitted(Protocol):
    """What a model learned. Every array of probabilities is pages x ranks; below the end of a page it means nothing.

    attractiveness   for each pair of the pages it learned from: how likely a user who looks at it clicks it; a pair
                     that no page of the training showed has what the prior says
    trail            for models fitted in passes, the logarithm of the posterior density after each: it never falls
    """

    @property
    def attractiveness(self) -> Floats:
        """By pair."""

    @property
    def trail(self) -> tuple[float, ...]:
        """By pass."""

    def conditional(self, pages: Impressions) -> Floats:
        """The probability of a click at each rank, given the clicks at the ranks above it."""

    def marginal(self, pages: Impressions) -> Floats:
        """The probability of a click at each rank, before anything is clicked."""

    def examination(self, pages: Impressions) -> Floats | None:
        """The probability that a rank is looked at, before anything is clicked; None where the model has no such."""


# The same pages and values give the same answer.
Fit = Callable[[Impressions, Mapping[str, float]], Fitted]


@dataclass(frozen=True, slots=True, eq=False)
class ClickModel:
    """One item of the shelf. `page` is the module's docstring: what it assumes, when to use it, source, example."""

    name: str
    page: str
    fit: Fit
    params: tuple[Param, ...] = ()

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]


ALPHA = Param("alpha", Number(0, open_low=True), 1.0, "successes that the prior adds to what was seen")
BETA = Param("beta", Number(0, open_low=True), 1.0, "failures that the prior adds to what was seen")
PASSES = Param("passes", Whole(), 50, "how many passes of expectation and maximization")


def rate(successes: Floats, trials: Floats, values: Mapping[str, float]) -> Floats:
    """The share of successes under the prior: the mode of a posterior whose prior is Beta(alpha + 1, beta + 1)."""
    alpha, beta = float(values["alpha"]), float(values["beta"])
    return np.asarray((successes + alpha) / (trials + alpha + beta), dtype=np.float64)


def there(piece: Impressions) -> Flags:
    """Where a document stood."""
    return piece.there


def clicked(piece: Impressions) -> Flags:
    """Where one was clicked."""
    return piece.clicks


def per_pair(pages: Impressions, of: Callable[[Impressions], Flags]) -> Floats:
    """For each pair, at how many places of the pages a flag holds, computed for each piece."""
    counts = np.zeros(len(pages.pairs), dtype=np.int64)
    for piece in pages.pieces():
        np.add.at(counts, piece.shown[of(piece)], 1)
    return counts.astype(np.float64)


def sum_per_pair(pages: Impressions, of: Callable[[Impressions], Floats]) -> Floats:
    """For each pair, the sum of a number over the places where it stood, computed for each piece."""
    sums = np.zeros(len(pages.pairs))
    for piece in pages.pieces():
        np.add.at(sums, piece.shown[piece.there], of(piece)[piece.there])
    return sums


def last_click(pages: Impressions) -> NDArray[np.int64]:
    """The rank of the lowest click of each page; 0 where nothing was clicked."""
    return np.asarray(np.where(pages.clicks, np.arange(1, pages.ranks + 1), 0).max(axis=1), dtype=np.int64)


def last_above(pages: Impressions) -> NDArray[np.int64]:
    """Pages x ranks: the rank of the last click above, from 1; 0 where there is none."""
    at = np.where(pages.clicks, np.arange(1, pages.ranks + 1), 0)
    above = np.zeros_like(at)
    above[:, 1:] = np.maximum.accumulate(at, axis=1)[:, :-1]
    return above
