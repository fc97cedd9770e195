"""Models in which users may read on after a click: fitted by EM, the hidden part being what follows the last click.

Down to the last click all was looked at. After it the user stopped, or read on to the end of the page and clicked no
more: which of the two, nobody saw. A pass weighs both by their probability, and counts looks and readings on with that
weight. The probability of reading on belongs to a slot: the rank of the click, or the pair that was clicked. A click on
the last document of a page says nothing about it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.column_files import Again, Spool
from rankproof.online.clickmodels.contract import Floats, last_click, per_pair
from rankproof.online.clickmodels.contract import clicked as clicked_places
from rankproof.online.impressions import Flags, Impressions


@dataclass(frozen=True, slots=True, eq=False)
class ReadingOnFit:
    """The fit: attractiveness by pair, the probability of reading on by slot, the trail of the posterior."""

    attractiveness: Floats
    goes_on: Floats
    trail: tuple[float, ...]


def learn(
    pages: Impressions, slots_of: Callable[[Impressions], NDArray[np.int64]], n_slots: int, values: Mapping[str, float]
) -> ReadingOnFit:
    """Both kinds of parameters at a mode of the posterior, from where the prior has them.

    slots_of   says of a piece in which slot each of its places is
    """
    alpha, beta = float(values["alpha"]), float(values["beta"])
    n_pairs = len(pages.pairs)
    clicked, looked = per_pair(pages, clicked_places), per_pair(pages, _surely_looked)
    informative, went_on = np.zeros(n_slots, dtype=np.int64), np.zeros(n_slots)
    left_open, spool = [], Spool()
    for piece in pages.pieces():
        ranks, last, slots = np.arange(1, piece.ranks + 1), last_click(piece), slots_of(piece)
        telling = piece.clicks & (ranks < piece.lengths[:, None])
        np.add.at(informative, slots[telling], 1)
        np.add.at(went_on, slots[telling & (ranks < last[:, None])], 1.0)
        left_open.append(_Open.of(piece, slots, last, spool))
    of_slots = alpha + beta + informative

    attractive, goes_on = np.full(n_pairs, alpha / (alpha + beta)), np.full(n_slots, alpha / (alpha + beta))
    trail = []
    for turn in range(int(values["passes"]) + 1):
        skips = np.log1p(-attractive)
        more_looks, more_on, ended = np.zeros(n_pairs), np.zeros(n_slots), 0.0
        for some in left_open:
            pairs, rows, last_slots = some.pairs(), some.rows(), some.last_slots()
            silent = np.exp(np.bincount(rows, skips[pairs], len(last_slots)))
            on = goes_on[last_slots]
            ends = 1 - on + on * silent
            ended += float(np.log(ends).sum())
            read_on = on * silent / ends
            np.add.at(more_looks, pairs, read_on[rows])
            np.add.at(more_on, last_slots, read_on)
        if turn:
            log_likelihood = clicked @ np.log(attractive) + (looked - clicked) @ skips
            log_likelihood += went_on @ np.log(goes_on) + ended
            trail.append(float(log_likelihood) + _prior(attractive, alpha, beta) + _prior(goes_on, alpha, beta))
        if turn < int(values["passes"]):
            attractive = (alpha + clicked) / (alpha + beta + (looked + more_looks))
            goes_on = (alpha + went_on + more_on) / of_slots
    return ReadingOnFit(attractive, goes_on, tuple(trail))


@dataclass(frozen=True, slots=True, eq=False)
class _Open:
    """The pages of a piece where it is open whether the user read on after the last click, put away between passes.

    last_slots    of each such page
    pairs, rows   the places below the last click, and the page of each
    """

    last_slots: Again
    pairs: Again
    rows: Again

    @classmethod
    def of(cls, piece: Impressions, slots: NDArray[np.int64], last: NDArray[np.int64], spool: Spool) -> _Open:
        """Those of a piece."""
        at = np.flatnonzero((last > 0) & (last < piece.lengths))
        below = piece.there[at] & (np.arange(1, piece.ranks + 1) > last[at, None])
        columns = slots[at, last[at] - 1], piece.shown[at][below], np.nonzero(below)[0]
        return cls(*(spool.put(column) for column in columns))


def _surely_looked(piece: Impressions) -> Flags:
    """Down to the last click, and all of a page without one."""
    last = last_click(piece)[:, None]
    return np.asarray(piece.there & ((last == 0) | (np.arange(1, piece.ranks + 1) <= last)))


def _prior(rates: Floats, alpha: float, beta: float) -> float:
    return float(alpha * np.log(rates).sum() + beta * np.log1p(-rates).sum())
