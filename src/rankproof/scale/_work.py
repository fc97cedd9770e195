"""What executors do: lines to rows, the rows of whole queries to parts and findings. Pure functions of what comes in.

A task that is lost is done again somewhere else, and gives the same. What it gives is one pickled value in a row.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankproof.core import Rows
from rankproof.measuring.outofcore.columns import dealt, gathered, with_lines
from rankproof.measuring.outofcore.findings import OF_QUERIES, OF_RUNS, Faulty, findings_of
from rankproof.measuring.outofcore.parts import JoinPart, part_of
from rankproof.reading.finding import Finding
from rankproof.reading.records import Order, Run
from rankproof.scale._judged import Sent

if TYPE_CHECKING:
    import pyarrow

# What the columns of rows are called.
QUERY, DOC, SCORE, RANK, TAG, PLACE = "query", "doc", "score", "rank", "tag", "place"
# Between tasks rows travel packed, those of a batch that go to one task as one value: Java then moves a few values, and
# not every row. A value of hand -1 is a mark: of a line that became no row, or of rows that could not be read.
HAND, PACKED = "hand", "packed"
DEALT = f"{HAND} int, {PACKED} binary"
MARK = -1
ANSWER = "answer binary"


@dataclass(frozen=True, slots=True)
class RowColumns:
    """Which columns the rows have beside query and document, and what their order means.

    placed    the rows have their place in the source; else they have no order
    in_order  they are put in the order of a Run before they are joined, as rows that are not text are
    """

    scored: bool
    ranked: bool
    tagged: bool
    placed: bool
    in_order: bool

    def columns(self) -> list[str]:
        """The names of the columns."""
        more = {SCORE: self.scored, RANK: self.ranked, TAG: self.tagged, PLACE: self.placed}
        return [QUERY, DOC, *(name for name, there in more.items() if there)]


@dataclass(frozen=True, slots=True, eq=False)
class TaskResult:
    """The results of one task for its queries.

    first    for each unjudged query of the part, the place of its first row; empty where rows have no places
    last     the place that decides whose tag is the run's
    tags     the tags that rows had, two at most
    """

    part: JoinPart
    first: tuple[int, ...]
    last: int
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why the rows of a task could not be read at all."""

    reason: str


def join_rows_of(
    batches: Iterator[pyarrow.RecordBatch], judged: Sent, shape: RowColumns, own: Order, order: Order
) -> Iterator[pyarrow.RecordBatch]:
    """The part of the queries whose rows came here; nothing where none did."""
    yield from _answered(batches, shape, lambda rows, marks: _joined(rows, marks, judged, shape, own, order))


def find_faults(
    batches: Iterator[pyarrow.RecordBatch], shape: RowColumns, faulty: Faulty, every: bool
) -> Iterator[pyarrow.RecordBatch]:
    """The findings of the checks that look at whole queries, or of every check but those that look at the whole run."""

    def look(rows: Rows, marks: Sequence[str]) -> tuple[Finding, ...]:
        return findings_of(rows, faulty, None if every else OF_QUERIES, OF_RUNS)

    yield from _answered(batches, shape, look)


def deal_rows(batches: Iterator[pyarrow.RecordBatch], shape: RowColumns, hands: int) -> Iterator[pyarrow.RecordBatch]:
    """Rows of a DataFrame packed for the tasks that will join them."""
    import pyarrow

    for batch in batches:
        if batch.num_rows:
            try:
                yield dealt_batch(rows_of(pyarrow.Table.from_batches([batch]), shape), hands)
            except (ValueError, TypeError, RuntimeError) as error:
                # The number of the row is that of this batch's rows: it would mislead.
                yield mark_batch(Unusable(re.sub(r"^row \d+: ", "", str(error))))


def rows_of(table: pyarrow.Table, shape: RowColumns) -> Rows:
    """The rows of a table, each with its place for a line; 0 where rows have none."""
    rows = Rows.from_arrow(
        table,
        query=QUERY,
        doc=DOC,
        number=SCORE if shape.scored else None,
        rank=RANK if shape.ranked else None,
        label=TAG if shape.tagged else None,
    )
    place = table.column(PLACE).to_numpy() if shape.placed else np.zeros(len(rows), dtype=np.int64)
    return with_lines(rows, place)


def dealt_batch(rows: Rows, hands: int) -> pyarrow.RecordBatch:
    """Rows packed, one value for each task that gets some of them."""
    return _batch(list(dealt(rows, hands)))


def mark_batch(mark: str | Unusable) -> pyarrow.RecordBatch:
    """A mark, for whichever task gets it."""
    return _batch([(MARK, pickle.dumps(mark))])


def _batch(values: list[tuple[int, bytes]]) -> pyarrow.RecordBatch:
    import pyarrow

    columns = {
        HAND: pyarrow.array([hand for hand, _ in values], pyarrow.int32()),
        PACKED: pyarrow.array([packed for _, packed in values], pyarrow.binary()),
    }
    return pyarrow.RecordBatch.from_pydict(columns)


def _answered(
    batches: Iterator[pyarrow.RecordBatch], shape: RowColumns, work: Callable[[Rows, list[str]], object]
) -> Iterator[pyarrow.RecordBatch]:
    """What `work` makes of all rows that came here, in their order, and of the marks; nothing where nothing came."""
    import pyarrow

    packed: list[bytes] = []
    marks: list[str] = []
    unusable: list[Unusable] = []
    for batch in batches:
        for hand, value in zip(batch.column(HAND).to_pylist(), batch.column(PACKED).to_pylist(), strict=True):
            if hand != MARK:
                packed.append(value)
            elif isinstance(mark := pickle.loads(value), Unusable):
                unusable.append(mark)
            else:
                marks.append(mark)
    if not packed and not marks and not unusable:
        return
    answer: object = unusable[0] if unusable else None
    if answer is None:
        rows = gathered(packed)
        if shape.placed:
            rows = rows.take(np.argsort(rows.line, kind="stable"))
        answer = work(rows, marks)
    yield pyarrow.RecordBatch.from_pydict({"answer": pyarrow.array([pickle.dumps(answer)], pyarrow.binary())})


def _joined(rows: Rows, marks: Sequence[str], judged: Sent, shape: RowColumns, own: Order, order: Order) -> TaskResult:
    judgments = judged.judgments()
    names = rows.query_ids
    first = np.zeros(len(names), dtype=np.int64)
    first[rows.query[::-1]] = rows.line[::-1]
    last = int(rows.line[-1]) if len(rows) else -1
    if shape.in_order:
        rows = Run.of(rows, own).rows
        last = int(first[-1]) if len(first) else -1
    joined = judgments.join_rows(rows, order.by, order.ties, order.precision, order.lower_is_better)
    part = part_of(joined)
    faults = dict(part.faults)
    for mark in marks:
        faults[mark] += 1
    place = dict(zip(names, first.tolist(), strict=True))
    return TaskResult(
        replace(part, faults=faults), tuple(place[query] for query in part.unjudged), last, tuple(rows.labels[:2])
    )
