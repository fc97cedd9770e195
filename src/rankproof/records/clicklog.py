"""A click log: pages as users saw them, what they did with each document, and what was left out on the way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.records import kept
from rankproof.records.impressions import Flags, Impressions, Numbers, slices, taken

Deeds = NDArray[np.uint8]
Seconds = NDArray[np.float64]

# What a user did with a document of a page: bits of one number.
CLICKED, TIMED, STAYED, CONVERTED = 1, 2, 4, 8


@dataclass(frozen=True, slots=True)
class Dropped:
    """What one reason left out: whole pages with the clicks on them, or clicks of pages that stay.

    why     what they are, in the plural: "pages whose ranks have a gap"
    limit   the threshold of the rule, where it has one
    """

    name: str
    why: str
    pages: int
    clicks: int
    limit: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"name": self.name, "why": self.why, "pages": self.pages, "clicks": self.clicks, "limit": self.limit}


@dataclass(frozen=True, eq=False)
class ClickLog:
    """Pages with clicks, and beside each place of a page what else is known.

    pages     `pages.clicks` is whether a document was clicked
    deeds     pages x ranks: CLICKED; TIMED where the time on the document is known, STAYED where it was long enough;
              CONVERTED
    times     when each page was shown, in seconds of the epoch, NaN where it is not known; None for a log without times
    robots    whether the user agent calls itself a robot; None for a log without agents
    stay      how many seconds on a document are long enough
    dropped   reasons in the order in which they were applied
    notes     what a reader of the counts should know
    """

    pages: Impressions
    deeds: Deeds
    stay: float
    times: Seconds | None = None
    robots: Flags | None = None
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.deeds.shape != self.pages.shown.shape:
            raise ValueError(f"{self.deeds.shape} deeds for {self.pages.shown.shape} documents")
        for name, column in (("times", self.times), ("robots", self.robots)):
            if column is not None and column.shape != (len(self.pages),):
                raise ValueError(f"{name}: {column.shape} for {len(self.pages)} pages")

    def __len__(self) -> int:
        return len(self.pages)

    def did(self, bit: int) -> Flags:
        """Pages x ranks: whether that was done."""
        return (self.deeds & bit) > 0

    def deeds_of_pieces(self) -> Iterator[tuple[slice, Deeds]]:
        """What was done on all pages, some at a time, and which pages these are; at once where they are in memory."""
        for at in slices(len(self)) if kept.is_kept(self.deeds) else (slice(0, len(self)),):
            yield at, self.deeds[at]
            kept.let_go(self.deeds[at])

    def having(self, bit: int) -> Impressions:
        """The pages with another deed in place of clicks."""
        return self.pages.clicked_as(lambda at: (self.deeds[at] & bit) > 0)

    def take(self, rows: Numbers | Flags, dropped: Iterable[Dropped] = ()) -> ClickLog:
        """Some of the pages, with what else was dropped."""
        return replace(
            self,
            pages=self.pages.take(rows),
            deeds=taken(self.deeds, rows),
            times=None if self.times is None else taken(self.times, rows),
            robots=None if self.robots is None else taken(self.robots, rows),
            dropped=(*self.dropped, *dropped),
        )
