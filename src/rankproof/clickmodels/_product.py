"""Models in which a click needs a look and an attraction, independent of each other: fitted by EM over counts.

A place of a page is a pair in a slot: its rank, or its rank and the last click above. What counts is how often each
pair stood in each slot and how often it was clicked there, so that a pass costs what the distinct cells cost, not the
pages. Passes are those of Chuklin, Markov and de Rijke, Click Models for Web Search, 2015.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.clickmodels._contract import Floats
from rankproof.records.impressions import Impressions


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Each pair in each slot where it stood: how often it was shown there, and how often it was clicked."""

    pairs: NDArray[np.int64]
    slots: NDArray[np.int64]
    shown: Floats
    clicked: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """What the passes came to: attractiveness by pair, examination by slot, and the trail of the posterior."""

    attractiveness: Floats
    examination: Floats
    trail: tuple[float, ...]


def cells_of(pages: Impressions, slots: NDArray[np.int64], n_slots: int) -> Cells:
    """The cells of pages whose places are in these slots."""
    keys = (pages.shown * n_slots + slots)[pages.there]
    clicks = pages.clicks[pages.there]
    room = len(pages.pairs) * n_slots
    if room <= 4 * keys.size + 1_000_000:  # counting over all that could be is quicker than sorting what is
        counts = np.bincount(keys, minlength=room)
        known = np.flatnonzero(counts)
        shown, clicked = counts[known], np.bincount(keys[clicks], minlength=room)[known]
    else:
        known, places, shown = np.unique(keys, return_inverse=True, return_counts=True)
        clicked = np.bincount(places[clicks], minlength=len(known))
    return Cells(known // n_slots, known % n_slots, shown.astype(np.float64), clicked.astype(np.float64))


def learn(cells: Cells, n_pairs: int, n_slots: int, values: Mapping[str, Any]) -> Learned:
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
        seen = float(cells.clicked @ np.log(click) + skipped @ np.log1p(-click))
        trail.append(seen + _prior(attractive, alpha, beta) + _prior(looked, alpha, beta))
    return Learned(attractive, looked, tuple(trail))


def _prior(rates: Floats, alpha: float, beta: float) -> float:
    return float(alpha * np.log(rates).sum() + beta * np.log1p(-rates).sum())
