"""Joining: from a run or qrels in any form to judgments and joins, by the fastest way that is open to it.

A file goes straight from its bytes to the table, a dict is read in place. When the core counts a fault on the way,
the input is read again as rows and the checks explain the fault by its line: same checks, same errors, both ways.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from rankproof.core import Judgments, Rows
from rankproof.core import ranked_ids as core_ranked_ids
from rankproof.errors import Refused, UsageError
from rankproof.measuring.outofcore.budget import budget_of, may_be_large
from rankproof.measuring.prepare import PreparedQrels, PreparedRun
from rankproof.measuring.records import MOST_THREADS
from rankproof.reading.records import By, Order

if TYPE_CHECKING:
    from rankproof.core import Joined
    from rankproof.measuring.outofcore.parts import Together
    from rankproof.reading.finding import Finding, Unit
    from rankproof.reading.formats.contract import TextLayout

# Counted by the core, but no reason to refuse a run.
HARMLESS = ("rank_disagrees",)


def prepare_qrels(qrels: Any, format: str | None = None, allow: Iterable[str] = (), **options: Any) -> PreparedQrels:
    """Judgments from anything that holds them, checked."""
    if isinstance(qrels, PreparedQrels):
        return qrels
    allow = tuple(allow)
    if isinstance(qrels, dict) and all(isinstance(docs, dict) for docs in qrels.values()):
        # Ids that are numbers, or values that are text, take the longer way below, which knows what to do or say.
        with suppress(ValueError):
            judgments = Judgments.from_dicts(qrels)
            if not qrels or any(judgments.faults.values()):
                _refuse_qrels(Rows.from_dicts(qrels), "<dict>", allow, unit="row")
            return PreparedQrels(judgments, "<dict>", lambda: Rows.from_dicts(qrels))
    from rankproof.reading.collect import plan, read_rows
    from rankproof.reading.records import Qrels
    from rankproof.reading.source import once

    if isinstance(qrels, Qrels):
        return PreparedQrels(qrels.judgments(), qrels.name, lambda: qrels.rows)
    qrels = once(qrels)
    planned = plan(qrels, "qrels", format, **options)
    if planned is not None and planned.description.layout is not None:
        source, read = planned.source, planned.description.layout.read
        beyond_doubt = Judgments.from_text(source.whole, **asdict(planned.description.layout))
        if beyond_doubt is not None:
            return PreparedQrels(beyond_doubt, planned.description.source, lambda: read(source))
    rows, said = read_rows(qrels, "qrels", format, **options)
    judgments = Judgments.from_rows(rows)
    notes: tuple[str, ...] = ()
    if len(rows) == 0 or any(judgments.faults.values()):
        _refuse_qrels(rows, said.source, allow, said.shape, said.unit)
        notes = _best_grade(judgments)
    # Column 2 matters only where it says more than one thing; otherwise the rows need not be kept.
    if len(rows.labels) > 1 or not _is_path(qrels):
        return PreparedQrels(judgments, said.source, lambda: rows, notes)
    return PreparedQrels(judgments, said.source, lambda: read_rows(qrels, "qrels", format, **options)[0], notes)


def _refuse_qrels(rows: Rows, source: str, allow: tuple[str, ...], shape: str = "", unit: Unit = "line") -> None:
    from rankproof.reading.check import refuse

    refuse(rows, "qrels", source, allow, shape=shape, unit=unit)


def _best_grade(judgments: Judgments) -> tuple[str, ...]:
    """What became of documents judged twice, once the checks have let them pass."""
    doubles = judgments.faults["conflicting_judgment"] + judgments.faults["duplicate_judgment"]
    return (f"judged more than once: {doubles}; the best grade of a document counts",) if doubles else ()


def join_run(
    qrels: PreparedQrels,
    run: Any,
    *,
    format: str | None = None,
    order: By | None = None,
    lower_is_better: bool | None = None,
    collapse: str | None = None,
    drop_self: bool = False,
    allow: Iterable[str] = (),
    threads: int = 0,
    name: str | None = None,
    memory: int | str | None = None,
    **options: Any,
) -> PreparedRun:
    """A run from anything that holds one, joined with judgments.

    A file that is large beside `memory` ("1GB" where nothing is said) is read in pieces.
    """
    if not 0 <= threads <= MOST_THREADS:
        raise UsageError(f"There can be 0 (as many as the machine has) to {MOST_THREADS} threads; got {threads}.")
    allow = tuple(allow)
    plain = collapse is None and not drop_self and not allow
    if plain and isinstance(run, dict) and not options and format is None:
        own = Order(by=order or _dict_order(run), lower_is_better=bool(lower_is_better))
        return _from_dict(qrels, run, own, order, name or "run")
    reading = {"order": order, "lower_is_better": lower_is_better or None, **options}
    if plain:
        from rankproof.reading.collect import plan
        from rankproof.reading.source import once

        run = once(run)  # a pipe can be read once, and is looked at twice when the core cannot read it
        if isinstance(run, str | os.PathLike) and may_be_large(run, budget := budget_of(memory)):
            from rankproof.measuring.outofcore.prepare import large_run

            large = large_run(
                qrels, run, budget, format=format, asked=order, threads=threads, name=name, reading=reading
            )
            if large is not None:
                return large
        planned = plan(run, "run", format, **reading)
        if planned is not None:
            return _from_text(qrels, planned, run, order, threads, name)
    return _from_rows(qrels, run, format, order, collapse, drop_self, allow, name, reading)


def join_rows(judgments: Judgments, rows: Rows, order: Order) -> Joined:
    """The join of rows that checks have passed."""
    return judgments.join_rows(rows, order.by, order.ties, order.precision, order.lower_is_better)


def _dict_order(run: dict[str, Any]) -> By:
    """By score; as given when the rankings are lists."""
    return "score" if all(isinstance(docs, dict) for docs in run.values()) else "given"


def _from_dict(qrels: PreparedQrels, run: dict[str, Any], own: Order, asked: By | None, name: str) -> PreparedRun:
    def rows() -> Rows:
        try:
            return Rows.from_dicts(run)
        except ValueError:
            # Ids that are numbers, or scores that are text: the general reader knows what to do, or what to say.
            from rankproof.reading.collect import read_rows

            return read_rows(run, "run")[0]

    def join(order: Order) -> Joined:
        with suppress(ValueError):
            joined = qrels.judgments.join_dicts(run, order.by, order.ties, order.precision, order.lower_is_better)
            if trusted(joined):
                return joined
        read = rows()
        _refuse(read, "<dict>", order, qrels, unit="row")
        return join_rows(qrels.judgments, read, order)

    return PreparedRun(qrels, join, rows, own=own, asked=asked, name=name)


def _from_text(
    qrels: PreparedQrels, planned: Any, run: Any, asked: By | None, threads: int, name: str | None
) -> PreparedRun:
    said, source = planned.description, planned.source
    layout = asdict(said.layout)

    def join(order: Order) -> Joined:
        joined = qrels.judgments.join_text(
            source.whole, **layout, by=order.by, ties=order.ties, precision=order.precision,
            lower_is_better=order.lower_is_better, threads=threads,
        )  # fmt: skip
        if trusted(joined):
            return joined
        rows = said.layout.read(source)
        _refuse(rows, said.source, order, qrels, said.shape, said.unit)
        return join_rows(qrels.judgments, rows, order)

    return PreparedRun(
        qrels, join, lambda: said.layout.read(source),
        own=said.order, asked=asked, name=name or name_of(run, said.source),
        ranked_ids=lambda order, depth, queries: ranked_ids(source.whole, said.layout, order, depth, queries),
    )  # fmt: skip


def ranked_ids(
    text: Any, layout: TextLayout, order: Order, depth: int | None, queries: Collection[str] | None
) -> dict[str, bytes] | None:
    """By query its document ids in order, each followed by a newline; None where a query's lines stand apart."""
    return core_ranked_ids(
        text, **asdict(layout), by=order.by, ties=order.ties, precision=order.precision,
        lower_is_better=order.lower_is_better, depth=depth or 0, queries=None if queries is None else list(queries),
    )  # fmt: skip


