"""Clean a log: pieces of pages joined, ranks completed, broken rows dropped and counted.

A page with a fault is left out with its clicks. On the pages that stay, clicks on what was not shown are left out, and
several clicks on a document are one.

Many logs have each page in one place: then nothing is moved. Where events stand apart from what was shown, rows are
dealt out to blocks of pages first, and each block is put in order by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.column_files import Spool
from rankproof.online.clicks.logs.faults import FaultCounts
from rankproof.online.clicks.logs.mend import ShownRows, shown_rows
from rankproof.online.clicks.logs.page_parts import (
    ANSWERED,
    SHOWN,
    UNKNOWN,
    Digests,
    Ints,
    PageParts,
    RecordSpool,
    Scalar,
    all_keys,
    all_queries,
    all_robots,
    all_times,
    in_columns,
    numbered,
)
from rankproof.online.impressions import CLICKED, CONVERTED, STAYED, TIMED

DEEDS = CLICKED | TIMED | STAYED | CONVERTED


@dataclass(frozen=True, eq=False)
class CleanPages:
    """Pages that stay: which of the part's, how long, and their documents and deeds, page after page by rank."""

    rows: NDArray[np.int64]
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


def drop_faulty_pages(part: PageParts, docs: int, count: FaultCounts, depth: int, early: float) -> CleanPages:
    """The pages of a part that are whole.

    docs    how many documents are known
    depth   the last rank that is read
    early   how many seconds a click may come before its page, for clocks that differ
    """
    rows, too_early = _without_early(part, early)
    pairs, mended = _pairs(part, rows, docs)
    count.mended += np.array([mended.mended, mended.pages])
    stays = ~_faults(part, pairs, too_early, count)
    count.add("click_early", 0, too_early[stays].sum())
    of_clean = stays[pairs.page]
    count.add("click_not_shown", 0, pairs.acts[of_clean & ~pairs.shown].sum())
    here = of_clean & pairs.shown
    count.add("click_repeated", 0, np.maximum(pairs.clicks[here] - 1, 0).sum())
    first = _least(pairs, len(part))
    above = here & (pairs.rank - first[pairs.page] < depth)
    count.add("click_below", 0, (pairs.clicks[here & ~above] > 0).sum())
    clean = np.flatnonzero(stays)
    lengths = np.bincount(pairs.page[above], minlength=len(part))[clean].astype(np.int32)
    return CleanPages(clean, lengths, pairs.doc[above], pairs.deeds[above] & np.uint8(DEEDS))


def _without_early(part: PageParts, early: float) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The deeds without clicks that came before their page, and how many these were on each page."""
    nothing = np.zeros(len(part), dtype=np.int64)
    if part.times is None or part.timed is None or part.clicked_at is None or not len(part.timed):
        return part.deeds, nothing
    page = part.piece[part.timed]
    wrong = part.clicked_at < part.times[page] - early  # a page whose time is not known is NaN: never later
    deeds = part.deeds.copy()
    deeds[part.timed[wrong]] &= np.uint8(SHOWN | ANSWERED)
    return deeds, nothing + np.bincount(page[wrong], minlength=len(part))


def _pairs(part: PageParts, deeds: NDArray[np.uint8], docs: int) -> tuple[_Pairs, ShownRows]:
    """Rows of one document of a page as one. What the user's page had goes before what the engine answered."""
    rows = shown_rows(part, deeds, docs)
    shown = rows.shown
    key = part.piece.astype(np.int64) * max(docs, 1) + part.docs
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    if not len(starts):
        none = np.zeros(0, dtype=np.int64)
        return _Pairs(none, none.astype(np.int32), none, deeds, none > 0, none, none, none > 0), rows
    ranks, shown_in_order, done = rows.ranks[order], shown[order], deeds[order]
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
    moved = is_shown & (least != most)
    pairs = _Pairs(
        page[by_rank],
        doc[by_rank],
        least[by_rank],
        together[by_rank],
        is_shown[by_rank],
        clicks[by_rank],
        acts[by_rank],
        moved[by_rank],
    )
    return pairs, rows


def _faults(part: PageParts, pairs: _Pairs, early: NDArray[np.int64], count: FaultCounts) -> NDArray[np.bool_]:
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


PAGES_AT_ONCE = 50_000
Whole = NDArray[np.int64]


