"""Prepare: judgments and runs read, checked and joined once, then measured as often as needed."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rankproof.core import Judgments, Rows
from rankproof.errors import UsageError
from rankproof.measuring.identity import hash_of_grades, hash_of_rows, hash_of_run
from rankproof.measuring.judged_table import JudgedTable, Pool
from rankproof.measuring.records import check_threads
from rankproof.measuring.run_sources import (
    DictRun,
    RankedIds,
    RowsRun,
    RunSource,
    TextRun,
    budget_of,
    column_notes,
    is_path,
    may_be_large,
    name_of,
    refuse_run,
    without_allowed_faults,
)
from rankproof.measuring.subtopics import Subtopics
from rankproof.reading.hugging_face import only_split
from rankproof.reading.records import By, Order, Qrels, Run

if TYPE_CHECKING:
    from rankproof.reading.chunk_map import ChunkMap
    from rankproof.reading.finding import Finding, Unit
    from rankproof.reading.formats.contract import Collapse, Unmapped


class PreparedQrels:
    """Judgments ready for joining: with `prepare(run)`, a loop over runs reads the qrels once."""

    __slots__ = ("_subtopics", "content_hash", "grades_hash", "judgments", "name", "notes", "pool", "rows")

    def __init__(self, judgments: Judgments, name: str, rows: Callable[[], Rows], notes: tuple[str, ...] = ()) -> None:
        self.judgments = judgments
        self.name = name
        self.notes = notes  # what was decided on reading, for the fine print
        self.rows = rows  # the rows as read, read again: only subtopics and explanations of faults need them
        self.pool = Pool(judgments.query_ids, judgments.start, judgments.grade)
        self._subtopics: Subtopics | None = None
        # The identity of the judgments, without and with subtopics. Every evaluation on them shares these two. They
        # do not hold `self`: a reference cycle would stay in memory longer than needed.
        self.grades_hash: Callable[[], str] = cache(partial(hash_of_grades, judgments))
        self.content_hash: Callable[[], str] = cache(partial(hash_of_rows, rows, judgments, name))

    @property
    def query_ids(self) -> tuple[str, ...]:
        """The judged queries, in the order of the qrels."""
        return tuple(self.pool.query_ids)

    @property
    def subtopics(self) -> Subtopics:
        """The subtopics that each document covers, for diversity measures."""
        if self._subtopics is None:
            judgments = Judgments.from_rows(self.rows(), subtopics=True)
            entries = judgments.subtopics
            assert entries is not None
            subtopics = Subtopics(*entries).by_document_id(judgments.doc_ids())
            # Rows have no query without documents; the pool may.
            self._subtopics = subtopics.spread(np.diff(self.judgments.start) > 0)
        return self._subtopics

    def prepare(self, run: Any, **reading: Any) -> PreparedRun:
        """A run joined with these judgments; later evaluations of it pay only for their measures."""
        return join_run(self, run, **reading)

    def __repr__(self) -> str:
        return f"<judgments {self.name}: {len(self.pool):,} queries, {len(self.pool.grade):,} documents>"


@dataclass(slots=True, eq=False, repr=False)
class PreparedRun:
    """A run joined with judgments. `table(order)` is its JudgedTable, joined once for each order.

    requested   what the caller ranks by, whatever the source or a dialect says
    answered    queries that had rows before some were dropped; None when none were
    tag         the name in the run's file; it and the `findings` of joining are known once the run is joined
    """

    qrels: PreparedQrels
    source: RunSource
    requested: By | None = None
    name: str = "run"
    joining_notes: tuple[str, ...] = field(default=(), init=False)
    answered: frozenset[str] | None = None
    tag: str = field(default="", init=False)
    findings: tuple[Finding, ...] = field(default=(), init=False)
    _tables: dict[Order, JudgedTable] = field(default_factory=dict, init=False)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was decided on reading and joining the run, for the fine print."""
        return tuple(dict.fromkeys((*self.source.notes, *self.joining_notes)))

    def reading_notes(self) -> tuple[str, ...]:
        """What was decided on reading the judgments and the run."""
        return (*self.qrels.notes, *dict.fromkeys((*self.source.notes, *self.joining_notes)))

    def order(self, preferred: Order) -> Order:
        """The order that a dialect prefers, as far as this run has it; the order that the caller requested wins."""
        own = self.source.own
        by = self.requested or (own.by if own.by != "score" else preferred.by)
        if by != "score":
            return Order(by=by, ties="given")
        ties = preferred.ties if preferred.by == "score" else "id_descending"
        return replace(preferred, by="score", ties=ties, lower_is_better=own.lower_is_better)

    def table(self, preferred: Order, subtopics: bool = False) -> JudgedTable:
        """The run's table in the preferred order, as far as the run has it."""
        order = self.order(preferred)
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
        joined = self.source.join(self.qrels, order)
        self.tag = joined.tag
        disagree = joined.faults["rank_disagrees"]
        if disagree:
            queries = "query" if disagree == 1 else "queries"
            note = (
                f"rank column: disagrees with the scores in {disagree} {queries}; scores decide (--order rank: ranks)"
            )
            self.joining_notes = (*self.joining_notes, note)
        if len(joined.rank) == 0 and not self.findings:
            self.findings = self._nothing_judged(order)
        in_run = joined.in_run
        if self.answered is not None:
            in_run = np.array([query in self.answered for query in self.qrels.pool.query_ids], dtype=bool)
        return JudgedTable(
            self.qrels.pool, in_run, joined.retrieved, joined.start, joined.rank, joined.tie_first,
            joined.tie_last, joined.doc, order, joined.unjudged_queries,
        )  # fmt: skip

    def _nothing_judged(self, order: Order) -> tuple[Finding, ...]:
        """Why not one judged document was retrieved, when no id is in both: a warning here, since it may be true."""
        from rankproof.reading.check import check_run

        rows = self.source.sample(self.qrels)
        if rows is None:
            return ()
        findings = check_run(rows, self.name, qrels=self.qrels.rows(), order=order)
        return tuple(replace(f, severity="warning") for f in findings if f.code == "no_common_document")

    def rows(self) -> Rows:
        """All rows, as measured."""
        return self.source.rows()

    def rows_of(self, queries: Collection[str]) -> Rows:
        """The rows of some queries, and maybe of others: all rows, where they are in memory anyway."""
        return self.source.rows_of(queries)

    def ranked_ids(
        self, preferred: Order, depth: int | None = None, queries: Collection[str] | None = None
    ) -> RankedIds | None:
        """By query its document ids in order, each followed by a newline; None where only rows have them."""
        return self.source.ranked_ids(self.order(preferred), depth, queries)

    def content_hash(self) -> str:
        """SHA-256 of the rankings as measured; reads the run again, so it takes longer than measuring it."""
        return hash_of_run(self.rows(), self.source.own, self._tables, self.qrels.judgments, self.name)

    def without_self(self) -> PreparedRun:
        """The same run without documents whose id is the query's own; a query with no other is not missing."""
        from rankproof.reading.collapse import drop_self

        before = self.rows()
        rows, note = drop_self(before)
        source = RowsRun(rows, self.source.own, self.name, (*self.notes, note), refuses=False)
        return PreparedRun(
            self.qrels, source, requested=self.requested, name=self.name, answered=frozenset(before.query_ids)
        )

    def __repr__(self) -> str:
        return f"<run {self.name} on {self.qrels!r}>"


