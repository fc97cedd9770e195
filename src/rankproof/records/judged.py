"""JudgedTable: the waist of the system. For evaluation, a ranking is the ranks of its judged documents.

One row per retrieved document that is in the qrels, sorted by query and then by rank. Unjudged documents
have no row: their number follows from the ranks and from `retrieved`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from rankproof.records.order import DEFAULT_ORDER, Order
from rankproof.records.pool import Pool

if TYPE_CHECKING:
    from rankproof.records.subtopics import Subtopics

T = TypeVar("T")


class JudgedTable:
    """A run joined with judgments: columns over rows, and columns over queries.

    Per query: `in_run`, `retrieved` (documents in the ranking), `start` (its rows are start[q]:start[q+1]).
    Per row: `rank` (from 1), `tie_first` and `tie_last` (ranks of the first and last document with the same
    score), `doc` (index into the pool's columns). Queries are the pool's queries, in the pool's order.
    """

    __slots__ = (
        "_memo", "doc", "in_run", "order", "pool", "rank", "retrieved", "start", "subtopics",
        "tie_first", "tie_last", "unjudged_queries",
    )  # fmt: skip

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
        self._memo: dict[Hashable, Any] = {}

    def __len__(self) -> int:
        """Number of queries."""
        return len(self.pool)

    def remember(self, key: Hashable, compute: Callable[[], T]) -> T:
        """`compute()`, once; later calls with the same key give the same object."""
        value = self._memo.get(key)
        if value is None:
            value = self._memo[key] = compute()
        return cast(T, value)

    # ---- columns over rows, derived once -------------------------------------------------------

    @property
    def query(self) -> NDArray[np.int64]:
        """For each row, the index of its query."""
        return self.remember("query", lambda: np.repeat(np.arange(len(self)), np.diff(self.start)))

    @property
    def grade(self) -> NDArray[np.int32]:
        """For each row, the grade in the qrels, as written there (may be below 0)."""
        return self.remember("grade", lambda: self.pool.grade[self.doc])

    @property
    def judged(self) -> NDArray[np.bool_]:
        """For each row, whether the document has a grade (and not only a place in the pool)."""
        return self.remember("judged", lambda: self.pool.judged[self.doc])

    def relevant(self, rel: int) -> NDArray[np.bool_]:
        """For each row, whether its grade is `rel` or more."""
        return self.remember(("relevant", rel), lambda: self.grade >= rel)

    def within(self, at: int | None) -> NDArray[np.bool_]:
        """For each row, whether its rank is `at` or better; all of them without a cutoff."""
        if at is None:
            return self.remember("all", lambda: np.ones(len(self.rank), dtype=bool))
        return self.remember(("within", at), lambda: self.rank <= at)

    # ---- from rows to queries ------------------------------------------------------------------

    def sum(self, weights: NDArray[Any]) -> NDArray[np.float64]:
        """Sum of a value per row, by query, added from the first rank to the last."""
        # Of no rows at all, bincount makes whole numbers.
        return np.bincount(self.query, weights=weights, minlength=len(self)).astype(np.float64, copy=False)

    def count(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Number of rows that a mask selects, by query."""
        return np.bincount(self.query[mask], minlength=len(self))

    def relevant_retrieved(self, rel: int, at: int | None = None) -> NDArray[np.int64]:
        """Relevant documents in the ranking (in its first `at` when given), by query."""
        if at is None:
            return self.remember(("found", rel), lambda: self.count(self.relevant(rel)))
        return self.remember(("found", rel, at), lambda: self.count(self.relevant(rel) & self.within(at)))

    def running(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """For each row, how many rows of its query up to and including it the mask selects."""
        seen = np.cumsum(mask)
        before = np.concatenate(([0], seen))[self.start[:-1]]
        return cast("NDArray[np.int64]", seen - before[self.query])