def _from_rows(
    qrels: PreparedQrels,
    run: Any,
    format: str | None,
    asked: By | None,
    collapse: str | None,
    drop_self: bool,
    allow: tuple[str, ...],
    name: str | None,
    reading: dict[str, Any],
) -> PreparedRun:
    from rankproof.reading.collect import read_rows, run_of
    from rankproof.reading.records import Run

    notes: tuple[str, ...] = ()
    if isinstance(run, Run) and collapse is None and not drop_self:
        rows, own, called = run.rows, run.order, run.name
    else:
        rows, said = (run.rows, _of_run(run)) if isinstance(run, Run) else read_rows(run, "run", format, **reading)
        _refuse(rows, said.source, said.order, qrels, said.shape, said.unit, allow)
        settled, notes = settle(rows, said.order) if allow else (rows, ())
        whole = run_of(settled, said, collapse=collapse, drop_self=drop_self)
        rows, own, notes = whole.rows, whole.order, (*notes, *whole.notes)
        called = name_of(run, said.source)

    def join(order: Order) -> Joined:
        joined = join_rows(qrels.judgments, rows, order)
        if not trusted(joined):
            _refuse(rows, called, order, qrels, allow=allow)
        return joined

    return PreparedRun(qrels, join, lambda: rows, own=own, asked=asked, name=name or called, notes=tuple(notes))


