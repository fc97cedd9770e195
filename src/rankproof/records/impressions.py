"""Impressions: pages of results as users saw them, and what they clicked, in columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Whole = Numbers | NDArray[np.int32]
# Millions of pages are numbered so many at a time: what that takes beside them stays small.
PAGES_AT_ONCE = 50_000
Flags = NDArray[np.bool_]


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
    """Pages by ranks. A part taken from it has the same pairs, so that what one part teaches can be asked of another.

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
            raise ValueError(f"{self.clicks.shape} clicks for {self.shown.shape} documents")
        columns = {"lengths": self.lengths, "numbers": self.numbers, "sessions": self.sessions}
        for name, column in columns.items():
            if column is not None and column.shape != (pages,):
                raise ValueError(f"{name}: {column.shape} for {pages} pages")
        if self.lengths.min() < 1 or self.lengths.max() > ranks:
            raise ValueError(f"a page has from 1 to {ranks} documents")
        if self.shown.min() < 0 or self.shown.max() >= len(self.pairs):
            raise ValueError("a page shows a pair that is not among the pairs")
        if (self.clicks & ~self.there).any():
            raise ValueError("a click lies below the end of its page")

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
            raise ValueError(f"{queries.shape} queries for {docs.shape} documents")
        parts = [slice(start, start + PAGES_AT_ONCE) for start in range(0, len(docs), PAGES_AT_ONCE)]
        found = [np.unique(_keys(query_ids, doc_ids, queries[at], docs[at], lengths[at])[0]) for at in parts]
        known = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *found]))
        shown = np.zeros(docs.shape, dtype=np.int64)
        for at in parts:
            keys, there = _keys(query_ids, doc_ids, queries[at], docs[at], lengths[at])
            shown[at][there] = np.searchsorted(known, keys)
            _refuse_repeats(shown[at], there)
        return cls(
            Pairs(query_ids, doc_ids, known // max(len(doc_ids), 1), known % max(len(doc_ids), 1)),
            shown,
            lengths.astype(np.int64),
            clicks.astype(np.bool_),
            np.arange(len(docs)) if numbers is None else numbers,
            sessions,
            MappingProxyType(dict(dropped or {})),
        )

    def take(self, rows: Numbers | Flags) -> Impressions:
        """Some of the pages: by their rows, which may repeat as in a resample, or by a flag for each."""
        return Impressions(
            self.pairs,
            self.shown[rows],
            self.lengths[rows],
            self.clicks[rows],
            self.numbers[rows],
            None if self.sessions is None else self.sessions[rows],
            self.dropped,
        )


def _keys(
    query_ids: tuple[str, ...], doc_ids: tuple[str, ...], queries: Whole, docs: Whole, lengths: Whole
) -> tuple[Numbers, Flags]:
    """A number for the pair at each place where a document stood, and these places."""
    there = np.arange(docs.shape[1]) < lengths[:, None]
    for what, places, ids in (("query", queries, query_ids), ("document", docs[there], doc_ids)):
        if len(places) and (places.min() < 0 or places.max() >= len(ids)):
            raise ValueError(f"a page names a {what} that is not among the {len(ids)} ids")
    keys = queries[:, None].astype(np.int64) * len(doc_ids) + docs
    return keys[there], there


def _refuse_repeats(shown: Numbers, there: Flags) -> None:
    """A document stands once on a page. Below the end each rank gets a number that nothing else has."""
    fill = -1 - np.arange(shown.shape[1])
    ordered = np.sort(np.where(there, shown, fill), axis=1)
    if (ordered[:, 1:] == ordered[:, :-1]).any():
        raise ValueError("a document stands twice on a page")
