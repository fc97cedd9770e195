"""Faults of pages and clicks in a log: their names, their descriptions in reports, and their counts."""

from __future__ import annotations

import numpy as np

from rankproof.online.impressions import Dropped

# Of clicks on pages that stay.
REPEATED = "clicks on a document that was clicked already"
NOT_SHOWN = "clicks on a document that was not shown"
EARLY = "clicks before the page was shown"
BELOW = "clicks below the last rank that is kept"
# Of whole pages.
TWICE = "pages with a document twice"
GAP = "pages whose ranks do not run from 1 without a gap"
EMPTY = "pages without documents"
NO_QUERY = "pages without a query"
NO_PAGE = "clicks without a page"

NAMES = {
    "document_twice": TWICE,
    "rank_gap": GAP,
    "no_documents": EMPTY,
    "no_query": NO_QUERY,
    "click_without_page": NO_PAGE,
    "click_not_shown": NOT_SHOWN,
    "click_repeated": REPEATED,
    "click_early": EARLY,
    "click_below": BELOW,
}
# These are reported even where there are none.
ALWAYS = frozenset({"document_twice", "click_not_shown", "click_repeated"})


class FaultCounts:
    """Counts of faults while a log is read."""

    def __init__(self) -> None:
        self._pages = dict.fromkeys(NAMES, 0)
        self._clicks = dict.fromkeys(NAMES, 0)
        self.mended = np.zeros(2, dtype=np.int64)  # impressions that were lost and are there again, and their pages

    def add(self, name: str, pages: int, clicks: int) -> None:
        """So many more."""
        self._pages[name] += int(pages)
        self._clicks[name] += int(clicks)

    def dropped(self) -> tuple[Dropped, ...]:
        """The faults that occurred, and those that are always reported."""
        return tuple(
            Dropped(name, why, self._pages[name], self._clicks[name])
            for name, why in NAMES.items()
            if name in ALWAYS or self._pages[name] or self._clicks[name]
        )

    def by_reason(self) -> dict[str, int]:
        """One count for each: of pages where a page is what was dropped, else of clicks."""
        return {one.why: one.pages if one.why.startswith("pages") else one.clicks for one in self.dropped()}
