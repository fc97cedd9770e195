"""Pool: for each query the grades of all judged documents, best first; and subtopics for diversity measures."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

Negatives = Literal["nonrelevant", "unjudged"]
T = TypeVar("T")


class Pool:
    """Grades of all documents in the qrels, by query; within a query in descending order of grade.

    `negatives` says how a grade below 0 is read: "nonrelevant" (judged, not relevant; rankproof's way)
    or "unjudged" (pooled but not judged; trec_eval's way).
    """

    __slots__ = ("_memo", "grade", "negatives", "query_ids", "start", "top_grade")

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
        self._memo: dict[Hashable, Any] = {}

    def __len__(self) -> int:
        """Number of queries."""
        return len(self.start) - 1

    def remember(self, key: Hashable, compute: Callable[[], T]) -> T:
        """`compute()`, once; later calls with the same key give the same object."""
        value = self._memo.get(key)
        if value is None:
            value = self._memo[key] = compute()
        return cast(T, value)

    @property
    def size(self) -> NDArray[np.int64]:
        """Documents in each query's pool, judged or not."""
        return self.remember("size", lambda: np.diff(self.start))

    @property
    def query(self) -> NDArray[np.int64]:
        """For each pooled document, the index of its query."""
        return self.remember("query", lambda: np.repeat(np.arange(len(self)), self.size))

    @property
    def position(self) -> NDArray[np.int64]:
        """For each pooled document, its 1-based place in its query's ideal order."""
        return self.remember("position", lambda: np.arange(1, len(self.grade) + 1) - self.start[:-1][self.query])

    @property
    def judged(self) -> NDArray[np.bool_]:
        """For each pooled document, whether it has a grade (and not only a place in the pool)."""
        if self.negatives == "nonrelevant":
            return self.remember("judged", lambda: np.ones(len(self.grade), dtype=bool))
        return self.remember("judged", lambda: self.grade >= 0)

    def sum(self, weights: NDArray[Any]) -> NDArray[np.float64]:
        """Sum of a value per pooled document, by query, added in ideal order."""
        # Of no rows at all, bincount makes whole numbers.
        return np.bincount(self.query, weights=weights, minlength=len(self)).astype(np.float64, copy=False)

    def count(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Number of pooled documents that a mask selects, by query."""
        upto = np.concatenate(([0], np.cumsum(mask)))[self.start]
        return upto[1:] - upto[:-1]

    def head(self, k: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The first k documents of each ideal order: query, 1-based place, index into the pool's columns."""

        def compute() -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
            size = np.minimum(self.size, k)
            query = np.repeat(np.arange(len(self)), size)
            position = np.arange(1, len(query) + 1) - (np.cumsum(size) - size)[query]
            return query, position, self.start[:-1][query] + position - 1

        return self.remember(("head", k), compute)

    def relevant(self, rel: int) -> NDArray[np.int64]:
        """Number of documents with grade `rel` or more, by query."""
        return self.remember(("relevant", rel), lambda: self.count(self.grade >= rel))

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


class Subtopics:
    """One entry per (document, subtopic, grade) of the qrels, the whole pool included.

    `start` marks each query's entries. `doc` is the index of the document in the pool's columns, `subtopic`
    the index of the subtopic within its query (0 to `number[q]` - 1, in order of first appearance). Where a
    measure must choose between documents that are equally good, the one whose entries come first wins:
    `by_document_id` puts entries into the order that ndeval uses.
    """

    __slots__ = ("doc", "grade", "number", "start", "subtopic")

    def __init__(
        self,
        start: NDArray[np.int64],
        number: NDArray[np.int64],
        doc: NDArray[np.int64],
        subtopic: NDArray[np.int32],
        grade: NDArray[np.int32],
    ) -> None:
        self.start = start
        self.number = number
        self.doc = doc
        self.subtopic = subtopic
        self.grade = grade

    def by_document_id(self, doc_ids: Sequence[str]) -> Subtopics:
        """The same entries, in each query by document id descending (bytewise); `doc_ids` are the pool's."""
        place = np.empty(len(doc_ids), dtype=np.int64)
        as_bytes = [doc.encode("utf-8", "surrogatepass") for doc in doc_ids]
        place[sorted(range(len(doc_ids)), key=as_bytes.__getitem__)] = np.arange(len(doc_ids))
        query = np.repeat(np.arange(len(self.number)), np.diff(self.start))
        turn = np.lexsort((-place[self.doc], query))  # stable: a document's entries keep their order
        return Subtopics(self.start, self.number, self.doc[turn], self.subtopic[turn], self.grade[turn])

    def select(self, keep: NDArray[np.bool_], shift: NDArray[np.int64] | None = None) -> Subtopics:
        """The entries of the queries that a mask keeps; `shift` is how far each kept query's pool moved."""
        counts = np.diff(self.start)
        rows = np.repeat(keep, counts)
        doc = self.doc[rows]
        if shift is not None:
            doc = doc - np.repeat(shift, counts[keep])
        start = np.concatenate(([0], np.cumsum(counts[keep])))
        return Subtopics(start, self.number[keep], doc, self.subtopic[rows], self.grade[rows])
