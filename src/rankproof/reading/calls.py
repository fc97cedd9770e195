"""Calls: the searches that an agent or a conversation made for each task, and what each of them cost in tokens.

One call a line, as agents log them; or one task a line:

    {"task_id": "t1", "call": 1, "docs": ["a", "b"], "tokens": 812}
    {"task_id": "t1", "calls": [["a", "b"], ["c"]], "tokens": [812, 540]}

`call` is the order within a task; without it the lines are in order. `docs` are ids, best first, or objects with an id;
a call that returned nothing has []. `tokens` may be missing, which is unknown and never 0. CSV and TSV have the same
columns, a JSON list or ids with blanks between them in the cell of `docs`. From Python also a list of such dicts, a
data frame, and {task: [[doc, ...], ...]}. Other usual names are understood, and a note says what was read as what.
"""

from __future__ import annotations

import csv
import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, cast

import numpy as np

from rankproof.errors import InputError, RankproofError
from rankproof.kernel.sections import counted
from rankproof.reading.call_lines import (
    FORM,
    CallFields,
    fields_of,
    ids_of,
    order_of,
    refuse_half_characters,
    tokens_of,
)
from rankproof.reading.formats._gather import id_text
from rankproof.reading.formats._names import plain
from rankproof.reading.formats.contract import CallRecords
from rankproof.reading.hugging_face import unwrapped
from rankproof.reading.naming import as_list, is_list
from rankproof.reading.score_tables import score_rows, stem
from rankproof.reading.source import FileLike, is_file_like, require_text

# How many names a note gives, and how many different lines are remembered.
FEW, MANY = 5, 1000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TaskCalls(Mapping[str, Sequence[Sequence[str]]]):
    """The calls of each task in order, each the ids of the documents that it returned: `calls["t1"][0]`.

    Attributes:
        by_task: the calls of each task
        tokens: what each call cost, by task, NaN where that is not known; empty where no call says it
        name: the name of the system
        notes: which columns were read as what, and which were not read
    """

    by_task: Mapping[str, Sequence[Sequence[str]]]
    tokens: Mapping[str, Sequence[float]] = field(default_factory=dict)
    name: str = "tasks"
    notes: tuple[str, ...] = ()

    def __getitem__(self, task: str) -> Sequence[Sequence[str]]:
        return self.by_task[task]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_task)

    def __len__(self) -> int:
        return len(self.by_task)

    def __repr__(self) -> str:
        calls = counted(sum(map(len, self.by_task.values())), "call")
        return f"<calls of {self.name}: {counted(len(self), 'task')}, {calls}{', tokens' if self.tokens else ''}>"


def read_calls(what: object, *, name: str | None = None, format: str | None = None) -> TaskCalls:
    """Calls by task, from a file, a list of dicts like its lines, a data frame or {task: [[doc, ...], ...]}.

    A line has `task_id`, `docs` and, where they are known, `call` (the order) and `tokens`; or `task_id` and `calls`.
    Two lines with the same task and call are refused, and so is a call without its documents: a call that returned
    nothing has an empty list. `name` is that of the system; that of the file otherwise. `format` names the format of
    another tool's records, with its options, where content does not tell it: `langsmith(depth=2)`.
    """
    if isinstance(what, TaskCalls):
        return what
    if is_file_like(what):
        lines = _lines_of_file(what, format)
        return _gathered(lines).calls(name or stem(lines.name))
    name, what = name or "tasks", unwrapped(what)
    if isinstance(what, Mapping):
        rows = [{"task_id": task, "calls": calls} for task, calls in what.items()]
        return _gathered(_Lines(name, "task", enumerate(rows, 1))).calls(name)
    if hasattr(what, "columns") and hasattr(what, "__getitem__"):
        return _gathered(_Lines(name, "row", enumerate(score_rows(what).rows, 1), texts=True)).calls(name)
    if not is_list(what) or not all(isinstance(row, Mapping) for row in what):
        raise InputError(
            f"{name}: calls are a file, a list of dicts such as {FORM}, a data frame, or a mapping from tasks to "
            f"their calls; got {what!r:.60}."
        )
    return _gathered(_Lines(name, "entry", enumerate(cast("Sequence[Mapping[str, object]]", what), 1))).calls(name)


def looks_like_calls(path: str) -> bool:
    """Whether the first line of a file is a call, or all calls of a task: for an error about another kind of file."""
    try:
        lines = _lines_of_file(path)
        _, record = next(iter(lines.records))
        return fields_of(tuple(record), path).task in record and "task_id" in map(plain, record)
    except (RankproofError, StopIteration):
        return False


# ---- lines --------------------------------------------------------------------------------------


