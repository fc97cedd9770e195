"""Cleaning: rows of whole pages to documents by rank, without what is broken; each fault is counted once.

A page with a fault is left out with its clicks. On the pages that stay, clicks on what was not shown are left out, and
several clicks on a document are one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.clicks.logs.faults import Count
from rankproof.flow.clicks.logs.parts import ANSWERED, SHOWN, UNKNOWN, Ints, Part
from rankproof.records.clicklog import CLICKED, CONVERTED, STAYED, TIMED

DEEDS = CLICKED | TIMED | STAYED | CONVERTED


@dataclass(frozen=True, eq=False)
class Clean:
    """Pages that stay: which of the part's, how long, and their documents and deeds, page after page by rank."""

    kept: NDArray[np.int64]
    lengths: Ints
    docs: Ints
    deeds: NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class _Pairs:
    """The documents of each page, each once, page after page by rank; those that were not shown have no rank."""

    page: NDArray[np.int64]
    doc: Ints
    rank: NDArray[np.int64]
    deeds: NDArray[np.uint8]
    shown: NDArray[np.bool_]
    clicks: NDArray[np.int64]
    acts: NDArray[np.int64]
    moved: NDArray[np.bool_]


def cleaned(part: Part, docs: int, count: Count, depth: int, early: float) -> Clean:
    """The pages of a part that are whole.

    docs    how many documents are known
    depth   the last rank that is kept
    early   how many seconds a click may come before its page, for clocks that differ
    """
    rows, too_early = _without_early(part, early)
    pairs = _pairs(part, rows, docs)
    stays = ~_faults(part, pairs, too_early, count)
    count.add("click_early", 0, too_early[stays].sum())
    of_kept = stays[pairs.page]
    count.add("click_not_shown", 0, pairs.acts[of_kept & ~pairs.shown].sum())
    here = of_kept & pairs.shown
    count.add("click_repeated", 0, np.maximum(pairs.clicks[here] - 1, 0).sum())
    first = _least(pairs, len(part))
    above = here & (pairs.rank - first[pairs.page] < depth)
    count.add("click_below", 0, (pairs.clicks[here & ~above] > 0).sum())
    kept = np.flatnonzero(stays)
    lengths = np.bincount(pairs.page[above], minlength=len(part))[kept].astype(np.int32)
    return Clean(kept, lengths, pairs.doc[above], pairs.deeds[above] & np.uint8(DEEDS))


def _without_early(part: Part, early: float) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The deeds without clicks that came before their page, and how many these were on each page."""
    nothing = np.zeros(len(part), dtype=np.int64)
    if part.times is None or part.timed is None or part.clicked_at is None or not len(part.timed):
        return part.deeds, nothing
    page = part.piece[part.timed]
    wrong = part.clicked_at < part.times[page] - early  # a page whose time is not known is NaN: never later
    deeds = part.deeds.copy()
    deeds[part.timed[wrong]] &= np.uint8(SHOWN | ANSWERED)
    return deeds, nothing + np.bincount(page[wrong], minlength=len(part))


def _pairs(part: Part, deeds: NDArray[np.uint8], docs: int) -> _Pairs:
    """Rows of one document of a page as one. What the user's page had goes before what the engine answered."""
    seen, answered = (deeds & SHOWN) > 0, (deeds & ANSWERED) > 0
    has_page = np.bincount(part.piece[seen], minlength=len(part)) > 0
    shown = seen | (answered & ~has_page[part.piece])
    key = part.piece.astype(np.int64) * max(docs, 1) + part.docs
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    if not len(starts):
        none = np.zeros(0, dtype=np.int64)
        return _Pairs(none, none.astype(np.int32), none, deeds, none > 0, none, none, none > 0)
    ranks, shown_in_order, done = part.ranks[order].astype(np.int64), shown[order], deeds[order]
    far = np.iinfo(np.int64).max
    least = np.minimum.reduceat(np.where(shown_in_order, ranks, far), starts)
    most = np.maximum.reduceat(np.where(shown_in_order, ranks, UNKNOWN), starts)
    at = order[starts]
    page, doc = part.piece[at].astype(np.int64), part.docs[at]
    clicks = np.add.reduceat((done & CLICKED > 0).astype(np.int64), starts)
    acts = np.add.reduceat((done & (CLICKED | CONVERTED) > 0).astype(np.int64), starts)
    together = np.bitwise_or.reduceat(done, starts)
    is_shown = np.logical_or.reduceat(shown_in_order, starts)
    by_rank = np.lexsort((least, page))
    columns: tuple[Any, ...] = (page, doc, least, together, is_shown, clicks, acts, is_shown & (least != most))
    return _Pairs(*(column[by_rank] for column in columns))


def _faults(part: Part, pairs: _Pairs, early: NDArray[np.int64], count: Count) -> NDArray[np.bool_]:
    """Which pages have a fault. A page with several is counted with the first of them."""
    pages = len(part)
    clicks = np.bincount(pairs.page, pairs.clicks, pages) + early
    length = np.bincount(pairs.page[pairs.shown], minlength=pages)
    twice = np.bincount(pairs.page[pairs.moved], minlength=pages) > 0
    unknown, empty = part.queries == UNKNOWN, length == 0
    # What stands at its rank, counted from the first of the page: 0, 1, 2, ...
    shown = pairs.shown
    first = _least(pairs, pages)
    place = np.arange(shown.sum()) - np.repeat(np.cumsum(length) - length, length)
    off = pairs.rank[shown] - first[pairs.page[shown]] != place
    gap = (np.bincount(pairs.page[shown][off], minlength=pages) > 0) | (~empty & (first != 0) & (first != 1))
    done = np.zeros(pages, dtype=np.bool_)
    for name, fault in (
        ("click_without_page", unknown & empty),
        ("no_query", unknown),
        ("no_documents", empty),
        ("document_twice", twice),
        ("rank_gap", gap),
    ):
        new = fault & ~done
        count.add(name, 0 if name == "click_without_page" else new.sum(), clicks[new].sum())
        done |= new
    return done


def _least(pairs: _Pairs, pages: int) -> NDArray[np.int64]:
    """The first rank of each page; 0 for one without."""
    first = np.zeros(pages, dtype=np.int64)
    page, rank = pairs.page[pairs.shown], pairs.rank[pairs.shown]
    first[page[::-1]] = rank[::-1]  # they stand by rank: what is written last is the least
    return first
