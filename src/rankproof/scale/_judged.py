"""Judgments on the way to executors: columns that pickle, made into judgments once in each process."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.core import Judgments, Rows

# Judgments that a process caches: an executor's Python runs one task after the other.
_KEPT: OrderedDict[str, Judgments] = OrderedDict()
_MOST = 4


@dataclass(frozen=True, slots=True, eq=False)
class Sent:
    """Judgments as columns. `key` is the hash of their content: a process reuses judgments that it has already made."""

    query_ids: list[str]
    start: NDArray[np.int64]
    grade: NDArray[np.int32]
    docs: list[str]
    key: str

    def judgments(self) -> Judgments:
        """The judgments, documents in the same places as where they were sent."""
        if self.key not in _KEPT:
            query = np.repeat(np.arange(len(self.query_ids)), np.diff(self.start)).tolist()
            rows = Rows.from_columns([self.query_ids[q] for q in query], self.docs, self.grade.astype(np.float64))
            made = Judgments.from_rows(rows)
            # Numbers of documents are sent back: they must mean the same on both sides.
            if made.query_ids != self.query_ids or made.doc_ids() != self.docs:
                raise AssertionError("the judgments came out in another order than they went in")
            _KEPT[self.key] = made
            while len(_KEPT) > _MOST:
                _KEPT.popitem(last=False)
        return _KEPT[self.key]


def sent(judgments: Judgments) -> Sent:
    """Judgments ready to be sent."""
    ids, docs = judgments.query_ids, judgments.doc_ids()
    start, grade = judgments.start.copy(), judgments.grade.copy()
    digest = hashlib.sha256()
    for text in (*ids, "", *docs):
        digest.update(text.encode("utf-8", "surrogateescape") + b"\0")
    digest.update(start.tobytes() + grade.tobytes())
    return Sent(ids, start, grade, docs, digest.hexdigest())