def prepare_qrels(qrels: Any, format: str | None = None, allow: Iterable[str] = (), **options: Any) -> PreparedQrels:
    """Judgments from anything that holds them, checked."""
    if isinstance(qrels, PreparedQrels):
        if options.get("collapse") is not None:
            raise UsageError(f"{qrels.name} is read already: collapse must be given to `prepare(qrels, collapse=...)`.")
        return qrels
    if options.get("collapse") is not None:
        from rankproof.reading.collect import read_qrels

        return prepare_qrels(read_qrels(qrels, format, allow=allow, **options))
    allow = tuple(allow)
    if isinstance(qrels, dict) and type(qrels) is not dict:  # as a mapping of splits is
        qrels = only_split(qrels)
    in_place = isinstance(qrels, dict) and options.get("columns") is None
    if in_place and all(isinstance(docs, dict) for docs in qrels.values()):
        # The general path below handles, or refuses with a reason, ids that are numbers and values that are text.
        with suppress(ValueError):
            judgments = Judgments.from_dicts(qrels)
            if not qrels or any(judgments.faults.values()):
                _refuse_qrels(Rows.from_dicts(qrels), "<dict>", allow, unit="row")
            return PreparedQrels(judgments, "<dict>", lambda: Rows.from_dicts(qrels))
    from rankproof.reading.collect import plan, read_rows
    from rankproof.reading.source import once

    if isinstance(qrels, Qrels):
        return PreparedQrels(qrels.judgments(), qrels.name, lambda: qrels.rows, _told(qrels.notes))
    qrels = once(qrels)
    planned = plan(qrels, "qrels", format, **options)
    if planned is not None and planned.description.layout is not None and planned.description.layout.number >= 0:
        source, read = planned.source, planned.description.layout.read
        faultless_judgments = Judgments.from_text(source.whole, **asdict(planned.description.layout))
        if faultless_judgments is not None:
            return PreparedQrels(faultless_judgments, planned.description.source, lambda: read(source))
    rows, description = read_rows(qrels, "qrels", format, **options)
    judgments = Judgments.from_rows(rows)
    notes = _told(description.notes)
    if len(rows) == 0 or any(judgments.faults.values()):
        _refuse_qrels(rows, description.source, allow, description.shape, description.unit)
        notes = (*notes, *_best_grade(judgments))
    if description.without_documents:
        from rankproof.reading.collapse import without_repeats

        settled, _ = without_repeats(rows, by_label=True)
        judgments = Qrels.of(settled, without_documents=description.without_documents).judgments()
    # Column 2 matters only where it says more than one thing; otherwise the rows can be dropped.
    if len(rows.labels) > 1 or not is_path(qrels):
        return PreparedQrels(judgments, description.source, lambda: rows, notes)
    return PreparedQrels(judgments, description.source, lambda: read_rows(qrels, "qrels", format, **options)[0], notes)


