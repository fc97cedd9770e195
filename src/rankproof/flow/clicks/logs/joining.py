"""Joining: pieces of a page that stand in several places of a log, put together.

Most logs have each page in one place: then nothing is moved. Where events stand apart from what was shown, all rows are
put in the order of their pages once, which takes some more memory.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.clicks.logs.keys import Digests, numbered
from rankproof.flow.clicks.logs.parts import UNKNOWN, Part, all_keys, in_columns

PAGES_AT_ONCE = 50_000


def whole_pages(parts: list[Part]) -> list[Part]:
    """Parts in which every piece is a page, in the order in which pages first appear. Empties the list it is given."""
    keys = all_keys([part.keys for part in parts], parts)
    pages = None if keys is None else numbered(keys)
    if pages is None or pages[-1] == len(pages) - 1:
        found = list(parts)
        parts.clear()
        return found
    count = int(pages.max()) + 1
    all_of = in_columns(parts)
    parts.clear()
    row_pages = pages[all_of.piece]
    order = np.argsort(row_pages, kind="stable")
    edges = np.searchsorted(row_pages[order], np.arange(0, count + PAGES_AT_ONCE, PAGES_AT_ONCE))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    queries = _first(all_of.queries, all_of.queries != UNKNOWN, pages, count, np.int32(UNKNOWN))
    sessions, times, robots = _of_pages(all_of, pages, count)
    timed = np.zeros(0, dtype=np.int64) if all_of.timed is None else place[all_of.timed]
    clicked_at = np.zeros(0) if all_of.clicked_at is None else all_of.clicked_at
    found = []
    for turn, (start, end) in enumerate(pairwise(edges.tolist())):
        at = slice(turn * PAGES_AT_ONCE, min((turn + 1) * PAGES_AT_ONCE, count))
        rows = order[start:end]
        within = (timed >= start) & (timed < end)
        found.append(
            Part(
                queries[at],
                (row_pages[rows] - at.start).astype(np.int32),
                all_of.docs[rows],
                all_of.ranks[rows],
                all_of.deeds[rows],
                None,
                None if sessions is None else sessions[at],
                None if times is None else times[at],
                None if robots is None else robots[at],
                timed[within] - start,
                clicked_at[within],
            )
        )
    return found


def _of_pages(
    all_of: Part, pages: NDArray[np.int64], count: int
) -> tuple[Digests | None, NDArray[np.float64] | None, NDArray[np.bool_] | None]:
    """Who saw each page (the first that is said), when it was shown (the earliest), and whether by a robot (any)."""
    sessions = times = robots = None
    if all_of.sessions is not None:
        sessions = _first(all_of.sessions, np.asarray(all_of.sessions.any(axis=1)), pages, count, np.uint64(0))
    if all_of.times is not None:
        times = np.full(count, np.inf)
        known = ~np.isnan(all_of.times)
        np.minimum.at(times, pages[known], all_of.times[known])
        times[np.isinf(times)] = np.nan
    if all_of.robots is not None:
        robots = np.bincount(pages[all_of.robots], minlength=count) > 0
    return sessions, times, robots


def _first(
    values: NDArray[Any], known: NDArray[np.bool_], pages: NDArray[np.int64], count: int, otherwise: np.generic
) -> NDArray[Any]:
    """For each page the first value that is known: written last, so that it stays."""
    found = np.full((count, *values.shape[1:]), otherwise)
    found[pages[known][::-1]] = values[known][::-1]
    return found
