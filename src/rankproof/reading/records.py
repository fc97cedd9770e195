"""Run and Qrels: rankings and grades that passed every check; and Order, the rule that ranks documents.

The record only names the rule. The rule itself is applied in one function of the compiled core
(`core/order.hpp`), and nowhere else.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError

if TYPE_CHECKING:
    from rankproof.core import Judgments, Rows


By = Literal["score", "rank", "given"]
Ties = Literal["id_descending", "id_ascending", "given"]
Precision = Literal["float64", "float32"]


@dataclass(frozen=True, slots=True)
class Order:
    """The rule by which a ranking is read out of rows.

    Attributes:
        by: "score", "rank" (the rank column) or "given" (the order of the rows)
        ties: what puts documents of equal scores in order: "id_descending", "id_ascending" or "given"
        precision: "float64", or "float32" where scores are compared as 32-bit numbers
        lower_is_better: whether scores are distances
    """

    by: By = "score"
    ties: Ties = "id_descending"
    precision: Precision = "float64"
    lower_is_better: bool = False

    def __str__(self) -> str:
        if self.by == "given":
            return "as given"
        if self.by == "rank":
            return "rank column ascending, then as given"
        direction = "ascending" if self.lower_is_better else "descending"
        width = "" if self.precision == "float64" else " (as 32-bit floats)"
        tie = "as given" if self.ties == "given" else f"document {self.ties.replace('_', ' ')}"
        return f"score {direction}{width}, then {tie}"


DEFAULT_ORDER = Order()
ORDERS: tuple[By, ...] = ("score", "rank", "given")


def requested_order(name: object) -> By:
    """The order of this name."""
    for order in ORDERS:
        if order == name:
            return order
    raise UsageError(f"No order is called {name!r}. Possible: {', '.join(ORDERS)}.")


def order_of(name: str, scored: bool, ranked: bool, distances: bool, options: Mapping[str, object]) -> Order:
    """The order that the options name, or else what the source has: scores, ranks, or the order given.

    `distances` says that the source itself calls its scores distances; the options take precedence.
    """
    by: By = "score" if scored else "rank" if ranked else "given"
    if options.get("order") is not None:
        by = requested_order(options["order"])
    has = {"score": scored, "rank": ranked, "given": True}
    if not has[by]:
        possible = " or ".join(f"--order {other}" for other in ORDERS if has[other])
        raise UsageError(f"{name} has no {by}s to order by. Possible: {possible}.")
    lower = options.get("lower_is_better")
    if lower and by != "score":
        what = "its ranks" if by == "rank" else "the order it is given in"
        raise UsageError(f"{name} is read by {what}: --lower-is-better applies to scores only.")
    return Order(by=by, lower_is_better=by == "score" and bool(distances if lower is None else lower))


def starts(rows: Rows) -> NDArray[np.int64]:
    """Where each query's rows begin, and the end. The rows of a query stand together."""
    depth = np.bincount(rows.query, minlength=len(rows.query_ids))
    return np.concatenate(([0], np.cumsum(depth))).astype(np.int64)


def of_queries(start: NDArray[np.int64], queries: Sequence[int]) -> NDArray[np.int64]:
    """The rows of the given queries, one query after the other."""
    chosen = np.array(queries, dtype=np.int64)
    sizes = np.diff(start)[chosen]
    begins = np.concatenate(([0], np.cumsum(sizes)))
    inside = np.arange(begins[-1], dtype=np.int64) - np.repeat(begins[:-1], sizes)
    rows: NDArray[np.int64] = np.repeat(start[chosen], sizes) + inside
    return rows