def whole_pages(parts: RecordSpool[PageParts]) -> RecordSpool[PageParts]:
    """Parts in which every piece is a page, in the order in which pages first appear."""
    keys = all_keys("keys", parts)
    pages = None if keys is None else numbered(keys)
    del keys
    if pages is None or pages[-1] == len(pages) - 1:
        return parts
    count = int(pages.max()) + 1
    blocks = _dealt(parts, pages, -(-count // PAGES_AT_ONCE))
    queries_of_pieces = all_queries(parts)
    queries = _first(queries_of_pieces, queries_of_pieces != UNKNOWN, pages, count, np.int32(UNKNOWN))
    sessions, times, robots = _sessions(parts, pages, count), _times(parts, pages, count), _robots(parts, pages, count)
    whole = RecordSpool(PageParts)
    for turn, block in enumerate(blocks):
        at = slice(turn * PAGES_AT_ONCE, min((turn + 1) * PAGES_AT_ONCE, count))
        whole.add(
            _ordered(
                block,
                queries[at],
                None if sessions is None else sessions[at],
                None if times is None else times[at],
                None if robots is None else robots[at],
            )
        )
    return whole


def _dealt(parts: RecordSpool[PageParts], pages: Whole, n_blocks: int) -> list[RecordSpool[PageParts]]:
    """The rows of each block of pages, in the order in which they were read; a piece is a page of the block."""
    spool = Spool()
    blocks = [RecordSpool(PageParts, spool) for _ in range(n_blocks)]
    nothing = np.zeros(0, dtype=np.int32)
    start = 0
    for part in parts:
        row_pages = pages[start : start + len(part)][part.piece]
        start += len(part)
        of = row_pages // PAGES_AT_ONCE
        for block in np.unique(of).tolist():
            rows = np.flatnonzero(of == block)
            timed = clicked_at = None
            if part.timed is not None and part.clicked_at is not None:
                here = of[part.timed] == block
                timed, clicked_at = np.searchsorted(rows, part.timed[here]), part.clicked_at[here]
            within = (row_pages[rows] - block * PAGES_AT_ONCE).astype(np.int32)
            columns = part.docs[rows], part.ranks[rows], part.deeds[rows]
            blocks[block].add(PageParts(nothing, within, *columns, timed=timed, clicked_at=clicked_at))
    return blocks


def _ordered(
    block: RecordSpool[PageParts],
    queries: Ints,
    sessions: Digests | None,
    times: NDArray[np.float64] | None,
    robots: NDArray[np.bool_] | None,
) -> PageParts:
    """The rows of a block, page after page; those of a page as they were read."""
    nothing = np.zeros(0, dtype=np.int32)
    empty = PageParts(nothing, nothing, nothing, nothing, nothing.astype(np.uint8))
    rows = in_columns([empty, *block])
    order = np.argsort(rows.piece, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    timed = None if rows.timed is None else place[rows.timed]
    columns = rows.piece[order], rows.docs[order], rows.ranks[order], rows.deeds[order]
    return PageParts(queries, *columns, None, sessions, times, robots, timed, rows.clicked_at)


def _sessions(parts: RecordSpool[PageParts], pages: Whole, count: int) -> Digests | None:
    """Who saw each page: the first that is given."""
    keys = all_keys("sessions", parts)
    return None if keys is None else _first(keys, np.asarray(keys.any(axis=1)), pages, count, np.uint64(0))


def _times(parts: RecordSpool[PageParts], pages: Whole, count: int) -> NDArray[np.float64] | None:
    """When each page was shown: the earliest that is given."""
    times_of_pieces = all_times(parts)
    if times_of_pieces is None:
        return None
    times = np.full(count, np.inf)
    known = ~np.isnan(times_of_pieces)
    np.minimum.at(times, pages[known], times_of_pieces[known])
    times[np.isinf(times)] = np.nan
    return times


def _robots(parts: RecordSpool[PageParts], pages: Whole, count: int) -> NDArray[np.bool_] | None:
    """Whether a robot saw it: if any piece says so."""
    flags = all_robots(parts)
    return None if flags is None else np.bincount(pages[flags], minlength=count) > 0


def _first(
    values: NDArray[Scalar], known: NDArray[np.bool_], pages: NDArray[np.int64], count: int, otherwise: np.generic
) -> NDArray[Scalar]:
    """For each page the first value that is known: written last, so that it stays."""
    first = np.full((count, *values.shape[1:]), otherwise)
    first[pages[known][::-1]] = values[known][::-1]
    return first
