"""Mend pages: impressions that were lost, from what the engine answered; and ranks of documents known by their place.

A page has documents that a user's screen reported, and what the engine answered. Where every report agrees with the
answer about its rank, counted from 0 or from 1, the screen showed the answer, and what is missing down to the last
report or the last click was lost on its way: it stands where the answer has it. Where they disagree the screen showed
another order, and only its reports count.

Some reports have no rank, but the place on the screen in pixels. Documents are then ranked down the screen, and from
left to right at one height; where that is the order of the answer, they have the ranks of the answer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.online.clicks.logs.page_parts import ANSWERED, PLACED, SHOWN, UNKNOWN, PageParts
from rankproof.online.impressions import CLICKED

Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]
_FAR = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class ShownRows:
    """Which rows of a part show a document, their ranks, and how many were mended on how many pages."""

    shown: Flags
    ranks: Numbers
    mended: int = 0
    pages: int = 0


def shown_rows(part: PageParts, deeds: NDArray[np.uint8], docs: int) -> ShownRows:
    """The showings of the pages of a part; `docs` is how many documents are known."""
    pages = len(part)
    seen, answered = (deeds & SHOWN) > 0, (deeds & ANSWERED) > 0
    reported = np.bincount(part.piece[seen], minlength=pages) > 0
    shown = seen | (answered & ~reported[part.piece])
    ranks = part.ranks.astype(np.int64)
    placed = seen & ((deeds & PLACED) > 0)
    if placed.any():
        ranks = _ranked_by_place(part, ranks, placed, pages)
    hits = np.flatnonzero(answered & reported[part.piece])
    if not len(hits):
        return ShownRows(shown, ranks)
    keys = part.piece.astype(np.int64) * max(docs, 1) + part.docs
    order = hits[np.argsort(keys[hits], kind="stable")]
    sorted_keys = keys[order]
    looked = np.flatnonzero(seen)
    answer = _answer(sorted_keys, order, ranks, keys[looked])
    agrees, shift = _agreeing(part.piece[looked], ranks[looked], answer, placed[looked], pages)
    twice = part.piece[order[1:]][sorted_keys[1:] == sorted_keys[:-1]]
    agrees[twice] = False
    # The reports that have only a place take the ranks of the answer, where these go the same way.
    by_place = looked[placed[looked] & agrees[part.piece[looked]]]
    ranks[by_place] = answer[np.searchsorted(looked, by_place)]
    last = np.full(pages, UNKNOWN, dtype=np.int64)
    np.maximum.at(last, part.piece[looked], np.where(agrees[part.piece[looked]], answer, UNKNOWN))
    clicked = np.flatnonzero((deeds & CLICKED) > 0)
    np.maximum.at(last, part.piece[clicked], _answer(sorted_keys, order, ranks, keys[clicked]))
    missing = hits[
        agrees[part.piece[hits]] & (ranks[hits] <= last[part.piece[hits]]) & ~np.isin(keys[hits], keys[looked])
    ]
    shown[missing] = True
    ranks[missing] -= shift[part.piece[missing]]
    return ShownRows(shown, ranks, len(missing), len(np.unique(part.piece[missing])))


def _answer(sorted_keys: Numbers, order: Numbers, ranks: Numbers, keys: Numbers) -> Numbers:
    """The rank that the engine's answer gives each document of a page; UNKNOWN where it has it not."""
    at = np.minimum(np.searchsorted(sorted_keys, keys), len(sorted_keys) - 1)
    return np.where(sorted_keys[at] == keys, ranks[order[at]], UNKNOWN)


def _agreeing(
    piece: NDArray[np.int32], ranks: Numbers, answer: Numbers, placed: Flags, pages: int
) -> tuple[Flags, Numbers]:
    """Which pages agree with the answer in all they report, and by how much the answer's ranks are greater."""
    found = answer != UNKNOWN
    apart = np.where(placed, 0, answer - ranks)
    least, most = np.full(pages, _FAR), np.full(pages, -_FAR)
    np.minimum.at(least, piece, np.where(found, apart, -_FAR))
    np.maximum.at(most, piece, apart)
    agrees = (least == most) & (least >= 0) & (least <= 1)
    # By place: the answer's ranks rise down the screen.
    order = np.lexsort((ranks, piece))
    down = placed[order]
    falls = (piece[order][1:] == piece[order][:-1]) & down[1:] & (answer[order][1:] <= answer[order][:-1])
    agrees[piece[order][1:][falls]] = False
    return agrees, np.where(agrees, least, 0)


def _ranked_by_place(part: PageParts, ranks: Numbers, placed: Flags, pages: int) -> Numbers:
    """Ranks from 1 for the documents of a page that have a place; several reports of one document are one."""
    rows = np.flatnonzero(placed)
    page, place = part.piece[rows].astype(np.int64), ranks[rows]
    doc = part.docs[rows]
    order = np.lexsort((place, doc, page))
    first = np.ones(len(rows), dtype=np.bool_)
    first[1:] = (page[order][1:] != page[order][:-1]) | (doc[order][1:] != doc[order][:-1])
    group = np.empty(len(rows), dtype=np.int64)
    group[order] = np.cumsum(first) - 1
    leaders = order[first]
    down = np.lexsort((place[leaders], page[leaders]))
    starts = np.concatenate([[0], np.flatnonzero(np.diff(page[leaders][down])) + 1])
    counts = np.diff(np.append(starts, len(down)))
    rank_of_leader = np.empty(len(leaders), dtype=np.int64)
    rank_of_leader[down] = np.arange(len(down)) - np.repeat(starts, counts) + 1
    ranked = ranks.copy()
    ranked[rows] = rank_of_leader[group]
    return ranked