def _refuse_qrels(rows: Rows, source: str, allow: tuple[str, ...], shape: str = "", unit: Unit = "line") -> None:
    from rankproof.reading.check import refuse

    refuse(rows, "qrels", source, allow, shape=shape, unit=unit)


def _told(notes: Iterable[str]) -> tuple[str, ...]:
    """Those of the notes on reading judgments that belong into the fine print: what a reader may not expect."""
    from rankproof.reading.collect import NO_GRADES
    from rankproof.reading.detect import FROM_COLUMNS
    from rankproof.reading.formats.contract import TOLD

    told = (FROM_COLUMNS, "collapsed by ", *TOLD)
    columns = tuple(f"judgments: {note}" for note in notes if note.startswith(told))
    return (*columns, NO_GRADES) if NO_GRADES in notes else columns


def _best_grade(judgments: Judgments) -> tuple[str, ...]:
    """The note on documents judged twice that the checks allowed."""
    doubles = judgments.faults["conflicting_judgment"] + judgments.faults["duplicate_judgment"]
    return (f"judged more than once: {doubles}; the best grade of a document counts",) if doubles else ()


def called(source: object, side: str) -> str:
    """What a run is called: its own name, or the name of its file; else which side it is."""
    if isinstance(source, PreparedRun | Run):
        return source.name
    return name_of(source, os.fspath(source)) if isinstance(source, str | os.PathLike) and source != "-" else side