class _Lines(NamedTuple):
    """Numbered lines of a source. `unit`: what the numbers count; `texts`: values are texts, as those of CSV are.

    `told` has the notes of the format of another tool's records, once all of them were read.
    """

    name: str
    unit: str
    records: Iterable[tuple[int, Mapping[str, object]]]
    texts: bool = False
    told: Sequence[str] = ()

    def place(self, number: int, record: Mapping[str, object]) -> str:
        """Where a line stands, for messages."""
        return (
            f"{self.name}, {self.unit} {record['task_id']!r:.80}"
            if self.unit == "task"
            else (f"{self.name}, {self.unit} {number}")
        )


def _lines_of_file(what: FileLike, format: str | None = None) -> _Lines:
    from rankproof.reading.datasets.documents import lines_of
    from rankproof.reading.detect import record_source
    from rankproof.reading.stream import objects_of

    source, form = record_source(what, "calls", format)
    if form is not None and form.calls is not None:
        told = [f"records of {form.name}"]
        return _Lines(source.name, "record", _telling(form.calls(source, {}), told), told=told)
    require_text(source)
    begins = source.head.lstrip()[:1]
    if begins == b"{":
        return _Lines(source.name, "line", objects_of(lines_of(source), source.name))
    if begins == b"[":
        try:
            rows = json.loads(source.text())
        except (ValueError, RecursionError) as error:
            raise InputError(f"{source.name} is no JSON: {error}. Give JSON lines, one call a line.") from None
        for number, row in enumerate(rows, 1):
            if not isinstance(row, dict):
                raise InputError(f"{source.name}, entry {number}: {row!r:.60} is no object such as {FORM}.")
        return _Lines(source.name, "entry", enumerate(rows, 1))
    return _Lines(source.name, "line", _delimited((line for _, line in lines_of(source)), source.name), texts=True)


def _telling(calls: CallRecords, told: list[str]) -> Iterator[tuple[int, Mapping[str, object]]]:
    """The records; the notes that come at their end are added to `told`."""
    told += yield from calls


def _delimited(lines: Iterator[str], name: str) -> Iterator[tuple[int, dict[str, object]]]:
    header = next(lines, "")
    delimiter = "\t" if "\t" in header else ";" if ";" in header and "," not in header else ","
    try:
        columns = next(csv.reader([header], delimiter=delimiter), [])
        twice = next((column for at, column in enumerate(columns) if column in columns[:at]), None)
        if twice is not None:
            raise InputError(f"{name}, line 1: the header names {twice!r:.60} twice. Give each column its own name.")
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        for row in reader:
            if not row:
                continue
            if len(row) != len(columns):
                raise InputError(
                    f"{name}, line {reader.line_num + 1}: {counted(len(row), 'field')}, but the header has "
                    f"{counted(len(columns), 'column')}. Put fields that hold the separator in quotes."
                )
            yield reader.line_num + 1, dict(zip(columns, row, strict=True))
    except csv.Error as error:
        raise InputError(f"{name}: this is not CSV ({error}). Give JSON lines, such as {FORM}, or CSV.") from None


# ---- gathering ----------------------------------------------------------------------------------


def _gathered(lines: _Lines) -> _CallColumns:
    """The calls of all lines."""
    columns = _CallColumns(lines)
    known: dict[tuple[str, ...], CallFields] = {}
    for number, record in lines.records:
        keys = tuple(record)
        fields = known.get(keys)
        if fields is None:
            header = lines.texts and lines.unit == "line"
            fields = fields_of(keys, f"{lines.name}, line 1" if header else lines.place(number, record))
            columns.note(keys, fields)
            known = {} if len(known) >= MANY else known
            known[keys] = fields
        columns.add(record, fields, number)
    return columns


