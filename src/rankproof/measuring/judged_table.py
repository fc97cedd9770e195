"""JudgedTable: the ranks of the judged documents, which is all that a measure needs; and the Pool it points into.

For evaluation, a ranking is the ranks of its judged documents. What depends on the judgments alone (relevant counts,
ideal orders) belongs to the Pool, which every run on the same judgments shares.

One row per retrieved document that is in the qrels, sorted by query and then by rank. Unjudged documents
have no row: their number follows from the ranks and from `retrieved`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from rankproof.reading.records import DEFAULT_ORDER, Order

if TYPE_CHECKING:
    from rankproof.measuring.subtopics import Subtopics

Negatives = Literal["nonrelevant", "unjudged"]
T = TypeVar("T")


class Memo:
    """Values by key, each computed once and cached in `memo`."""

    def __init__(self) -> None:
        self.memo: dict[Hashable, Any] = {}

    def remember(self, key: Hashable, compute: Callable[[], T]) -> T:
        """`compute()`, once; later calls with the same key give the same object."""
        value = self.memo.get(key)
        if value is None:
            value = self.memo[key] = compute()
        return cast(T, value)


class Pool(Memo):
    """Grades of all documents in the qrels, by query; within a query in descending order of grade.

    `negatives` says how a grade below 0 is read: "nonrelevant" (judged, not relevant; rankproof's way)
    or "unjudged" (pooled but not judged; trec_eval's way).
    """

    def __init__(
        self,
        query_ids: Sequence[str],
        start: NDArray[np.int64],
        grade: NDArray[np.int32],
        negatives: Negatives = "nonrelevant",
        top_grade: int | None = None,
    ) -> None:
        self.query_ids = query_ids
        self.start = start
        self.grade = grade
        self.negatives: Negatives = negatives
        # A constant of the whole collection: a part of it (a partition, a selection) passes it in.
        if top_grade is None:
            top_grade = max(0, int(grade.max())) if len(grade) else 0
        self.top_grade: int = top_grade
        # Documents in each query's pool, judged or not.
        self.size: NDArray[np.int64] = np.diff(start)
        # Where it is the same for all queries, the grades are a matrix of so many columns; 0 where it is not.
        width = int(self.size[0]) if len(self.size) else 0
        self.width: int = width if (self.size == width).all() else 0
        self.memo = {}

    def __len__(self) -> int:
        """Number of queries."""
        return len(self.start) - 1

    @cached_property
    def query(self) -> NDArray[np.int64]:
        """For each pooled document, the index of its query."""
        return np.repeat(np.arange(len(self.size)), self.size)

    @cached_property
    def position(self) -> NDArray[np.int64]:
        """For each pooled document, its 1-based place in its query's ideal order."""
        place: NDArray[np.int64] = np.arange(1, len(self.grade) + 1) - self.start[:-1][self.query]
        return place

    @cached_property
    def judged(self) -> NDArray[np.bool_]:
        """For each pooled document, whether it has a grade (and not only a place in the pool)."""
        if self.negatives == "nonrelevant":
            return np.ones(len(self.grade), dtype=bool)
        return self.grade >= 0

    def sum(self, weights: NDArray[Any]) -> NDArray[np.float64]:
        """Sum of a value per pooled document, by query, added in ideal order."""
        # Of no rows at all, bincount makes whole numbers.
        return np.bincount(self.query, weights=weights, minlength=len(self)).astype(np.float64, copy=False)

    @property
    def bytewise(self) -> NDArray[np.int64]:
        """The queries in the order of their ids' UTF-8 bytes, which is that of their characters' numbers."""
        ids = self.query_ids
        return self.remember("bytewise", lambda: np.array(sorted(range(len(ids)), key=ids.__getitem__), dtype=np.int64))

    def count(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Number of pooled documents that a mask selects, by query."""
        # How many come before each query's first document: looking up the places of a few beats adding up all.
        upto = np.searchsorted(np.flatnonzero(mask), self.start)
        return upto[1:] - upto[:-1]

    def head(self, k: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The first k documents of each ideal order: query, 1-based place, index into the pool's columns."""
        if ("head", k) not in self.memo:
            size = np.minimum(self.size, k)
            query = np.repeat(np.arange(len(size)), size)
            position = np.arange(1, len(query) + 1) - (np.cumsum(size) - size)[query]
            self.memo["head", k] = query, position, self.start[:-1][query] + position - 1
        return cast("tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]", self.memo["head", k])

    def relevant(self, rel: int) -> NDArray[np.int64]:
        """Number of documents with grade `rel` or more, by query."""
        if ("relevant", rel) not in self.memo:
            self.memo["relevant", rel] = self.count(self.grade >= rel)
        return cast("NDArray[np.int64]", self.memo["relevant", rel])

    def read_negatives(self, negatives: Negatives) -> Pool:
        """The same pool with grades below 0 read in another way."""
        if negatives == self.negatives:
            return self
        return self.remember(
            ("read", negatives),
            lambda: Pool(self.query_ids, self.start, self.grade, negatives, self.top_grade),
        )

    def select(self, keep: NDArray[np.bool_]) -> Pool:
        """The pool of the queries that a mask over queries keeps; constants stay those of the whole."""
        ids = [self.query_ids[i] for i in np.flatnonzero(keep).tolist()]
        start = np.concatenate(([0], np.cumsum(self.size[keep])))
        return Pool(ids, start, self.grade[keep[self.query]], self.negatives, self.top_grade)

    def without(self, drop: NDArray[np.bool_]) -> Pool:
        """The pool as if the documents of a mask had never been judged: what a file without those lines gives.

        Queries that have no document left are gone, and constants are those of what is left.
        """
        size = self.count(~drop)
        left = size > 0
        ids = [self.query_ids[i] for i in np.flatnonzero(left).tolist()]
        return Pool(ids, np.concatenate(([0], np.cumsum(size[left]))), self.grade[~drop], self.negatives)


class JudgedTable(Memo):
    """A run joined with judgments: columns over rows, and columns over queries.

    Per query: `in_run`, `retrieved` (documents in the ranking), `start` (its rows are start[q]:start[q+1]).
    Per row: `rank` (from 1), `tie_first` and `tie_last` (ranks of the first and last document with the same
    score), `doc` (index into the pool's columns). Queries are the pool's queries, in the pool's order.
    """

    def __init__(
        self,
        pool: Pool,
        in_run: NDArray[np.bool_],
        retrieved: NDArray[np.int64],
        start: NDArray[np.int64],
        rank: NDArray[np.int32],
        tie_first: NDArray[np.int32],
        tie_last: NDArray[np.int32],
        doc: NDArray[np.int64],
        order: Order = DEFAULT_ORDER,
        unjudged_queries: Sequence[str] = (),
        subtopics: Subtopics | None = None,
    ) -> None:
        self.pool = pool
        self.in_run = in_run
        self.retrieved = retrieved
        self.start = start
        self.rank = rank
        self.tie_first = tie_first
        self.tie_last = tie_last
        self.doc = doc
        self.order = order
        # Queries the run answers and nobody judged: reported, never scored.
        self.unjudged_queries = tuple(unjudged_queries)
        self.subtopics = subtopics
        # For each row the index of its query, and the grade in the qrels as written there (may be below 0).
        self.query: NDArray[np.int64] = np.repeat(np.arange(len(start) - 1), np.diff(start))
        self.grade: NDArray[np.int32] = pool.grade[doc]
        self.memo = {}

    def __len__(self) -> int:
        """Number of queries."""
        return len(self.pool.start) - 1

    # ---- columns over rows, derived once -------------------------------------------------------

    @cached_property
    def judged(self) -> NDArray[np.bool_]:
        """For each row, whether the document has a grade (and not only a place in the pool)."""
        if self.pool.negatives == "nonrelevant":
            return np.ones(len(self.doc), dtype=bool)
        return self.grade >= 0

    def has_ties(self, k: int | None) -> bool:
        """Whether documents that a measure with cutoff k looks at are tied with others."""
        tied = self.tie_last > self.tie_first
        return bool(tied.any() if k is None else (tied & (self.tie_first <= k)).any())

    def relevant(self, rel: int) -> NDArray[np.bool_]:
        """For each row, whether its grade is `rel` or more."""
        if ("relevant", rel) not in self.memo:
            self.memo["relevant", rel] = self.grade >= rel
        return cast("NDArray[np.bool_]", self.memo["relevant", rel])

    def within(self, at: int | None) -> NDArray[np.bool_]:
        """For each row, whether its rank is `at` or better; all of them without a cutoff."""
        if ("within", at) not in self.memo:
            self.memo["within", at] = np.ones(len(self.rank), dtype=bool) if at is None else self.rank <= at
        return cast("NDArray[np.bool_]", self.memo["within", at])

    # ---- from rows to queries ------------------------------------------------------------------

    def sum(self, weights: NDArray[Any]) -> NDArray[np.float64]:
        """Sum of a value per row, by query, added from the first rank to the last."""
        # Of no rows at all, bincount makes whole numbers.
        return np.bincount(self.query, weights=weights, minlength=len(self.start) - 1).astype(np.float64, copy=False)

    def count(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Number of rows that a mask selects, by query."""
        return np.bincount(self.query[mask], minlength=len(self.start) - 1)

    def relevant_retrieved(self, rel: int, at: int | None = None) -> NDArray[np.int64]:
        """Relevant documents in the ranking (in its first `at` when given), by query."""
        if at is None:
            return self.remember(("relevant retrieved", rel), lambda: self.count(self.relevant(rel)))
        return self.remember(("relevant retrieved", rel, at), lambda: self.count(self.relevant(rel) & self.within(at)))

    def running(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """For each row, how many rows of its query up to and including it the mask selects."""
        seen = np.cumsum(mask)
        before = np.concatenate(([0], seen))[self.start[:-1]]
        return cast("NDArray[np.int64]", seen - before[self.query])


def share(part: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    """A part over its whole, by query; 0 where there is no whole."""
    shares: NDArray[np.float64] = np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
    return shares
