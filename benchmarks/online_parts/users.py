"""Users fitted to a real click log, and what is to be expected of them on a page, computed and not drawn.

Each from a click model of rankproof learned from the whole log:

    position-based   look at each rank with the examination of that rank, whatever they clicked above
    cascade          read from the top, click the first result that attracts them, and stop
    dependent        read from the top, and after a click go on with the continuation of that rank
    mixed            position-based, and some sessions click far more readily than others: the log's clicks vary more
                     from page to page than one kind of users explains. Two kinds, so that the mean of clicks per page,
                     that of clicks x (clicks - 1) and the share of pages without a click are those of the log

All of them are one: they look at a rank with `look`, click with the result's attractiveness, and after a click read on
with `goes_on`. So the expectation of any sum over clicks, and of its square, follows from the last rank upward.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from rankproof.kernel.specs.calls import read_configured
from rankproof.online.clickmodels.cascade import Cascade
from rankproof.online.clickmodels.dependent_click import DependentClick
from rankproof.online.clickmodels.position_based import PositionBased
from rankproof.online.impressions import Impressions

Floats = NDArray[np.float64]
DEPTH = 10
# Pairs of the log that were shown less often say little about how attractive results are.
SHOWN = 50
GRADES = 4
# However readily somebody clicks, no click is surer than this.
SUREST = 0.95


@dataclass(frozen=True, eq=False)
class Users:
    """One kind of users, or a mixture of kinds that differ in how readily they click.

    look, goes_on   by rank
    appeals         grades x values: the attractiveness of the log's results, a quarter of them for each grade
    eagerness       shares of sessions, and what the chance of a click is multiplied by in them
    """

    name: str
    look: Floats
    goes_on: Floats
    appeals: tuple[Floats, ...]
    eagerness: tuple[tuple[float, float], ...] = ((1.0, 1.0),)

    def clicks(self, attraction: Floats) -> Iterator[tuple[float, Floats]]:
        """The share of each kind of sessions, and pages x ranks their chance to click what they come down to."""
        for share, factor in self.eagerness:
            yield share, np.minimum(factor * attraction * self.look, SUREST)

    def totals(self, attraction: Floats, worth: Floats) -> tuple[Floats, Floats]:
        """By page, the mean of the sum of `worth` over clicks, and the mean of its square; both are pages x ranks."""
        means, squares = np.zeros((2, len(attraction)))
        for share, click in self.clicks(attraction):
            mean, square = np.zeros((2, len(attraction)))
            for rank in reversed(range(DEPTH)):
                p, w, on = click[:, rank], worth[:, rank], self.goes_on[rank]
                square = (1 - p) * square + p * (w * w + on * (2 * w * mean + square))
                mean = (1 - p) * mean + p * (w + on * mean)
            means, squares = means + share * mean, squares + share * square
        return means, squares

    def first(self, attraction: Floats) -> Floats:
        """Pages x ranks: the probability that the first click is there."""
        found = np.zeros_like(attraction)
        for share, click in self.clicks(attraction):
            before = np.ones_like(click)
            before[:, 1:] = np.cumprod(1 - click[:, :-1], axis=1)
            found += share * click * before
        return found

    def signs(self, attraction: Floats, worth: Floats) -> tuple[Floats, Floats]:
        """By page, the chances that the sum of `worth`, which is 1 or -1 for each click, is above 0 and below 0."""
        every = np.zeros((len(attraction), 2 * DEPTH + 1))
        for share, click in self.clicks(attraction):
            reading, gone = np.zeros((2, *every.shape))
            reading[:, DEPTH] = 1.0
            for rank in range(DEPTH):
                up, down = np.roll(reading, 1, axis=1), np.roll(reading, -1, axis=1)
                clicked = click[:, rank, None] * np.where(worth[:, rank, None] > 0, up, down)
                reading = (1 - click[:, rank, None]) * reading + self.goes_on[rank] * clicked
                gone = gone + (1 - self.goes_on[rank]) * clicked
            every += share * (reading + gone)
        return every[:, DEPTH + 1 :].sum(axis=1), every[:, :DEPTH].sum(axis=1)

    def model(self, attractiveness: Floats) -> PositionBased | Cascade | DependentClick:
        """The same users as a fitted click model, to draw clicks from; a mixture is none."""
        assert len(self.eagerness) == 1, self.name
        if self.name == "position-based":
            return PositionBased(attractiveness, self.look)
        return Cascade(attractiveness) if self.name == "cascade" else DependentClick(attractiveness, self.goes_on)


def fitted(pages: Impressions) -> tuple[Users, ...]:
    """All kinds, from pages of ten results."""
    assert pages.ranks == DEPTH, pages.ranks
    every, none = np.ones(DEPTH), np.zeros(DEPTH)
    position, cascade, dependent = (_learned(pages, name) for name in ("position_based", "cascade", "dependent_click"))
    quarters = _quarters(pages, position.attractiveness)
    mixed = _eagerness(position.attractiveness[pages.shown] * position.looked, pages.clicks.sum(axis=1))
    return (
        Users("position-based", position.looked, every, quarters),
        Users("cascade", every, none, _quarters(pages, cascade.attractiveness)),
        Users("dependent", every, dependent.goes_on, _quarters(pages, dependent.attractiveness)),
        Users("mixed", position.looked, every, quarters, mixed),
    )


def _eagerness(click: Floats, clicks: NDArray[np.int64]) -> tuple[tuple[float, float], ...]:
    """Two kinds of sessions, so that three figures are those of the log."""
    wanted = np.array([clicks.mean(), (clicks * (clicks - 1)).mean(), (clicks == 0).mean()])

    def kinds(at: Floats) -> tuple[tuple[float, float], ...]:
        share = float(1 / (1 + np.exp(-at[0])))
        return (1 - share, float(np.exp(at[1]))), (share, float(np.exp(at[2])))

    def misses(at: Floats) -> Floats:
        found = np.zeros(3)
        for share, factor in kinds(at):
            p = np.minimum(factor * click, SUREST)
            total = p.sum(axis=1)
            figures = (total, total * total - (p * p).sum(axis=1), np.prod(1 - p, axis=1))
            found += share * np.array([figure.mean() for figure in figures])
        return np.asarray(found / wanted - 1)

    # From a tenth of the sessions that click three times as readily, and others a little less.
    found = least_squares(misses, np.array([-2.0, -0.2, 1.1]))
    assert np.abs(found.fun).max() < 1e-6, found
    return kinds(found.x)


def _learned(pages: Impressions, name: str) -> Any:
    call = read_configured("clickmodels", name)
    return call.item.fit(pages, call.values)


def _quarters(pages: Impressions, attractiveness: Floats) -> tuple[Floats, ...]:
    """What was shown often enough, from the least attractive quarter to the most attractive."""
    shown = np.bincount(pages.shown[pages.there], minlength=len(pages.pairs))
    return tuple(np.array_split(np.sort(attractiveness[shown >= SHOWN]), GRADES))