class _CallColumns:
    """Calls in columns, in the order in which they came; `calls` puts them in order."""

    def __init__(self, lines: _Lines) -> None:
        self.lines = lines
        self.tasks: dict[str, int] = {}
        self.whole: set[str] = set()  # tasks whose calls stand in one line
        self.task, self.order, self.line, self.tokens = array("q"), array("q"), array("q"), array("d")
        self.docs: list[tuple[str, ...]] = []
        self.numbered: bool | None = None
        self.read: dict[str, str] = {}
        self.unread: dict[str, None] = {}

    def note(self, keys: Sequence[str], fields: CallFields) -> None:
        """Remembers which columns are read by another name than their own, and which are not read."""
        for role, key in zip(("task_id", "docs", "call", "tokens", "calls"), fields, strict=True):
            if key and key != role:
                self.read.setdefault(role, key)
        if len(self.unread) < MANY:
            self.unread.update(dict.fromkeys(str(key) for key in keys if key not in fields))

    def add(self, record: Mapping[str, object], fields: CallFields, number: int) -> None:
        """One line: a call, or all calls of a task."""
        where = self.lines.place(number, record)
        given = record[fields.task]
        task = id_text(given.strip() if self.lines.texts and isinstance(given, str) else given, where)
        refuse_half_characters(task, where)
        if task in self.tasks and (fields.whole or task in self.whole):
            raise InputError(
                f"{where}: task {task!r:.80} has a line already, and a line with all calls of a task stands alone. "
                "Keep one of the two."
            )
        at = self.tasks.setdefault(task, len(self.tasks))
        tokens = record[fields.tokens] if fields.tokens else None
        if fields.whole:
            self.whole.add(task)
            self._add_task(at, record[fields.whole], tokens, where, number)
            return
        if self.numbered not in (None, bool(fields.call)):
            raise InputError(
                f"{where}: some lines say which call they are and some do not. Give all a number in call, or none: "
                "then the lines are in order."
            )
        self.numbered = bool(fields.call)
        order = order_of(record[fields.call], fields.call, where) if fields.call else len(self.docs)
        self._keep(at, order, ids_of(record[fields.docs], where, self.lines.texts), tokens_of(tokens, where), number)

    def _add_task(self, at: int, given: object, tokens: object, where: str, number: int) -> None:
        """All calls of a task: lists of documents, or objects with docs and tokens."""
        listed = as_list(given)
        if not is_list(listed):
            raise InputError(f"{where}: a list of calls is needed, each a list of documents; got {given!r:.60}.")
        costs = as_list(tokens)
        if costs is not None and not (is_list(costs) and len(costs) == len(listed)):
            raise InputError(
                f"{where}: tokens must be a list with a number for each of the {len(listed)} calls; got {tokens!r:.60}."
            )
        for order, call in enumerate(listed, 1):
            place, cost = f"{where}, call {order}", costs[order - 1] if is_list(costs) else None
            if isinstance(call, Mapping):
                fields = fields_of(("task_id", *map(str, call)), place)
                if not fields.docs:
                    raise InputError(f"{place}: a call has no calls of its own; got {call!r:.60}.")
                cost = call[fields.tokens] if fields.tokens else cost
                call = call[fields.docs]
            self._keep(at, order, ids_of(call, place, texts=False), tokens_of(cost, place), number)

    def _keep(self, task: int, order: int, docs: tuple[str, ...], tokens: float, number: int) -> None:
        self.task.append(task)
        self.order.append(order)
        self.docs.append(docs)
        self.tokens.append(tokens)
        self.line.append(number)

    def calls(self, name: str) -> TaskCalls:
        """The calls of each task in order; refused where two calls of a task have one number."""
        if not self.tasks:
            raise InputError(f"{self.lines.name} has no calls. Give one call a line, such as {FORM}.")
        task, order = np.frombuffer(self.task, np.int64), np.frombuffer(self.order, np.int64)
        turn = np.lexsort((order, task))
        same = np.flatnonzero((np.diff(task[turn]) == 0) & (np.diff(order[turn]) == 0))
        if len(same):
            first, second = sorted(int(turn[at]) for at in (same[0], same[0] + 1))
            unit = self.lines.unit
            raise InputError(
                f"{self.lines.name}, {unit} {self.line[second]}: task {list(self.tasks)[self.task[second]]!r:.80} has "
                f"call {self.order[second]} in {unit} {self.line[first]} already. Give each call of a task a number of "
                "its own, or none: then the lines are in order."
            )
        ends = np.cumsum(np.bincount(task, minlength=len(self.tasks))).tolist()
        begins = [0, *ends[:-1]]
        docs = [self.docs[at] for at in turn.tolist()]
        costs = np.frombuffer(self.tokens, np.float64)[turn].tolist()
        known = any(cost == cost for cost in costs)
        spans = list(zip(self.tasks, begins, ends, strict=True))
        return TaskCalls(
            {task: tuple(docs[begin:end]) for task, begin, end in spans},
            {task: tuple(costs[begin:end]) for task, begin, end in spans} if known else {},
            name,
            self._notes(name),
        )

    def _notes(self, name: str) -> tuple[str, ...]:
        notes = [", ".join(f"{role} from {key!r:.40}" for role, key in self.read.items())] if self.read else []
        notes = [*self.lines.told, *notes]
        if self.unread:
            few = ", ".join(f"{key!r:.40}" for key in list(self.unread)[:FEW])
            more = f" and {len(self.unread) - FEW} more" if len(self.unread) > FEW else ""
            notes.append(f"columns not read: {few}{more}")
        return tuple(f"{name}: {note}" for note in notes)
