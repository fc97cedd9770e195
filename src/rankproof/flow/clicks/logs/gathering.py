"""Gathering: parts of a log to one ClickLog.

Held while reading: for each row 13 bytes, for each page 4 to 45 (query, keys of page and session, time, robot), and the
text of each query and document once. Held at the end: for each page 10 bytes for each rank of the longest page, and 16
to 33.
"""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.flow.clicks.logs.cleaning import Clean, cleaned
from rankproof.flow.clicks.logs.faults import Count
from rankproof.flow.clicks.logs.joining import whole_pages
from rankproof.flow.clicks.logs.keys import numbered
from rankproof.flow.clicks.logs.parts import Ids, Ints, Part, all_keys, all_robots, all_times
from rankproof.records.clicklog import CLICKED, ClickLog, Deeds
from rankproof.records.impressions import Impressions

STAY, DEPTH, EARLY = 30.0, 50, 5.0


class Gatherer:
    """Takes parts as they are read.

    stay    how many seconds on a document count as satisfied
    depth   the last rank that is kept
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
        self.serial = 0  # of the last page that had no id of its own
        self._parts: list[Part] = []

    def add(self, part: Part) -> None:
        """One more part."""
        if len(part) or len(part.docs):
            self._parts.append(part)

    def finish(self, name: str) -> ClickLog:
        """All of it; `name` is what an error calls the log. The gatherer is empty afterwards."""
        if not self._parts:
            raise InputError(f"{name} has no page. Check that it is the right file.")
        parts = whole_pages(self._parts)
        keys = all_keys([part.sessions for part in parts], parts)
        times, robots = all_times(parts), all_robots(parts)
        all_queries = np.concatenate([part.queries for part in parts])
        count = Count()
        clean, kept = self._cleaned(parts, count)
        if not len(kept):
            reasons = "; ".join(f"{one.pages or one.clicks:,} {one.why}" for one in count.dropped() if one.pages)
            raise InputError(f"{name} has no page that could be used: {reasons or 'there is none'}. Correct the log.")
        queries = all_queries[kept]
        docs, deeds, lengths = _by_rank(clean, len(kept))
        pages = Impressions.of(
            self.queries.texts(),
            self.docs.texts(),
            queries,
            docs,
            lengths,
            (deeds & CLICKED) > 0,
            numbers=kept,
            sessions=None if keys is None else numbered(keys[kept]),
            dropped=MappingProxyType(count.by_reason()),
        )
        return ClickLog(
            pages,
            deeds,
            self.stay,
            None if times is None else times[kept],
            None if robots is None else robots[kept],
            count.dropped(),
        )

    def _cleaned(self, parts: list[Part], count: Count) -> tuple[list[Clean], NDArray[np.int64]]:
        """The pages that stay, and their numbers. Each part is let go when it is done."""
        clean: list[Clean] = []
        numbers = [np.zeros(0, dtype=np.int64)]
        start = 0
        parts.reverse()
        while parts:
            part = parts.pop()
            one = cleaned(part, len(self.docs), count, self.depth, self.early)
            clean.append(one)
            numbers.append(one.kept + start)
            start += len(part)
        return clean, np.concatenate(numbers)


def _by_rank(clean: list[Clean], pages: int) -> tuple[Ints, Deeds, Ints]:
    """Pages x ranks, filled part by part; what was filled is let go."""
    lengths = np.concatenate([one.lengths for one in clean])
    ranks = int(lengths.max())
    docs, deeds = np.zeros((pages, ranks), dtype=np.int32), np.zeros((pages, ranks), dtype=np.uint8)
    start = 0
    clean.reverse()
    while clean:
        one = clean.pop()
        at = slice(start, start + len(one.lengths))
        there = np.arange(ranks) < one.lengths[:, None]
        docs[at][there], deeds[at][there] = one.docs, one.deeds
        start = at.stop
    return docs, deeds, lengths
