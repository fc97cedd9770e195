"""Models in which users may read on after a click: fitted by EM, the hidden part being what follows the last click.

Down to the last click all was looked at. After it the user stopped, or read on to the end of the page and clicked no
more: which of the two, nobody saw. A pass weighs both by their probability, and counts looks and readings on with that
weight. The chance to read on belongs to a slot: the rank of the click, or the pair that was clicked. A click on the
last document of a page says nothing about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.clickmodels._contract import Floats, last_click, per_pair
from rankproof.records.impressions import Impressions


@dataclass(frozen=True, slots=True, eq=False)
class Readers:
    """What the passes came to: attractiveness by pair, the chance to read on by slot, the trail of the posterior."""

    attractiveness: Floats
    goes_on: Floats
    trail: tuple[float, ...]


def learn(pages: Impressions, slots: NDArray[np.int64], n_slots: int, values: Mapping[str, Any]) -> Readers:
    """Both kinds of parameters at a mode of the posterior, from where the prior has them."""
    alpha, beta = float(values["alpha"]), float(values["beta"])
    n_pairs, ranks = len(pages.pairs), np.arange(1, pages.ranks + 1)
    last = last_click(pages)
    sure = pages.there & ((last[:, None] == 0) | (ranks <= last[:, None]))
    clicked, looked = per_pair(pages, pages.clicks), per_pair(pages, sure)
    telling = pages.clicks & (ranks < pages.lengths[:, None])
    of_slots = alpha + beta + np.bincount(slots[telling], minlength=n_slots)
    went_on = np.bincount(slots[telling & (ranks < last[:, None])], minlength=n_slots).astype(np.float64)

    # The pages where it is open whether the user read on, and the places below their last click.
    open_rows = np.flatnonzero((last > 0) & (last < pages.lengths))
    last_slots = slots[open_rows, last[open_rows] - 1]
    below = pages.there[open_rows] & (ranks > last[open_rows, None])
    below_pairs, below_pages = pages.shown[open_rows][below], np.nonzero(below)[0]

    attractive, goes_on = np.full(n_pairs, alpha / (alpha + beta)), np.full(n_slots, alpha / (alpha + beta))
    trail = []
    for turn in range(int(values["passes"]) + 1):
        silent = np.exp(np.bincount(below_pages, np.log1p(-attractive)[below_pairs], len(open_rows)))
        on = goes_on[last_slots]
        ends = 1 - on + on * silent
        if turn:
            seen = clicked @ np.log(attractive) + (looked - clicked) @ np.log1p(-attractive)
            seen += went_on @ np.log(goes_on) + np.log(ends).sum()
            trail.append(float(seen) + _prior(attractive, alpha, beta) + _prior(goes_on, alpha, beta))
        if turn == int(values["passes"]):
            break
        read_on = on * silent / ends
        looks = looked + np.bincount(below_pairs, read_on[below_pages], n_pairs)
        attractive = (alpha + clicked) / (alpha + beta + looks)
        goes_on = (alpha + went_on + np.bincount(last_slots, read_on, n_slots)) / of_slots
    return Readers(attractive, goes_on, tuple(trail))


def _prior(rates: Floats, alpha: float, beta: float) -> float:
    return float(alpha * np.log(rates).sum() + beta * np.log1p(-rates).sum())