def fingerprint(kind: str, rows: Rows, numbers: NDArray[np.float64] | None, labels: Sequence[str] = ()) -> str:
    """SHA-256 of rows in a fixed order. Ids come with their lengths: no two contents give the same bytes."""
    from hashlib import sha256  # loads a library that evaluating needs not

    digest = sha256(f"rankproof {kind} 1\n".encode())
    ids = [query.encode("utf-8", "surrogateescape") for query in rows.query_ids]
    for column in (
        [len(query) for query in ids],
        np.bincount(rows.query, minlength=len(ids)),
        np.diff(rows.doc_start),
    ):
        digest.update(np.asarray(column, dtype="<i8").tobytes())
    digest.update(b"".join(ids))
    digest.update(rows.doc_data.tobytes())
    if numbers is not None:
        # Adding 0 makes one zero of 0.0 and -0.0, which are equal and have different bytes.
        digest.update((numbers + 0.0).astype("<f8").tobytes())
    if labels:
        encoded = [label.encode("utf-8", "surrogateescape") for label in labels]
        digest.update(np.array([len(label) for label in encoded], dtype="<i8").tobytes())
        digest.update(b"".join(encoded))
    return digest.hexdigest()


Values = TypeVar("Values")


class ByQuery(Mapping[str, Values]):
    """What a Run and Qrels share: queries with their documents, and an identity by content."""

    rows: Rows

    @cached_property
    def query_ids(self) -> tuple[str, ...]:
        """The queries, in order of first appearance."""
        return tuple(self.rows.query_ids)

    @property
    @abstractmethod
    def content_hash(self) -> str:
        """SHA-256 of what is in it."""

    def __len__(self) -> int:
        """Number of queries."""
        return len(self.query_ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.query_ids)

    @cached_property
    def _place(self) -> dict[str, int]:
        return {query: i for i, query in enumerate(self.query_ids)}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.content_hash == other.content_hash

    def __hash__(self) -> int:
        return hash(self.content_hash)


Kind = Literal["score", "distance", "rank"]
GIVEN = Order(by="given", ties="given")
# The core's state of a number in a source that has none.
ABSENT = 3


@dataclass(frozen=True, eq=False)
class Run(ByQuery[dict[str, float | None]]):
    """Rankings of documents: `run["q1"]` is {doc_id: score} in rank order, None where there are no scores.

    Made by `rankproof.read_run`.

    Attributes:
        rows: the rows in order, query after query, best document first
        order: the rule that put them there: by score, or as given for lists and for runs read by their rank column
        name: what the run is called
        notes: what was decided on reading
    """

    rows: Rows
    order: Order = DEFAULT_ORDER
    name: str = "run"
    notes: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, rows: Rows, order: Order = DEFAULT_ORDER, name: str = "run", notes: tuple[str, ...] = ()) -> Run:
        """The run in rows that checks have passed, put in order."""
        turn = rows.sorted(order.by, order.ties, order.precision, order.lower_is_better)
        in_order = bool((turn == np.arange(len(turn))).all())
        # The rows are now in order, so "as given" stands for a rank column as well.
        return cls(rows if in_order else rows.take(turn), order if order.by == "score" else GIVEN, name, notes)

    # ---- what is in it -------------------------------------------------------------------------

    @cached_property
    def _start(self) -> NDArray[np.int64]:
        return starts(self.rows)

    @cached_property
    def scored(self) -> bool:
        """Whether the documents have scores."""
        return len(self.rows) > 0 and bool((self.rows.state != ABSENT).all())

    @property
    def kind(self) -> Kind:
        """What puts the documents in order: a score, a distance (lower is better), or only their rank."""
        ranked = self.order.by != "score" or not self.scored
        return "rank" if ranked else "distance" if self.order.lower_is_better else "score"

    @cached_property
    def depth(self) -> NDArray[np.int64]:
        """Documents of each query."""
        return np.diff(self._start)

    def __getitem__(self, query_id: str) -> dict[str, float | None]:
        at = self._place[query_id]
        span = np.arange(self._start[at], self._start[at + 1], dtype=np.int64)
        scores = self.rows.number[span].tolist() if self.scored else [None] * len(span)
        return dict(zip(self.rows.doc_ids(span), scores, strict=True))

    def to_dict(self) -> dict[str, dict[str, float | None]]:
        """{query_id: {doc_id: score}}, documents in rank order."""
        return {query: self[query] for query in self}

    def rankings(self, as_scores: bool = False) -> Iterator[tuple[str, list[str], Sequence[float]]]:
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
        """Only these queries; ids that the run does not have are ignored."""
        chosen = set(queries)
        places = [at for at, query in enumerate(self.query_ids) if query in chosen]
        return replace(self, rows=self.rows.take(of_queries(self._start, places)))

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

    def __repr__(self) -> str:
        return f"Run({self.name!r}, {len(self):,} queries, {len(self.rows):,} rows, {self.order})"


