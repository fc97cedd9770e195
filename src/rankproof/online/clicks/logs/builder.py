"""Build one ClickLog from the parts of a log.

Held in memory while reading: the text of each query and document once, and as much of the rest as column_files keeps.
The rest lies in files: for each row 13 bytes, for each page 4 to 45 (query, keys of page and session, time, robot); at
the end for each page 10 bytes for each rank of the longest page, and 16 to 33. Keys are put in order in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.kernel.column_files import let_go, put, zeros
from rankproof.kernel.sections import counted
from rankproof.online.clicks.logs.clean import CleanPages, drop_faulty_pages, whole_pages
from rankproof.online.clicks.logs.faults import FaultCounts
from rankproof.online.clicks.logs.page_parts import (
    Ids,
    Ints,
    PageParts,
    RecordSpool,
    all_keys,
    all_queries,
    all_robots,
    all_times,
    numbered,
)
from rankproof.online.impressions import CLICKED, ClickLog, Deeds, Flags, Impressions, slices
from rankproof.online.wording import counted_reason

STAY, DEPTH, EARLY = 30.0, 50, 5.0


class ClickLogBuilder:
    """Takes parts as they are read.

    stay    how many seconds on a document count as satisfied
    depth   the last rank that is read
    early   how many seconds a click may come before its page, for clocks that differ
    """

    def __init__(self, stay: float = STAY, depth: int = DEPTH, early: float = EARLY) -> None:
        if not stay > 0 or not early >= 0 or depth < 1:
            raise UsageError(
                "The seconds that satisfy must be more than 0, the depth 1 or more, and the seconds a click may be "
                f"early 0 or more; got {stay:g}, {depth} and {early:g}."
            )
        self.stay, self.depth, self.early = stay, depth, early
        self.queries, self.docs = Ids(), Ids()
        self.time_units: set[str] = set()  # of times that are numbers
        self.mappings: set[str] = set()  # of events, as sentences
        self.serial = 0  # of the last page that had no id of its own
        self._parts = RecordSpool(PageParts)

    def add(self, part: PageParts) -> None:
        """One more part."""
        if len(part) or len(part.docs):
            self._parts.add(part)

    def finish(self, name: str) -> ClickLog:
        """All of it; `name` is what an error calls the log. The gatherer is empty afterwards."""
        if not len(self._parts):
            raise InputError(f"{name} has no page. Check that it is the right file.")
        parts, self._parts = whole_pages(self._parts), RecordSpool(PageParts)
        count = FaultCounts()
        clean = self._cleaned(parts, count)
        rows = put(_numbers(clean, parts))
        if not len(rows):
            reasons = "; ".join(counted_reason(one.pages, one.why) for one in count.dropped() if one.pages)
            raise InputError(f"{name} has no page that can be used: {reasons or 'there is none'}. Correct the log.")
        sessions = _sessions(parts, rows)
        queries, times, robots = put(all_queries(parts)[rows]), all_times(parts), all_robots(parts)
        times, robots = None if times is None else put(times[rows]), None if robots is None else put(robots[rows])
        docs, deeds, lengths = _by_rank(clean, len(rows))
        del clean, parts
        pages = Impressions.of(
            self.queries.texts(),
            self.docs.texts(),
            queries,
            docs,
            lengths,
            _clicked(deeds),
            numbers=rows,
            sessions=sessions,
            dropped=MappingProxyType(count.by_reason()),
        )
        return ClickLog(pages, deeds, self.stay, times, robots, count.dropped(), tuple(self._notes(count)))

    def _notes(self, count: FaultCounts) -> Iterator[str]:
        yield from sorted(self.mappings)
        lost, pages = map(int, count.mended)
        if lost:
            yield (
                f"mended: {counted(lost, 'impression')} of {counted(pages, 'page')} had been lost and are there by "
                f"what "
                "the engine answered"
            )
        units = sorted(self.time_units)
        if units and units != ["seconds"]:
            also = ", which one log seldom has: check its times" if len(units) > 1 else ""
            yield f"times: numbers of the epoch in {' and '.join(units)}, told by their size{also}"

    def _cleaned(self, parts: RecordSpool[PageParts], count: FaultCounts) -> RecordSpool[CleanPages]:
        """The pages that stay, part by part."""
        clean_pages = RecordSpool(CleanPages)
        for part in parts:
            clean_pages.add(drop_faulty_pages(part, len(self.docs), count, self.depth, self.early))
        return clean_pages


def _numbers(clean: RecordSpool[CleanPages], parts: RecordSpool[PageParts]) -> NDArray[np.int64]:
    """The numbers of the pages that stay."""
    numbers, start = [np.zeros(0, dtype=np.int64)], 0
    for rows, queries in zip(clean.column("rows"), parts.column("queries"), strict=True):
        if rows is not None and queries is not None:
            numbers.append(rows + start)
            start += len(queries)
    return np.concatenate(numbers)


def _sessions(parts: RecordSpool[PageParts], rows: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Who saw each page that stays, as numbers."""
    keys = all_keys("sessions", parts)
    if keys is not None and len(rows) < len(keys):
        keys = keys[rows]
    return None if keys is None else put(numbered(keys))


def _by_rank(clean: RecordSpool[CleanPages], pages: int) -> tuple[Ints, Deeds, Ints]:
    """Pages x ranks, filled part by part."""
    lengths = np.concatenate([one for one in clean.column("lengths") if one is not None])
    ranks = int(lengths.max())
    docs, deeds = zeros((pages, ranks), np.int32), zeros((pages, ranks), np.uint8)
    start = 0
    for one in clean:
        at = slice(start, start + len(one.lengths))
        there = np.arange(ranks) < one.lengths[:, None]
        docs[at][there], deeds[at][there] = one.docs, one.deeds
        let_go(docs[at], deeds[at])
        start = at.stop
    return docs, deeds, lengths


def _clicked(deeds: Deeds) -> Flags:
    flags = zeros(deeds.shape, np.bool_)
    for at in slices(len(deeds)):
        flags[at] = (deeds[at] & CLICKED) > 0
        let_go(flags[at], deeds[at])
    return flags
