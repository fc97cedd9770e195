"""Subtopics: which document covers which part of a query, and how well. Only diversity measures ask for it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Subtopics:
    """One entry per (document, subtopic, grade) of the qrels, the whole pool included.

    `start` marks each query's entries. `doc` is the index of the document in the pool's columns, `subtopic`
    the index of the subtopic within its query (0 to `number[q]` - 1, in order of first appearance).
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

    def select(self, keep: NDArray[np.bool_], shift: NDArray[np.int64] | None = None) -> Subtopics:
        """The entries of the queries that a mask keeps; `shift` is how far each kept query's pool moved."""
        counts = np.diff(self.start)
        rows = np.repeat(keep, counts)
        doc = self.doc[rows]
        if shift is not None:
            doc = doc - np.repeat(shift, counts[keep])
        start = np.concatenate(([0], np.cumsum(counts[keep])))
        return Subtopics(start, self.number[keep], doc, self.subtopic[rows], self.grade[rows])
