"""Joining: pieces of a page that stand in several places of a log, put together.

Many logs have each page in one place: then nothing is moved. Where events stand apart from what was shown, rows are
dealt out to blocks of pages first, and each block is put in order by itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.clicks.logs.keys import Digests, numbered
from rankproof.flow.clicks.logs.parts import (
    UNKNOWN,
    Ints,
    Part,
    all_keys,
    all_queries,
    all_robots,
    all_times,
    in_columns,
)
from rankproof.flow.clicks.logs.piles import Pile
from rankproof.records.kept import Spool

PAGES_AT_ONCE = 50_000
Whole = NDArray[np.int64]


def whole_pages(parts: Pile[Part]) -> Pile[Part]:
    """Parts in which every piece is a page, in the order in which pages first appear."""
    keys = all_keys("keys", parts)
    pages = None if keys is None else numbered(keys)
    del keys
    if pages is None or pages[-1] == len(pages) - 1:
        return parts
    count = int(pages.max()) + 1
    blocks = _dealt(parts, pages, -(-count // PAGES_AT_ONCE))
    said = all_queries(parts)
    queries = _first(said, said != UNKNOWN, pages, count, np.int32(UNKNOWN))
    sessions, times, robots = _sessions(parts, pages, count), _times(parts, pages, count), _robots(parts, pages, count)
    found = Pile(Part)
    for turn, block in enumerate(blocks):
        at = slice(turn * PAGES_AT_ONCE, min((turn + 1) * PAGES_AT_ONCE, count))
        found.add(
            _ordered(
                block,
                queries[at],
                None if sessions is None else sessions[at],
                None if times is None else times[at],
                None if robots is None else robots[at],
            )
        )
    return found


def _dealt(parts: Pile[Part], pages: Whole, n_blocks: int) -> list[Pile[Part]]:
    """The rows of each block of pages, in the order in which they were read; a piece is a page of the block."""
    spool = Spool()
    blocks = [Pile(Part, spool) for _ in range(n_blocks)]
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
            blocks[block].add(Part(nothing, within, *columns, timed=timed, clicked_at=clicked_at))
    return blocks


def _ordered(
    block: Pile[Part],
    queries: Ints,
    sessions: Digests | None,
    times: NDArray[np.float64] | None,
    robots: NDArray[np.bool_] | None,
) -> Part:
    """The rows of a block, page after page; those of a page as they were read."""
    nothing = np.zeros(0, dtype=np.int32)
    empty = Part(nothing, nothing, nothing, nothing, nothing.astype(np.uint8))
    rows = in_columns([empty, *block])
    order = np.argsort(rows.piece, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    timed = None if rows.timed is None else place[rows.timed]
    columns = rows.piece[order], rows.docs[order], rows.ranks[order], rows.deeds[order]
    return Part(queries, *columns, None, sessions, times, robots, timed, rows.clicked_at)


def _sessions(parts: Pile[Part], pages: Whole, count: int) -> Digests | None:
    """Who saw each page: the first that is said."""
    said = all_keys("sessions", parts)
    return None if said is None else _first(said, np.asarray(said.any(axis=1)), pages, count, np.uint64(0))


def _times(parts: Pile[Part], pages: Whole, count: int) -> NDArray[np.float64] | None:
    """When each page was shown: the earliest that is said."""
    said = all_times(parts)
    if said is None:
        return None
    times = np.full(count, np.inf)
    known = ~np.isnan(said)
    np.minimum.at(times, pages[known], said[known])
    times[np.isinf(times)] = np.nan
    return times


def _robots(parts: Pile[Part], pages: Whole, count: int) -> NDArray[np.bool_] | None:
    """Whether a robot saw it: if any piece says so."""
    said = all_robots(parts)
    return None if said is None else np.bincount(pages[said], minlength=count) > 0


def _first(
    values: NDArray[Any], known: NDArray[np.bool_], pages: NDArray[np.int64], count: int, otherwise: np.generic
) -> NDArray[Any]:
    """For each page the first value that is known: written last, so that it stays."""
    found = np.full((count, *values.shape[1:]), otherwise)
    found[pages[known][::-1]] = values[known][::-1]
    return found