def join_run(
    qrels: PreparedQrels,
    run: Any,
    *,
    format: str | None = None,
    order: By | None = None,
    lower_is_better: bool | None = None,
    collapse: Collapse | None = None,
    unmapped: Unmapped | None = None,
    drop_self: bool = False,
    allow: Iterable[str] = (),
    threads: int = 0,
    name: str | None = None,
    memory: int | str | None = None,
    **options: Any,
) -> PreparedRun:
    """A run from anything that holds one, joined with judgments.

    A file that is large beside `memory` (1 GB by default) is read in pieces.
    """
    if threads:
        check_threads(threads)
    allow = tuple(allow)
    if isinstance(run, dict) and type(run) is not dict:
        run = only_split(run)
    plain = collapse is None and not drop_self and not allow
    if plain and isinstance(run, dict) and not options and format is None:
        by = order or ("score" if all(isinstance(docs, dict) for docs in run.values()) else "given")
        in_place = DictRun(run, Order(by=by, lower_is_better=bool(lower_is_better)))
        return PreparedRun(qrels, in_place, requested=order, name=name or in_place.name)
    reading = {"order": order, "lower_is_better": lower_is_better or None, **options}
    source, answered = None, None
    if plain:
        from rankproof.reading.source import once

        run = once(run)  # a pipe can be read once, and is looked at twice when the core cannot read it
        source = _text_source(run, format, threads, memory, reading)
    if source is None:
        from rankproof.reading.chunk_map import chunk_map

        chunks = None if collapse is None else chunk_map(collapse, unmapped)
        source, answered = _rows_source(qrels, run, format, chunks, drop_self, allow, reading)
    return PreparedRun(qrels, source, requested=order, name=name or source.name, answered=answered)


def _text_source(
    run: Any, format: str | None, threads: int, memory: int | str | None, reading: dict[str, Any]
) -> RunSource | None:
    """The source of a text that goes to the core as it is, whole or in pieces; None where rows must be made first."""
    from rankproof.reading.collect import NAMED_COLUMNS, plan

    if isinstance(run, str | os.PathLike) and may_be_large(run, budget := budget_of(memory)):
        from rankproof.measuring.outofcore.prepare import large_run

        large = large_run(run, budget, format=format, threads=threads, reading=reading)
        if large is not None:
            return large
    planned = plan(run, "run", format, **reading)
    if planned is None or planned.description.layout is None:
        return None
    description = planned.description
    name = name_of(run, description.source)
    text = TextRun(planned.source, description, planned.description.layout, description.order, name, threads)
    if description.format in NAMED_COLUMNS:
        text.notes = column_notes(description)
    return text


def _rows_source(
    qrels: PreparedQrels,
    run: Any,
    format: str | None,
    collapse: ChunkMap | None,
    drop_self: bool,
    allow: tuple[str, ...],
    reading: dict[str, Any],
) -> tuple[RowsRun, frozenset[str] | None]:
    """A run as rows that the checks passed, with chunks collapsed and the query's own document dropped.

    And the queries that had rows, where chunks without a document were dropped: one with no others is not missing.
    """
    from rankproof.reading.collect import read_rows, run_of
    from rankproof.reading.detect import SourceDescription

    if isinstance(run, Run) and collapse is None and not drop_self:
        return RowsRun(run.rows, run.order, run.name, allow=allow), None
    if isinstance(run, Run):
        rows, description = run.rows, SourceDescription(run.name, "run", "python", run.order)
    else:
        rows, description = read_rows(run, "run", format, **reading)
    refuse_run(rows, description.source, description.order, qrels, description.shape, description.unit, allow)
    notes: tuple[str, ...] = ()
    if allow:
        rows, notes = without_allowed_faults(rows, description.order)
    whole = run_of(rows, description, collapse=collapse, drop_self=drop_self)
    answered = frozenset(rows.query_ids) if collapse is not None and collapse.unmapped == "drop" else None
    return RowsRun(whole.rows, whole.order, name_of(run, description.source), (*notes, *whole.notes), allow), answered
