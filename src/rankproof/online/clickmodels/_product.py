"""Models in which a click needs a look and an attraction, independent of each other: fitted by EM over counts.

A place of a page is a pair in a slot: its rank, or its rank and the last click above. What counts is how often each
pair stood in each slot and how often it was clicked there, so that a pass costs what the distinct cells cost, not the
pages. Passes are those of Chuklin, Markov and de Rijke, Click Models for Web Search, 2015.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.online.clickmodels.contract import Floats
from rankproof.online.impressions import Impressions

Whole = NDArray[np.int64]
# Cells that could be, at most, where all of them are counted.
DENSE = 2**23


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Each pair in each slot where it stood: how often it was shown there, and how often it was clicked."""

    pairs: NDArray[np.int64]
    slots: NDArray[np.int64]
    shown: Floats
    clicked: Floats


@dataclass(frozen=True, slots=True, eq=False)
class ProductFit:
    """What the passes came to: attractiveness by pair, examination by slot, and the trail of the posterior."""

    attractiveness: Floats
    examination: Floats
    trail: tuple[float, ...]


def by_rank(piece: Impressions) -> NDArray[np.int64]:
    """Slots that are ranks, from 0."""
    return np.broadcast_to(np.arange(piece.ranks), piece.shown.shape)


def cells_of(pages: Impressions, slots_of: Callable[[Impressions], NDArray[np.int64]], n_slots: int) -> Cells:
    """The cells of pages; `slots_of` says of a piece in which slot each of its places is."""
    room = len(pages.pairs) * n_slots
    counted = _Counted(room) if room <= min(4 * len(pages) * pages.ranks + 1_000_000, DENSE) else _Sorted()
    for piece in pages.pieces():
        keys = (piece.shown * n_slots + slots_of(piece))[piece.there]
        counted.add(keys, piece.clicks[piece.there])
    known, shown, clicked = counted.counts()
    return Cells(known // n_slots, known % n_slots, shown.astype(np.float64), clicked.astype(np.float64))


class _Counted:
    """Counts over all cells that could be: quicker than sorting those that are."""

    def __init__(self, room: int) -> None:
        self._counts = np.zeros((2, room), dtype=np.int64)

    def add(self, keys: Whole, clicks: NDArray[np.bool_]) -> None:
        np.add.at(self._counts[0], keys, 1)
        np.add.at(self._counts[1], keys[clicks], 1)

    def counts(self) -> tuple[Whole, Whole, Whole]:
        known = np.flatnonzero(self._counts[0])
        return known, self._counts[0][known], self._counts[1][known]


class _Sorted:
    """Counts of the cells that are, in their order. New ones wait until they are as many as those that are known."""

    def __init__(self) -> None:
        nothing = np.zeros(0, dtype=np.int64)
        self._known = (nothing, nothing, nothing)
        self._new: list[tuple[Whole, Whole, Whole]] = []

    def add(self, keys: Whole, clicks: NDArray[np.bool_]) -> None:
        known, places, shown = np.unique(keys, return_inverse=True, return_counts=True)
        self._new.append((known, shown, np.bincount(places[clicks], minlength=len(known))))
        if sum(len(new[0]) for new in self._new) > len(self._known[0]):
            self._merge()

    def counts(self) -> tuple[Whole, Whole, Whole]:
        self._merge()
        return self._known

    def _merge(self) -> None:
        keys, shown, clicked = (np.concatenate(columns) for columns in zip(self._known, *self._new, strict=True))
        self._new = []
        known, places = np.unique(keys, return_inverse=True)
        counts = np.zeros((2, len(known)), dtype=np.int64)
        np.add.at(counts[0], places, shown)
        np.add.at(counts[1], places, clicked)
        self._known = known, counts[0], counts[1]


def learn(cells: Cells, n_pairs: int, n_slots: int, values: Mapping[str, float]) -> ProductFit:
    """Both kinds of parameters at a mode of the posterior, from where the prior has them."""
    alpha, beta = float(values["alpha"]), float(values["beta"])
    attractive = np.full(n_pairs, alpha / (alpha + beta))
    looked = np.full(n_slots, alpha / (alpha + beta))
    of_pairs = alpha + beta + np.bincount(cells.pairs, cells.shown, n_pairs)
    of_slots = alpha + beta + np.bincount(cells.slots, cells.shown, n_slots)
    skipped = cells.shown - cells.clicked
    trail = []
    for _ in range(int(values["passes"])):
        a, e = attractive[cells.pairs], looked[cells.slots]
        missed = skipped / (1 - a * e)
        # A click shows both; a skip leaves each possible where the other failed.
        attractive = (alpha + np.bincount(cells.pairs, cells.clicked + missed * a * (1 - e), n_pairs)) / of_pairs
        looked = (alpha + np.bincount(cells.slots, cells.clicked + missed * e * (1 - a), n_slots)) / of_slots
        click = attractive[cells.pairs] * looked[cells.slots]
        log_likelihood = float(cells.clicked @ np.log(click) + skipped @ np.log1p(-click))
        trail.append(log_likelihood + _prior(attractive, alpha, beta) + _prior(looked, alpha, beta))
    return ProductFit(attractive, looked, tuple(trail))


def _prior(rates: Floats, alpha: float, beta: float) -> float:
    return float(alpha * np.log(rates).sum() + beta * np.log1p(-rates).sum())