def _of_run(run: Any) -> Any:
    from rankproof.reading.description import Description

    return Description(run.name, "run", "python", run.order)


def settle(rows: Rows, order: Order) -> tuple[Rows, tuple[str, ...]]:
    """Rows with allowed faults made measurable: rows without a number go, and of doubles the best stays."""
    from rankproof.reading.collapse import without_doubles

    notes = []
    if order.by == "score":
        fine = np.flatnonzero((rows.state == Rows.OK) | (rows.state == Rows.INFINITE))
        if len(fine) < len(rows):
            notes.append(f"allowed: {len(rows) - len(fine)} rows without a usable score are left out")
            rows = rows.take(fine.astype(np.int64))
    in_order = rows.take(rows.sorted(order.by, order.ties, order.precision, order.lower_is_better))
    best, note = without_doubles(in_order)
    if note:
        notes.append(f"allowed: {note}")
    return best, tuple(notes)


def trusted(joined: Joined | Together) -> bool:
    """Whether the core saw rows, none of them faulty, for at least one judged query."""
    faulty = any(count for fault, count in joined.faults.items() if fault not in HARMLESS)
    return not faulty and joined.rows > 0 and bool(joined.in_run.any())


def _refuse(
    rows: Rows,
    source: str,
    order: Order,
    qrels: PreparedQrels,
    shape: str = "",
    unit: Unit = "line",
    allow: tuple[str, ...] = (),
) -> None:
    """Refused, when the checks find an error, or when the run answers not one judged query."""
    from rankproof.reading.check import check_run, refusal, refuse

    refuse(rows, "run", source, allow, order=order, shape=shape, unit=unit)
    if set(rows.query_ids).isdisjoint(qrels.pool.query_ids) and "no_common_query" not in allow:
        found = check_run(rows, source, qrels=qrels.rows(), order=order, unit=unit)
        grave: list[Finding] = [finding for finding in found if finding.code == "no_common_query"]
        if grave:  # nothing is found where there is no row at all and that is allowed
            raise Refused(refusal(grave, "run"), grave)


def _is_path(what: object) -> bool:
    return isinstance(what, str | os.PathLike) and what != "-"


def name_of(what: object, source: str) -> str:
    """What to call a run: the file's name without its endings."""
    if not _is_path(what):
        return "run"
    base = os.path.basename(source)
    return base.split(".")[0] or base or "run"
