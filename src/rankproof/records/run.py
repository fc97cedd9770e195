"""Run: rankings that can be trusted. A document once per query, finite scores, in the order that counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.records._content import fingerprint, of_queries, starts
from rankproof.records.order import DEFAULT_ORDER, Order

if TYPE_CHECKING:
    from rankproof.core._core import Rows

Kind = Literal["score", "distance", "rank"]
GIVEN = Order(by="given", ties="given")
# The core's state of a number in a source that has none.
ABSENT = 3


@dataclass(frozen=True, eq=False)
class Run(Mapping[str, dict[str, float | None]]):
    """Rankings of documents: `run["q1"]` is {doc_id: score} in rank order, None where there are no scores.

    Made by `rankproof.read_run`. `rows` stand in order, query after query, best document first; `order` is
    the rule that put them there: by score, or as given for lists and for runs read by their rank column.
    """

    rows: Rows
    order: Order = DEFAULT_ORDER
    name: str = "run"
    notes: tuple[str, ...] = field(default=(), repr=False)  # what was decided on reading

    @classmethod
    def of(cls, rows: Rows, order: Order = DEFAULT_ORDER, name: str = "run", notes: tuple[str, ...] = ()) -> Run:
        """The run in rows that checks have passed, put in order."""
        turn = rows.sorted(order.by, order.ties, order.precision, order.lower_is_better)
        in_order = bool((turn == np.arange(len(turn))).all())
        # Once in order, "as given" says what a rank column or a list said.
        return cls(rows if in_order else rows.take(turn), order if order.by == "score" else GIVEN, name, notes)

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
    def scored(self) -> bool:
        """Whether the documents have scores."""
        return len(self.rows) > 0 and bool((self.rows.state != ABSENT).all())

    @property
    def kind(self) -> Kind:
        """What puts the documents in order: a score, a distance (lower is better), or only their rank."""
        if self.order.by != "score" or not self.scored:
            return "rank"
        return "distance" if self.order.lower_is_better else "score"

    @cached_property
    def depth(self) -> NDArray[np.int64]:
        """Documents of each query."""
        return np.diff(self._start)

    def __len__(self) -> int:
        """Number of queries."""
        return len(self.query_ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.query_ids)

    def __getitem__(self, query_id: str) -> dict[str, float | None]:
        at = self._place[query_id]
        span = np.arange(self._start[at], self._start[at + 1], dtype=np.int64)
        scores = self.rows.number[span].tolist() if self.scored else [None] * len(span)
        return dict(zip(self.rows.doc_ids(span), scores, strict=True))

    def to_dict(self) -> dict[str, dict[str, float | None]]:
        """{query_id: {doc_id: score}}, documents in rank order."""
        return {query: self[query] for query in self}

    def rankings(self, as_scores: bool = False) -> Iterator[tuple[str, list[str], list[Any]]]:
        """Query, documents in rank order, and what `kind` says: scores, distances, or ranks from 1.

        `as_scores` gives scores that put the documents into this very order wherever a greater score comes
        first: distances with their sign turned, n down to 1 where there is only a rank.
        """
        kind = self.kind
        for at, query in enumerate(self.query_ids):
            span = np.arange(self._start[at], self._start[at + 1], dtype=np.int64)
            docs = self.rows.doc_ids(span)
            if kind == "rank":
                yield query, docs, list(range(len(docs), 0, -1) if as_scores else range(1, len(docs) + 1))
                continue
            # 0 - x and not -x: a distance of 0 is not to become a score of -0.
            numbers = self.rows.number[span]
            yield query, docs, (0 - numbers if as_scores and kind == "distance" else numbers).tolist()

    @cached_property
    def tag(self) -> str | None:
        """The tag that all rows carry; None where they carry none or several."""
        labels = [label for label in self.rows.labels if label]
        return labels[0] if len(labels) == 1 else None

    # ---- other runs made from it ---------------------------------------------------------------

    def filter(self, queries: Iterable[str]) -> Run:
        """Only these queries; ids that the run does not have are passed over."""
        wanted = set(queries)
        kept = [at for at, query in enumerate(self.query_ids) if query in wanted]
        return replace(self, rows=self.rows.take(of_queries(self._start, kept)))

    def cut(self, depth: int) -> Run:
        """Only the first `depth` documents of each query."""
        if depth < 1:
            raise ValueError(f"depth must be 1 or more; got {depth}")
        place = np.arange(len(self.rows)) - self._start[:-1][self.rows.query]
        return replace(self, rows=self.rows.take(np.flatnonzero(place < depth).astype(np.int64)))

    # ---- identity ------------------------------------------------------------------------------

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of queries, documents in order and scores: the same in every format and under any name."""
        turn = sorted(range(len(self)), key=lambda at: self.query_ids[at].encode("utf-8", "surrogateescape"))
        rows = self.rows.take(of_queries(self._start, turn))
        return fingerprint(f"run {self.kind}", rows, None if self.kind == "rank" else rows.number)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Run) and self.content_hash == other.content_hash

    def __hash__(self) -> int:
        return hash(self.content_hash)

    def __repr__(self) -> str:
        return f"Run({self.name!r}, {len(self):,} queries, {len(self.rows):,} rows, {self.order})"
