"""Qrels: the settled grades, one per query and document (and subtopic, where there are any)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankproof.records._content import fingerprint, of_queries, starts

if TYPE_CHECKING:
    from rankproof.core._core import Judgments, Rows

# What TREC's second column holds when it means nothing.
NO_SUBTOPIC = frozenset({"", "0", "Q0", "q0"})


@dataclass(frozen=True, eq=False)
class Qrels(Mapping[str, dict[str, int]]):
    """Grades of documents: `qrels["q1"]` is {doc_id: grade}. Made by `rankproof.read_qrels`.

    `rows` stand query after query, in the order they were read.
    """

    rows: Rows
    name: str = "qrels"
    notes: tuple[str, ...] = field(default=(), repr=False)  # what was decided on reading

    @classmethod
    def of(cls, rows: Rows, name: str = "qrels", notes: tuple[str, ...] = ()) -> Qrels:
        """The qrels in rows that checks have passed, the rows of a query together."""
        turn = rows.sorted("given", "given", "float64", False)
        in_order = bool((turn == np.arange(len(turn))).all())
        return cls(rows if in_order else rows.take(turn), name, notes)

    # ---- what is in it -------------------------------------------------------------------------

    @cached_property
    def query_ids(self) -> tuple[str, ...]:
        """The queries, in order of first appearance."""
        return tuple(self.rows.query_ids)

    @cached_property
    def _start(self) -> NDArray[np.int64]:
        return starts(self.rows)

    @cached_property
    def _place(self) -> dict[str, int]:
        return {query: i for i, query in enumerate(self.query_ids)}

    @cached_property
    def has_subtopics(self) -> bool:
        """Whether the rows are judgments of subtopics, as diversity measures need them."""
        return not NO_SUBTOPIC.issuperset(self.rows.labels)

    @cached_property
    def grades(self) -> dict[int, int]:
        """How many judgments there are of each grade, from the least grade to the greatest."""
        return dict(sorted(Counter(self.rows.number.astype(np.int64).tolist()).items()))

    def __len__(self) -> int:
        """Number of queries."""
        return len(self.query_ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.query_ids)

    def __getitem__(self, query_id: str) -> dict[str, int]:
        """{doc_id: grade}; a document judged on several subtopics has the best of its grades."""
        found: dict[str, int] = {}
        span, grades = self._span(self._place[query_id])
        for doc, grade in zip(self.rows.doc_ids(span), grades, strict=True):
            found[doc] = max(grade, found.get(doc, grade))
        return found

    def _span(self, at: int) -> tuple[NDArray[np.int64], list[int]]:
        span = np.arange(self._start[at], self._start[at + 1], dtype=np.int64)
        return span, self.rows.number[span].astype(np.int64).tolist()

    def to_dict(self) -> dict[str, dict[str, int]]:
        """{query_id: {doc_id: grade}}."""
        return {query: self[query] for query in self}

    def judged(self) -> Iterator[tuple[str, list[str], list[int], list[str]]]:
        """Query, documents, grades and subtopics ('' where there is none), row by row."""
        labels = self.rows.labels
        for at, query in enumerate(self.query_ids):
            span, grades = self._span(at)
            named = [labels[i] if i >= 0 else "" for i in self.rows.label[span].tolist()]
            yield query, self.rows.doc_ids(span), grades, named

    def judgments(self, subtopics: bool = False) -> Judgments:
        """The grades as the core joins runs with them; made once."""
        return self._with_subtopics if subtopics else self._without_subtopics

    @cached_property
    def _without_subtopics(self) -> Judgments:
        from rankproof.core._core import Judgments

        return Judgments.from_rows(self.rows)

    @cached_property
    def _with_subtopics(self) -> Judgments:
        from rankproof.core._core import Judgments

        return Judgments.from_rows(self.rows, subtopics=True)

    # ---- other qrels made from it --------------------------------------------------------------

    def filter(self, queries: Iterable[str]) -> Qrels:
        """Only these queries; ids that the qrels do not have are passed over."""
        wanted = set(queries)
        kept = [at for at, query in enumerate(self.query_ids) if query in wanted]
        return replace(self, rows=self.rows.take(of_queries(self._start, kept)))

    # ---- identity ------------------------------------------------------------------------------

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of queries, documents, grades and subtopics: the same in every format and order of rows."""
        data = self.rows.doc_data.tobytes()
        docs = [data[begin:end] for begin, end in pairwise(self.rows.doc_start.tolist())]
        queries = [query.encode("utf-8", "surrogateescape") for query in self.query_ids]
        labels: list[str] = []
        if self.has_subtopics:
            labels = [self.rows.labels[i] if i >= 0 else "" for i in self.rows.label.tolist()]
        start = self._start.tolist()
        turn: list[int] = []
        for at in sorted(range(len(queries)), key=queries.__getitem__):
            span = range(start[at], start[at + 1])
            turn += sorted(span, key=(lambda i: (docs[i], labels[i])) if labels else docs.__getitem__)
        rows = self.rows.take(np.array(turn, dtype=np.int64))
        return fingerprint("qrels", rows, rows.number, [labels[i] for i in turn] if labels else ())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Qrels) and self.content_hash == other.content_hash

    def __hash__(self) -> int:
        return hash(self.content_hash)

    def __repr__(self) -> str:
        return f"Qrels({self.name!r}, {len(self):,} queries, {len(self.rows):,} judgments)"
