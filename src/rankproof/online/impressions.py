"""Impressions: pages of results as users saw them, and what they clicked, in columns; and the log they came from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.column_files import is_in_file, let_go, put, zeros
from rankproof.kernel.sections import counted

Numbers = NDArray[np.int64]
Whole = Numbers | NDArray[np.int32]
# Pages are processed so many at a time, to bound the memory for intermediate results.
PAGES_AT_ONCE = 50_000
Flags = NDArray[np.bool_]
Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The pairs of a query and a document that some page showed, each once: pair i is of `queries[i]` and `docs[i]`.

    query_ids, doc_ids   the ids; `queries` and `docs` have places in them
    """

    query_ids: tuple[str, ...]
    doc_ids: tuple[str, ...]
    queries: Numbers
    docs: Numbers

    def __len__(self) -> int:
        return len(self.queries)

    def named(self, pair: int) -> tuple[str, str]:
        """The ids of a pair."""
        return self.query_ids[int(self.queries[pair])], self.doc_ids[int(self.docs[pair])]


@dataclass(frozen=True, eq=False)
class Impressions:
    """Pages by ranks. A part taken from it has the same pairs, so a model fitted to one part can be applied to another.

    Columns of many pages lie in files (see kernel/column_files.py): iterate over all pages with `pieces`.

    pairs      what `shown` numbers
    shown      pages x ranks: the pair at that rank; 0 below the end of a page, where `lengths` says that nothing stood
    lengths    how many documents each page had
    clicks     pages x ranks: whether it was clicked, once or more often
    numbers    the place of each page in what was read, from 0
    sessions   who saw the page, as a number; None where the log does not say
    dropped    what was left out on reading, counted, by the reason
    """

    pairs: Pairs
    shown: Numbers
    lengths: Numbers
    clicks: Flags
    numbers: Numbers
    sessions: Numbers | None = None
    dropped: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        pages, ranks = self.shown.shape
        if not pages or not ranks:
            raise ValueError("impressions need a page and a rank")
        if self.clicks.shape != (pages, ranks):
            raise ValueError(f"clicks have shape {self.clicks.shape}, documents {self.shown.shape}")
        columns = {"lengths": self.lengths, "numbers": self.numbers, "sessions": self.sessions}
        for name, column in columns.items():
            if column is not None and column.shape != (pages,):
                raise ValueError(f"{name}: shape {column.shape} for {counted(pages, 'page')}")
        if self.lengths.min() < 1 or self.lengths.max() > ranks:
            raise ValueError(f"a page has from 1 to {ranks} documents")
        for at in self._slices():
            shown, clicks = self.shown[at], self.clicks[at]
            if shown.min() < 0 or shown.max() >= len(self.pairs):
                raise ValueError("a page shows a pair that is not among the pairs")
            if (clicks & (np.arange(ranks) >= self.lengths[at, None])).any():
                raise ValueError("a click lies below the end of its page")
            let_go(shown, clicks, self.lengths[at])

    def __len__(self) -> int:
        return len(self.shown)

    @property
    def ranks(self) -> int:
        """The length of the longest page that could stand here."""
        return int(self.shown.shape[1])

    @cached_property
    def there(self) -> Flags:
        """Pages x ranks: whether a document stood at that rank."""
        return np.arange(self.ranks) < self.lengths[:, None]

    @classmethod
    def of(
        cls,
        query_ids: tuple[str, ...],
        doc_ids: tuple[str, ...],
        queries: Whole,
        docs: Whole,
        lengths: Whole,
        clicks: Flags,
        *,
        numbers: Numbers | None = None,
        sessions: Numbers | None = None,
        dropped: Mapping[str, int] | None = None,
    ) -> Impressions:
        """Impressions from the query of each page and the documents by rank, both as places in the ids."""
        if docs.ndim != 2 or queries.shape != docs.shape[:1]:
            raise ValueError(f"queries have shape {queries.shape}, documents {docs.shape}")
        parts = [slice(start, start + PAGES_AT_ONCE) for start in range(0, len(docs), PAGES_AT_ONCE)]
        known = np.zeros(0, dtype=np.int64)
        new_keys: list[Numbers] = []
        for at in parts:
            new_keys.append(np.unique(_keys(query_ids, doc_ids, queries[at], docs[at], lengths[at])[0]))
            let_go(docs[at])
            # Distinct ones are put together when there are as many new as known: seldom, and never many more than that.
            if at is parts[-1] or sum(map(len, new_keys)) > len(known):
                known, new_keys = np.unique(np.concatenate([known, *new_keys])), []
        shown = zeros(docs.shape, np.int64)
        for at in parts:
            keys, there = _keys(query_ids, doc_ids, queries[at], docs[at], lengths[at])
            shown[at][there] = np.searchsorted(known, keys)
            _refuse_repeats(shown[at], there)
            let_go(shown[at], docs[at])
        return cls(
            Pairs(query_ids, doc_ids, known // max(len(doc_ids), 1), known % max(len(doc_ids), 1)),
            shown,
            put(lengths.astype(np.int64)),
            clicks.astype(np.bool_, copy=False),
            put(np.arange(len(docs)) if numbers is None else numbers),
            None if sessions is None else put(sessions),
            MappingProxyType(dict(dropped or {})),
        )

    def pieces(self) -> Iterator[Impressions]:
        """All pages, some at a time and in their order; at once where they are in memory."""
        if not is_in_file(self.shown):
            yield self
            return
        for at in self._slices():
            columns = self.shown[at], self.lengths[at], self.clicks[at], self.numbers[at]
            sessions = None if self.sessions is None else self.sessions[at]
            yield Impressions(self.pairs, *columns, sessions, self.dropped)
            let_go(*columns, sessions)

    def take(self, rows: Numbers | Flags) -> Impressions:
        """Some of the pages: by their rows, which may repeat as in a resample, or by a flag for each."""
        return Impressions(
            self.pairs,
            taken(self.shown, rows),
            taken(self.lengths, rows),
            taken(self.clicks, rows),
            taken(self.numbers, rows),
            None if self.sessions is None else taken(self.sessions, rows),
            self.dropped,
        )

    def clicked_as(self, clicks_of: Callable[[slice], Flags]) -> Impressions:
        """The same pages with other clicks, computed for some pages at a time."""
        clicks = zeros(self.clicks.shape, np.bool_)
        for at in self._slices():
            clicks[at] = clicks_of(at)
            let_go(clicks[at])
        return replace(self, clicks=clicks)

    def _slices(self) -> Iterator[slice]:
        return slices(len(self))


def slices(pages: int) -> Iterator[slice]:
    """So many pages, some at a time."""
    for start in range(0, pages, PAGES_AT_ONCE):
        yield slice(start, min(start + PAGES_AT_ONCE, pages))


def taken(column: NDArray[Scalar], rows: Numbers | Flags) -> NDArray[Scalar]:
    """Some rows of a column, by their numbers or by a flag for each."""
    if not is_in_file(column):
        return np.asarray(column[rows])
    places = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
    selected = zeros((len(places), *column.shape[1:]), column.dtype)
    for at in slices(len(places)):
        selected[at] = column[places[at]]
        let_go(selected[at], column)
    return selected


def _keys(
    query_ids: tuple[str, ...], doc_ids: tuple[str, ...], queries: Whole, docs: Whole, lengths: Whole
) -> tuple[Numbers, Flags]:
    """A number for the pair at each place where a document stood, and these places."""
    there = np.arange(docs.shape[1]) < lengths[:, None]
    for what, places, ids in (("query", queries, query_ids), ("document", docs[there], doc_ids)):
        if len(places) and (places.min() < 0 or places.max() >= len(ids)):
            raise ValueError(f"a page names a {what} that is not among the ids ({counted(len(ids), 'id')} known)")
    keys = queries[:, None].astype(np.int64) * len(doc_ids) + docs
    return keys[there], there


def _refuse_repeats(shown: Numbers, there: Flags) -> None:
    """A document stands once on a page. Below the end each rank gets a number that nothing else has."""
    fill = -1 - np.arange(shown.shape[1])
    ordered = np.sort(np.where(there, shown, fill), axis=1)
    if (ordered[:, 1:] == ordered[:, :-1]).any():
        raise ValueError("a document stands twice on a page")


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

    def to_dict(self) -> dict[str, object]:
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
            raise ValueError(f"deeds have shape {self.deeds.shape}, documents {self.pages.shown.shape}")
        for name, column in (("times", self.times), ("robots", self.robots)):
            if column is not None and column.shape != (len(self.pages),):
                raise ValueError(f"{name}: shape {column.shape} for {counted(len(self.pages), 'page')}")

    def __len__(self) -> int:
        return len(self.pages)

    def did(self, bit: int) -> Flags:
        """Pages x ranks: whether that was done."""
        return (self.deeds & bit) > 0

    def deeds_of_pieces(self) -> Iterator[tuple[slice, Deeds]]:
        """What was done on all pages, some at a time, and which pages these are; at once where they are in memory."""
        for at in slices(len(self)) if is_in_file(self.deeds) else (slice(0, len(self)),):
            yield at, self.deeds[at]
            let_go(self.deeds[at])

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
