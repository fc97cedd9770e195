"""Prepared judgments and runs: read, checked and joined once, then measured as often as needed; with content hashes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np

from rankproof.core import Judgments, Rows
from rankproof.errors import InputError, Unreadable
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.pool import Pool, Subtopics
from rankproof.reading.records import DEFAULT_ORDER, By, Order, Qrels, Run

if TYPE_CHECKING:
    from rankproof.core import Joined, Judgments, Rows
    from rankproof.measuring.outofcore.parts import Together
    from rankproof.measuring.records import Evaluation
    from rankproof.reading.finding import Finding


Value = TypeVar("Value")


class Later(Generic[Value]):
    """`later()` is the value. Who never asks never pays; who asks twice, or from two threads, pays once."""

    __slots__ = ("_lock", "_make", "_value")

    def __init__(self, make: Callable[[], Value]) -> None:
        self._make: Callable[[], Value] | None = make
        self._lock = Lock()

    def __call__(self) -> Value:
        """The value."""
        if self._make is not None:
            with self._lock:
                if self._make is not None:
                    self._value = self._make()
                    self._make = None  # what it was made from is no longer held
        return self._value

    def __repr__(self) -> str:
        return "Later(...)" if self._make is not None else f"Later({self._value!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self(),)  # another process gets the value, not the way to make it


def _made(value: Value) -> Later[Value]:
    """A Later whose value is there already."""
    later: Later[Value] = Later(lambda: value)
    later()
    return later


class LateField(Generic[Value]):
    """A field of a frozen dataclass (without slots) that may be given as a Later: it is made when first read.

    `part: LateField[Part | None] = LateField(lambda: None)`; the function gives the default.
    """

    def __init__(self, default: Callable[[], Value]) -> None:
        self._default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, record: None, owner: type) -> Value: ...
    @overload
    def __get__(self, record: object, owner: type) -> Value: ...
    def __get__(self, record: object | None, owner: type) -> Any:
        if record is None:
            return self  # what a dataclass takes for the default; `__set__` knows it
        value = record.__dict__[self._name]
        return value() if isinstance(value, Later) else value

    def __set__(self, record: object, value: Value | Later[Value]) -> None:
        given: object = value
        record.__dict__[self._name] = self._default() if given is self else given

    def __repr__(self) -> str:
        return repr(self._default())


class PreparedQrels:
    """Judgments ready for joining. `evaluate(run, measures)` and `prepare(run)` spare a loop the reading of qrels."""

    __slots__ = ("_subtopics", "content_hash", "grades_hash", "judgments", "name", "notes", "pool", "rows")

    def __init__(self, judgments: Judgments, name: str, rows: Callable[[], Rows], notes: tuple[str, ...] = ()) -> None:
        self.judgments = judgments
        self.name = name
        self.notes = notes  # what was decided on reading, for the fine print
        self.rows = rows  # the rows as read, read again: only subtopics and explanations of faults need them
        self.pool = Pool(judgments.query_ids, judgments.start, judgments.grade)
        self._subtopics: Subtopics | None = None
        # The identity of the judgments, without and with subtopics; see measuring/prepare.py. Every evaluation on them
        # shares these two. They do not hold `self`: what holds itself stays in memory longer than it is needed.
        self.grades_hash = Later(lambda: _hash_of_grades(judgments))
        self.content_hash = Later(lambda: _hash_of_rows(rows, judgments, name))

    @property
    def query_ids(self) -> tuple[str, ...]:
        """The judged queries, in the order of the qrels."""
        return tuple(self.pool.query_ids)

    @property
    def subtopics(self) -> Subtopics:
        """Which document covers which part of its query, for diversity measures."""
        if self._subtopics is None:
            from rankproof.core import Judgments

            judgments = Judgments.from_rows(self.rows(), subtopics=True)
            entries = judgments.subtopics
            assert entries is not None
            self._subtopics = Subtopics(*entries).by_document_id(judgments.doc_ids())
        return self._subtopics

    def prepare(self, run: Any, **reading: Any) -> PreparedRun:
        """A run joined with these judgments; later evaluations of it pay only for their measures."""
        from rankproof.measuring.join import join_run

        return join_run(self, run, **reading)

    def evaluate(self, run: Any, measures: Any, **choices: Any) -> Evaluation:
        """`rankproof.evaluate` on these judgments."""
        from rankproof.measuring.evaluate import evaluate

        return evaluate(self, run, measures, **choices)

    def __repr__(self) -> str:
        return f"<judgments {self.name}: {len(self.pool):,} queries, {len(self.pool.grade):,} documents>"


def _hash_of_grades(judgments: Judgments) -> str:

    return hash_of_grades(judgments)


def _hash_of_rows(rows: Callable[[], Rows], judgments: Judgments, name: str) -> str:

    return hash_of_rows(rows, judgments, name)


# By query its document ids, best first, each followed by a newline: for an order, to a depth, of some queries or all.
# None where that cannot be had without all rows at once.
RankedIds = Callable[[Order, int | None, Collection[str] | None], Mapping[str, bytes] | None]


class PreparedRun:
    """A run joined with judgments. `table(order)` is its JudgedTable, joined once for each order."""

    __slots__ = (
        "_answered", "_asked", "_join", "_own", "_ranked_ids", "_sampled", "_some", "_tables", "findings", "name",
        "notes", "qrels", "rows", "tag",
    )  # fmt: skip

    def __init__(
        self,
        qrels: PreparedQrels,
        join: Callable[[Order], Joined | Together],
        rows: Callable[[], Rows],
        *,
        own: Order,
        asked: By | None = None,
        name: str = "run",
        notes: tuple[str, ...] = (),
        answered: frozenset[str] | None = None,
        some: Callable[[Collection[str]], Rows] | None = None,
        sampled: Callable[[], Rows | None] | None = None,
        ranked_ids: RankedIds | None = None,
    ) -> None:
        self.qrels = qrels
        self.rows = rows
        # For a run that is not to be held whole: the rows of some queries, and a sample of rows for `_nothing_met`.
        self._some = some
        self._sampled = sampled
        self._ranked_ids = ranked_ids  # for a text, from which ids can be had without making rows of it
        self._answered = answered  # queries that had rows before some were dropped; None when none were
        self.name = name
        self.tag = ""
        self.notes = notes
        self.findings: tuple[Finding, ...] = ()
        self._join = join
        self._own = own
        self._asked = asked
        self._tables: dict[Order, JudgedTable] = {}

    def order(self, wanted: Order) -> Order:
        """The order that a dialect wants, as far as this run has it: what the caller asked for wins."""
        by = self._asked or (self._own.by if self._own.by != "score" else wanted.by)
        if by != "score":
            return Order(by=by, ties="given")
        ties = wanted.ties if wanted.by == "score" else "id_descending"
        return replace(wanted, by="score", ties=ties, lower_is_better=self._own.lower_is_better)

    def table(self, wanted: Order, subtopics: bool = False) -> JudgedTable:
        """The run's table in the order wanted."""
        order = self.order(wanted)
        table = self._tables.get(order)
        if table is None:
            table = self._tables[order] = self._joined(order)
        if subtopics and table.subtopics is None:
            # Slots are not written again: the richer table replaces the plain one.
            table = self._tables[order] = JudgedTable(
                table.pool, table.in_run, table.retrieved, table.start, table.rank, table.tie_first,
                table.tie_last, table.doc, table.order, table.unjudged_queries, self.qrels.subtopics,
            )  # fmt: skip
        return table

    def _joined(self, order: Order) -> JudgedTable:
        joined = self._join(order)
        self.tag = joined.tag
        disagree = joined.faults["rank_disagrees"]
        if disagree:
            queries = "query" if disagree == 1 else "queries"
            note = (
                f"rank column: disagrees with the scores in {disagree} {queries}; scores decide (--order rank: ranks)"
            )
            self.notes = tuple(dict.fromkeys((*self.notes, note)))
        if len(joined.rank) == 0 and not self.findings:
            self.findings = self._nothing_met(order)
        in_run = joined.in_run
        if self._answered is not None:
            in_run = np.array([query in self._answered for query in self.qrels.pool.query_ids], dtype=bool)
        return JudgedTable(
            self.qrels.pool, in_run, joined.retrieved, joined.start, joined.rank, joined.tie_first,
            joined.tie_last, joined.doc, order, joined.unjudged_queries,
        )  # fmt: skip

    def _nothing_met(self, order: Order) -> tuple[Finding, ...]:
        """Why not one judged document was retrieved, when no id is in both: a warning here, since it may be true."""
        from rankproof.reading.check import check_run

        rows = self.rows() if self._sampled is None else self._sampled()
        if rows is None:
            return ()
        found = check_run(rows, self.name, qrels=self.qrels.rows(), order=order)
        return tuple(replace(f, severity="warning") for f in found if f.code == "no_common_document")

    def rows_of(self, queries: Collection[str]) -> Rows:
        """The rows of some queries, and maybe others: all rows, where holding them all is no matter."""
        return self.rows() if self._some is None else self._some(queries)

    def ranked_ids(
        self, wanted: Order, depth: int | None = None, queries: Collection[str] | None = None
    ) -> Mapping[str, bytes] | None:
        """By query its document ids in the order wanted, each followed by a newline; None where only rows have them."""
        return None if self._ranked_ids is None else self._ranked_ids(self.order(wanted), depth, queries)

    def content_hash(self) -> str:
        """SHA-256 of the rankings as measured; reads the run again, so it takes longer than measuring it."""

        return hash_of_run(self.rows(), self._own, self._tables, self.qrels.judgments, self.name)

    def without_self(self) -> PreparedRun:
        """The same run without documents whose id is the query's own; a query with no other is not missing."""
        from rankproof.measuring.join import join_rows
        from rankproof.reading.collapse import drop_self

        before = self.rows()
        rows, note = drop_self(before)
        return PreparedRun(
            self.qrels, lambda order: join_rows(self.qrels.judgments, rows, order), lambda: rows,
            own=self._own, asked=self._asked, name=self.name, notes=(*self.notes, note),
            answered=frozenset(before.query_ids),
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<run {self.name} on {self.qrels!r}>"


def listed(
    run: PreparedRun,
    depth: int | None = None,
    wanted: Order = DEFAULT_ORDER,
    queries: Iterable[str] | None = None,
) -> dict[str, list[str]]:
    """{query_id: [doc_id, ...]} in the order its table has, to a depth. Unjudged documents and queries included.

    What is not asked for is left out before ids become texts: a long run has millions of them.
    """
    queries = None if queries is None else frozenset(queries)
    ids = run.ranked_ids(wanted, depth, queries)
    if ids is not None:
        return {query: _split(docs) for query, docs in ids.items()}
    found = Run.of(run.rows() if queries is None else run.rows_of(queries), run.order(wanted), run.name)
    if queries is not None:
        found = found.filter(queries)
    if depth is not None:
        found = found.cut(depth)
    return {query: docs for query, docs, _ in found.rankings()}


def comparable(
    runs: Sequence[PreparedRun], depth: int | None = None, wanted: Order = DEFAULT_ORDER
) -> list[Mapping[str, object]]:
    """For each run {query_id: ranking}, where two rankings are equal when they have the same documents in one order.

    What a ranking is, only this function knows: the bytes of its ids where all runs give them, so that no id of
    millions becomes a text; else a list of ids.
    """
    found: list[Mapping[str, object]] = []
    for run in runs:
        ids = run.ranked_ids(wanted, depth)
        if ids is None:
            return [listed(run, depth, wanted) for run in runs]
        found.append(ids)
    return found


def _split(ids: bytes) -> list[str]:
    """The ids of one ranking, each followed by a newline."""
    return ids.decode("utf-8", "surrogateescape").split("\n")[:-1]


def hash_of_grades(judgments: Judgments) -> str:
    """From the judgments that runs were joined with, not from their source, which may have changed since."""
    ids = judgments.query_ids
    queries = [ids[q] for q in np.repeat(np.arange(len(ids)), np.diff(judgments.start)).tolist()]
    grades = judgments.grade.astype(np.float64)
    return Qrels(Rows.from_columns(queries, judgments.doc_ids(), grades)).content_hash


def hash_of_rows(rows: Callable[[], Rows], judgments: Judgments, name: str) -> str:
    """From the rows, which know subtopics; refused when they are no longer those of the judgments."""
    from rankproof.reading.collapse import without_doubles

    read = rows()
    grades = hash_of_grades(judgments)
    if hash_of_grades(Judgments.from_rows(read)) != grades:
        raise _changed(name)
    settled = Qrels.of(without_doubles(read, by_label=True)[0])
    return settled.content_hash if settled.has_subtopics else grades


def hash_of_run(rows: Rows, own: Order, tables: Mapping[Order, JudgedTable], judgments: Judgments, name: str) -> str:
    """From the rows as measured: after passages were collapsed, or the query's own document dropped.

    Refused when they no longer give the tables that were measured.
    """
    from rankproof.measuring.join import join_rows

    for order, table in tables.items():
        joined = join_rows(judgments, rows, order)
        if not (np.array_equal(joined.doc, table.doc) and np.array_equal(joined.rank, table.rank)):
            raise _changed(name)
    return Run.of(rows, own).content_hash


def file_hash(path: str) -> str:
    """From the bytes as they lie there."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        raise Unreadable(f"{path}: there is no such file. Check the path.") from None
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}.") from None


def is_plain_file(what: object) -> bool:
    """Whether a value is the path of a file that can be read again, and not a pipe, a stream or an object."""
    return isinstance(what, str | os.PathLike) and os.path.isfile(what)


def _changed(name: str) -> InputError:
    return InputError(
        f"{name} has changed since it was read: what it holds now is not what was measured. Read it anew."
    )