# What TREC's second column holds when it means nothing.
NO_SUBTOPIC = frozenset({"", "0", "Q0", "q0"})


@dataclass(frozen=True, eq=False)
class Qrels(ByQuery[dict[str, int]]):
    """Grades of documents: `qrels["q1"]` is {doc_id: grade}. Made by `rankproof.read_qrels`.

    Attributes:
        rows: the rows, query after query, in the order they were read
        name: what the qrels are called
        notes: what was decided on reading
        without_documents: judged queries that name no document; they stand behind the others
    """

    rows: Rows
    name: str = "qrels"
    notes: tuple[str, ...] = field(default=(), repr=False)
    without_documents: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def of(
        cls, rows: Rows, name: str = "qrels", notes: tuple[str, ...] = (), without_documents: tuple[str, ...] = ()
    ) -> Qrels:
        """The qrels in rows that checks have passed, the rows of a query together."""
        turn = rows.sorted("given", "given", "float64", False)
        in_order = bool((turn == np.arange(len(turn))).all())
        return cls(rows if in_order else rows.take(turn), name, notes, without_documents)

    # ---- what is in it -------------------------------------------------------------------------

    @cached_property
    def query_ids(self) -> tuple[str, ...]:
        """The queries, in order of first appearance."""
        return (*self.rows.query_ids, *self.without_documents)

    @cached_property
    def _start(self) -> NDArray[np.int64]:
        start = starts(self.rows)
        return np.append(start, np.full(len(self.without_documents), start[-1]))

    @cached_property
    def has_subtopics(self) -> bool:
        """Whether the rows are judgments of subtopics, as diversity measures need them."""
        return not NO_SUBTOPIC.issuperset(self.rows.labels)

    @cached_property
    def grades(self) -> dict[int, int]:
        """How many judgments there are of each grade, from the least grade to the greatest."""
        return dict(sorted(Counter(self.rows.number.astype(np.int64).tolist()).items()))

    def __getitem__(self, query_id: str) -> dict[str, int]:
        """{doc_id: grade}; a document judged on several subtopics has the best of its grades."""
        best: dict[str, int] = {}
        span, grades = self._span(self._place[query_id])
        for doc, grade in zip(self.rows.doc_ids(span), grades, strict=True):
            best[doc] = max(grade, best.get(doc, grade))
        return best

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

    def judgments(self) -> Judgments:
        """The grades as the core joins runs with them; made once."""
        return self._judgments

    @cached_property
    def _judgments(self) -> Judgments:
        from rankproof.core import Judgments

        if not self.without_documents:
            return Judgments.from_rows(self.rows)
        return Judgments.from_dicts(self.to_dict())  # rows cannot hold a query without a document

    # ---- other qrels made from it --------------------------------------------------------------

    def filter(self, queries: Iterable[str]) -> Qrels:
        """Only these queries; ids that the qrels do not have are ignored."""
        chosen = set(queries)
        places = [at for at, query in enumerate(self.query_ids) if query in chosen]
        empty = tuple(query for query in self.without_documents if query in chosen)
        return replace(self, rows=self.rows.take(of_queries(self._start, places)), without_documents=empty)

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
        kind = "qrels with queries that name no document" if self.without_documents else "qrels"
        ends = [labels[i] for i in turn] if labels else ()
        return fingerprint(kind, rows, rows.number, (*ends, *sorted(self.without_documents)))

    def __repr__(self) -> str:
        return f"Qrels({self.name!r}, {len(self):,} queries, {len(self.rows):,} judgments)"
