"""JudgedTable: the ranks of the judged documents, which is all that a measure needs; and tables derived from it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from rankproof.core import by_rank
from rankproof.measuring.pool import Negatives, Pool, Subtopics
from rankproof.reading.records import DEFAULT_ORDER, Order

if TYPE_CHECKING:
    from rankproof.measuring.pool import Subtopics


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


def _rows(
    table: JudgedTable,
    keep: NDArray[np.bool_],
    retrieved: NDArray[np.int64],
    rank: NDArray[np.int32] | None = None,
    tie_first: NDArray[np.int32] | None = None,
    tie_last: NDArray[np.int32] | None = None,
) -> JudgedTable:
    """The rows a mask keeps, with new ranks where given (arrays over the kept rows)."""
    start = np.concatenate(([0], np.cumsum(table.count(keep))))
    return JudgedTable(
        table.pool,
        table.in_run,
        retrieved,
        start,
        table.rank[keep] if rank is None else rank,
        table.tie_first[keep] if tie_first is None else tie_first,
        table.tie_last[keep] if tie_last is None else tie_last,
        table.doc[keep],
        table.order,
        table.unjudged_queries,
        table.subtopics,
    )


def cut(table: JudgedTable, depth: int) -> JudgedTable:
    """Only the first `depth` documents of each ranking (trec_eval's -M)."""
    depth = min(depth, np.iinfo(np.int32).max)  # no ranking is deeper, and NumPy takes no larger number
    keep = table.rank <= depth
    return _rows(table, keep, np.minimum(table.retrieved, depth))


def condensed(table: JudgedTable) -> JudgedTable:
    """Unjudged documents removed from each ranking before ranks are given (trec_eval's -J)."""
    keep = table.judged
    position = table.running(keep)[keep].astype(np.int32)
    # A tie group of the condensed list is what is left of the old one: rows of a query with one tie_first.
    query, first = table.query[keep], table.tie_first[keep]
    new = np.ones(len(first), dtype=bool)
    new[1:] = (query[1:] != query[:-1]) | (first[1:] != first[:-1])
    group = np.cumsum(new) - 1
    heads = np.flatnonzero(new)
    tails = np.append(heads, len(first))[1:] - 1
    return _rows(table, keep, table.count(keep), position, position[heads][group], position[tails][group])


def select(table: JudgedTable, keep: NDArray[np.bool_]) -> JudgedTable:
    """Only the queries that a mask over queries keeps."""
    if keep.all():
        return table
    rows = keep[table.query]
    pool = table.pool.select(keep)
    # Where each kept query's pool begins, old against new: rows point into the pool's columns.
    shift = table.pool.start[:-1][keep] - pool.start[:-1]
    counts = np.diff(table.start)[keep]
    return JudgedTable(
        pool,
        table.in_run[keep],
        table.retrieved[keep],
        np.concatenate(([0], np.cumsum(counts))),
        table.rank[rows],
        table.tie_first[rows],
        table.tie_last[rows],
        table.doc[rows] - np.repeat(shift, counts),
        table.order,
        table.unjudged_queries,
        None if table.subtopics is None else table.subtopics.select(keep, shift),
    )


def read_negatives(table: JudgedTable, negatives: Negatives) -> JudgedTable:
    """The same table with grades below 0 read in another way."""
    if table.pool.negatives == negatives:
        return table
    return JudgedTable(
        table.pool.read_negatives(negatives), table.in_run, table.retrieved, table.start, table.rank,
        table.tie_first, table.tie_last, table.doc, table.order, table.unjudged_queries, table.subtopics,
    )  # fmt: skip


def reranked(table: JudgedTable, rank: NDArray[np.int32]) -> JudgedTable:
    """The same documents at other ranks (one per row of `table`); rows are sorted anew within each query."""
    turn = by_rank(table.start, rank)
    return JudgedTable(
        table.pool, table.in_run, table.retrieved, table.start, rank[turn], table.tie_first[turn],
        table.tie_last[turn], table.doc[turn], table.order, table.unjudged_queries, table.subtopics,
    )  # fmt: skip


def regraded(table: JudgedTable, grade: NDArray[np.int32]) -> JudgedTable:
    """The same rankings with other grades (one per pooled document of `table`); pools are sorted anew."""
    pool = table.pool
    best, least = int(grade.max(initial=0)), int(grade.min(initial=0))
    # One key instead of two: queries stand in order already, which a stable sort of one key makes use of.
    turn = np.argsort(pool.query * (best - least + 1) + (best - grade.astype(np.int64)), kind="stable")
    place = np.empty(len(turn), dtype=np.int64)
    place[turn] = np.arange(len(turn))
    return JudgedTable(
        Pool(pool.query_ids, pool.start, grade[turn], pool.negatives, pool.top_grade),
        table.in_run, table.retrieved, table.start, table.rank, table.tie_first, table.tie_last,
        place[table.doc], table.order, table.unjudged_queries,
    )  # fmt: skip


Indices = NDArray[np.int64]


def repeated(table: JudgedTable, queries: Indices) -> JudgedTable:
    """The given queries of a table, in the order given, each as often as it is named."""
    pool = table.pool
    graded, pool_start = _spans(pool.start, queries)
    rows, start = _spans(table.start, queries)
    # How far each query's pool moved: rows and subtopics point into the pool's columns.
    shift = pool_start[:-1] - pool.start[queries]
    subtopics = table.subtopics
    if subtopics is not None:
        entries, entry_start = _spans(subtopics.start, queries)
        subtopics = Subtopics(
            entry_start,
            subtopics.number[queries],
            subtopics.doc[entries] + np.repeat(shift, np.diff(entry_start)),
            subtopics.subtopic[entries],
            subtopics.grade[entries],
        )
    return JudgedTable(
        Pool(
            [pool.query_ids[q] for q in queries.tolist()],
            pool_start,
            pool.grade[graded],
            pool.negatives,
            pool.top_grade,
        ),
        table.in_run[queries],
        table.retrieved[queries],
        start,
        table.rank[rows],
        table.tie_first[rows],
        table.tie_last[rows],
        table.doc[rows] + np.repeat(shift, np.diff(start)),
        table.order,
        table.unjudged_queries,
        subtopics,
    )


def _spans(start: Indices, queries: Indices) -> tuple[Indices, Indices]:
    """Indices of all entries of the given queries, one query after the other, and where each begins."""
    sizes = np.diff(start)[queries]
    begins = np.concatenate(([0], np.cumsum(sizes)))
    return np.repeat(start[queries] - begins[:-1], sizes) + np.arange(begins[-1]), begins
