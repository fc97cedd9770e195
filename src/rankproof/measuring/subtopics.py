"""Subtopics: which document covers which part of a query, and how well. For diversity measures only."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


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

    def spread(self, judged: NDArray[np.bool_]) -> Subtopics:
        """The same entries for more queries: a mask over all of them says which have the entries, in this order."""
        counts, number = np.zeros(len(judged), dtype=np.int64), np.zeros(len(judged), dtype=np.int64)
        counts[judged], number[judged] = np.diff(self.start), self.number
        start = np.concatenate(([0], np.cumsum(counts)))
        return Subtopics(start, number, self.doc, self.subtopic, self.grade)

    def select(self, keep: NDArray[np.bool_], shift: NDArray[np.int64] | None = None) -> Subtopics:
        """The entries of the queries that a mask keeps; `shift` is how far the pool of each remaining query moved."""
        counts = np.diff(self.start)
        rows = np.repeat(keep, counts)
        doc = self.doc[rows]
        if shift is not None:
            doc = doc - np.repeat(shift, counts[keep])
        start = np.concatenate(([0], np.cumsum(counts[keep])))
        return Subtopics(start, self.number[keep], doc, self.subtopic[rows], self.grade[rows])

    def without(self, drop: NDArray[np.bool_], left: NDArray[np.bool_]) -> Subtopics:
        """The entries of the documents that a mask over the pool does not drop; `left` are the queries that stay.

        A subtopic may be left without entries: measures count those that a relevant document covers.
        """
        keep = ~drop[self.doc]
        query = np.repeat(np.arange(len(self.number)), np.diff(self.start))
        counts = np.bincount(query[keep], minlength=len(self.number))[left]
        place = np.cumsum(~drop) - 1
        return Subtopics(
            np.concatenate(([0], np.cumsum(counts))),
            self.number[left],
            place[self.doc[keep]],
            self.subtopic[keep],
            self.grade[keep],
        )
