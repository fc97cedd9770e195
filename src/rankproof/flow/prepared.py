"""Prepared judgments and runs: read, checked and joined once, then measured as often as one likes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankproof.records.judged import JudgedTable
from rankproof.records.later import Later
from rankproof.records.order import By, Order
from rankproof.records.pool import Pool
from rankproof.records.subtopics import Subtopics

if TYPE_CHECKING:
    from rankproof.core._core import Joined, Judgments, Rows
    from rankproof.flow.outofcore.parts import Together
    from rankproof.records.evaluation import Evaluation
    from rankproof.records.finding import Finding


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
        # The identity of the judgments, without and with subtopics; see flow/identity.py. Every evaluation on them
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
            from rankproof.core._core import Judgments

            judgments = Judgments.from_rows(self.rows(), subtopics=True)
            entries = judgments.subtopics
            assert entries is not None
            self._subtopics = Subtopics(*entries).by_document_id(judgments.doc_ids())
        return self._subtopics

    def prepare(self, run: Any, **reading: Any) -> PreparedRun:
        """A run joined with these judgments; later evaluations of it pay only for their measures."""
        from rankproof.flow.joining import join_run

        return join_run(self, run, **reading)

    def evaluate(self, run: Any, measures: Any, **choices: Any) -> Evaluation:
        """`rankproof.evaluate` on these judgments."""
        from rankproof.flow.measuring import evaluate

        return evaluate(self, run, measures, **choices)

    def __repr__(self) -> str:
        return f"<judgments {self.name}: {len(self.pool):,} queries, {len(self.pool.grade):,} documents>"


def _hash_of_grades(judgments: Judgments) -> str:
    from rankproof.flow.identity import hash_of_grades

    return hash_of_grades(judgments)


def _hash_of_rows(rows: Callable[[], Rows], judgments: Judgments, name: str) -> str:
    from rankproof.flow.identity import hash_of_rows

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
        from rankproof.flow.check import check_run

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
        from rankproof.flow.identity import hash_of_run

        return hash_of_run(self.rows(), self._own, self._tables, self.qrels.judgments, self.name)

    def without_self(self) -> PreparedRun:
        """The same run without documents whose id is the query's own; a query with no other is not missing."""
        from rankproof.flow.collapse import drop_self
        from rankproof.flow.joining import join_rows

        before = self.rows()
        rows, note = drop_self(before)
        return PreparedRun(
            self.qrels, lambda order: join_rows(self.qrels.judgments, rows, order), lambda: rows,
            own=self._own, asked=self._asked, name=self.name, notes=(*self.notes, note),
            answered=frozenset(before.query_ids),
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<run {self.name} on {self.qrels!r}>"
