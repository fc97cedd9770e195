"""Exports of tracing tools: records in any wrapping, and what stands in them under many names.

LangSmith and Langfuse keep the same things: the steps of a retriever with the documents that it returned, a question
somewhere in an input, examples with what was expected. How these become rankings, judgments and calls stands here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import counted, some
from rankproof.reading.formats._gather import Gather
from rankproof.reading.formats._jsontext import json_values, refuse_repeated
from rankproof.reading.formats._records import FIRST, Naming, first_record
from rankproof.reading.formats.contract import CallRecords, Options, Read
from rankproof.reading.source import Source

Record = Mapping[str, object]
# Where a question, the id of a document, its text and a list of documents stand, the likeliest first.
QUESTION = (
    "question",
    "query",
    "user_input",
    "user_query",
    "search_query",
    "prompt",
    "text",
    "input",
    "inputs",
    "args",
)
DOC_ID = ("id", "doc_id", "document_id", "docid", "_id", "chunk_id")
DOC_TEXT = ("page_content", "pageContent", "content", "text")
RETRIEVED = ("documents", "docs", "output", "outputs", "results", "chunks", "contexts", "context", "nodes", "matches")
EXPECTED = (
    "documents", "document_ids", "doc_ids", "relevant_documents", "relevant_document_ids", "relevant_docs",
    "expected_documents", "expected_document_ids", "expected_docs", "reference_documents", "reference_context_ids",
    "reference_contexts", "expected_contexts", "ground_truth_documents", "expected_sources", "sources",
)  # fmt: skip
# What the formats of tracing tools take as options.
OPTIONS = {
    "documents": "the key under which documents stand, where it is none of the usual ones",
    "by": "what names a document: text, or a key of it or of its metadata, such as source; its id where it has one",
    "query": "what names a question: id (of the dataset's example, where there is one) or text",
    "step": "the retriever's step to read, where there are several",
}


def text_option(options: Options, name: str) -> str | None:
    """An option's text; None where it was not given."""
    value = options.get(name)
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise UsageError(f"{name}= must be a text that is not empty; got {value!r:.60}.")
    return value.strip() if isinstance(value, str) else None


def names_by_text(options: Options) -> bool:
    """Whether questions are named by their texts, also where they have ids."""
    named = text_option(options, "query") or "id"
    if named not in ("id", "text"):
        raise UsageError(f"query= is id or text; got {named!r:.60}.")
    return named == "text"


# ---- records --------------------------------------------------------------------------------------

# An answer of an API has its records under one of these keys, beside what it says of itself.
_WRAPPED = ("data", "runs")
_WRAPPING = re.compile(r'\s*\{\s*"(?:data|runs)"\s*:\s*\[\s*(?=\{)')


def export_records(source: Source, kind: str) -> Iterator[tuple[str, Record]]:
    """The objects of JSON lines, of a list, or of an answer of the tool's API; `kind` says what they are."""
    for line, value in json_values(source):
        held = _held(value)
        for number, record in enumerate([value] if held is None else held, 1):
            where = f"{source.name}, line {line}" if held is None else f"{source.name}, record {number}"
            refuse_repeated(record, where)
            if not isinstance(record, Mapping):
                raise InputError(f"{where}: {kind} are JSON objects; got {record!r:.60}.")
            yield where, record


def _held(value: object) -> Sequence[object] | None:
    """The records in a list or in an answer of an API."""
    if isinstance(value, Mapping) and "id" not in value:
        return next((held for key in _WRAPPED if isinstance(held := value.get(key), list)), None)
    return value if isinstance(value, list) else None


def first_export(source: Source) -> Record | None:
    """The first record of an export; None where a source has none."""
    record = first_record(source)
    if record is None:
        text = source.part(0, FIRST).decode("utf-8", errors="replace")
        wrapping = _WRAPPING.match(text)
        try:
            value, _ = json.JSONDecoder().raw_decode(text, wrapping.end()) if wrapping else (None, 0)
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, Mapping) else None
    held = _held(record)
    first = held[0] if held else None
    return record if held is None else first if isinstance(first, Mapping) else None


def loaded(value: object) -> object:
    """A value that some exports keep as the text of its JSON."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def question_in(value: object, deep: int = 3) -> str | None:
    """The text of a question in an input: the input itself, under a usual key, or the last message of a user."""
    value = loaded(value)
    if isinstance(value, str):
        return value if value.strip() else None
    if deep == 0:
        return None
    if isinstance(value, Mapping):
        kept = [value[key] for key in (*QUESTION, "kwargs") if key in value]
        messages = value.get("messages", value.get("chat_history"))
        kept += [messages] if isinstance(messages, list) else []
        kept += list(value.values()) if not kept and len(value) == 1 else []
        return next((text for one in kept if (text := question_in(one, deep - 1)) is not None), None)
    if isinstance(value, list):
        asked = [one for one in value if isinstance(one, Mapping) and one.get("role", one.get("type")) in _USERS]
        return question_in(asked[-1].get("content"), 1) if asked else question_in(value[0], 1) if value else None
    return None


_USERS = ("user", "human")


# ---- documents ------------------------------------------------------------------------------------


def documents_in(value: object, keys: Sequence[str], deep: int = 2) -> object:
    """The list of documents, or {document: grade}, that stands in a value under one of these keys; None without one."""
    value = loaded(value)
    if isinstance(value, list):
        return value
    if isinstance(value, Mapping) and deep:
        for key in keys:
            inner = loaded(value.get(key))
            if isinstance(inner, Mapping) and deep == 2 and not any(key in inner for key in keys):
                return inner
            listed = documents_in(inner, keys, deep - 1)
            if listed is not None:
                return listed
    return None


def name_of(doc: object, by: str | None, naming: Naming, where: str) -> str:
    """The id of a document: its own, that of its metadata, or its text's; or what `by` names it by."""
    if not isinstance(doc, Mapping):
        # A text without any blank is an id: texts of documents have several words.
        is_text = isinstance(doc, str) and (by == "text" or len(doc.split()) > 1)
        return naming.doc(None, doc, where) if is_text else naming.doc(doc, None, where)
    inner = doc.get("kwargs") if "lc" in doc else doc.get("node", doc.get("document"))
    if isinstance(inner, Mapping):
        return name_of(inner, by, naming, where)
    about = loaded(doc.get("metadata"))
    held = (doc, about if isinstance(about, Mapping) else {})
    if by not in (None, "text"):
        given = next((one[by] for one in held if one.get(str(by)) not in (None, "")), None)
        if given is None:
            keys = ", ".join(map(repr, list(dict.fromkeys(key for one in held for key in one))[:8]))
            raise InputError(f"{where}: a document has no {by!r}: it has {keys}. Name one of these with by=.")
        return naming.doc(given, None, where)
    ids = [one[key] for one in held for key in DOC_ID if one.get(key) not in (None, "")] if by is None else []
    text = next((doc[key] for key in DOC_TEXT if isinstance(doc.get(key), str)), inner)
    return naming.doc(ids[0] if ids else None, text, where)


def judged(gather: Gather, query: str, held: object, by: str | None, naming: Naming, where: str) -> int:
    """Adds what was expected of a query: documents with grade 1, or {document: grade}; how many there are."""
    if isinstance(held, Mapping):
        for doc, grade in held.items():
            if isinstance(grade, bool) or not isinstance(grade, int | float):
                raise InputError(f"{where}: the grade of document {doc!r:.60} must be a number; got {grade!r:.60}.")
            gather.add(query, doc, grade)
        return len(held)
    named = dict.fromkeys(name_of(doc, by, naming, where) for doc in (held if isinstance(held, list) else []))
    for doc in named:
        gather.add(query, doc, 1)
    return len(named)


# ---- steps of retrievers --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RetrievalStep:
    """A search that a retriever made: of which trace and question, when, and what it returned.

    listed   the documents; None where the record has none: it failed, or its output was left out or cut off
    """

    name: str
    trace: str
    query: str
    began: str
    listed: Sequence[object] | None
    where: str


@dataclass(slots=True)
class Searches:
    """The steps of an export, in the order of time, made into rankings or calls."""

    source: str
    steps: list[RetrievalStep]
    by: str | None
    naming: Naming
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, source: str, steps: Iterable[RetrievalStep], options: Options, naming: Naming) -> Searches:
        """The steps with the name that `step=` says, where it was given."""
        every = sorted(steps, key=lambda step: step.began)
        wanted, names = text_option(options, "step"), tuple(dict.fromkeys(step.name for step in every))
        if not every:
            raise InputError(
                f"{source} has no step of a retriever. Rankings are read from steps of that type, with the documents "
                "that they returned; an export of whole traces has them, one of their roots alone has not."
            )
        if wanted is not None and wanted not in names:
            raise UsageError(f"{source} has no step {wanted!r:.60} of a retriever. Its steps: {some(names)}.")
        kept = [step for step in every if wanted in (None, step.name)]
        made = cls(source, kept, text_option(options, "by"), naming)
        without = sum(step.listed is None for step in kept)
        if without:
            made.notes.append(
                f"not taken over: {counted(without, 'search', 'searches')} without documents in the record (failed, or "
                "the output was left out or cut off)"
            )
        return made

    def named(self, step: RetrievalStep) -> list[str]:
        """The ids of a step's documents."""
        where = f"{step.where}, step {step.name!r:.60}"
        return self.naming.ranking(name_of(doc, self.by, self.naming, where) for doc in step.listed or ())

    def read(self) -> Read:
        """A ranking for each question: that of its latest trace. Several searches in one trace are no ranking."""
        last: dict[str, RetrievalStep] = {}
        again: dict[str, None] = {}
        answered = {(step.query, step.trace) for step in self.steps if step.listed is not None}
        for step in self.steps:
            if step.listed is None and (step.query, step.trace) in answered:
                continue  # it was tried again
            before = last.get(step.query)
            if before is not None and before.trace == step.trace:
                names = tuple(dict.fromkeys((before.name, step.name)))
                raise UsageError(
                    f"{step.where}: the trace {step.trace!r:.60} searches several times (steps {some(names)}), and a "
                    "run has one ranking for a question. Name one with --run-format 'FORMAT(step=NAME)' (in Python "
                    "step=), or measure all of them as calls of a task with rankproof tasks."
                )
            again |= {step.query: None} if before is not None else {}
            last[step.query] = step
        gather, empty = Gather("run", self.source), 0
        for query, step in last.items():
            ranking = self.named(step)
            empty += not ranking
            for rank, doc in enumerate(ranking, 1):
                gather.add(query, doc, rank=rank)
        notes = ["documents of the retriever's steps, in the order in which they were returned", *self.notes]
        if again:
            notes.append(f"asked in several traces: {some(tuple(again))}; the latest one counts")
        notes += [f"{counted(empty, 'query')} with nothing retrieved"] if empty else []
        return Read(gather.rows(), (*notes, *self.naming.notes()))

    def calls(self) -> CallRecords:
        """Each search as a call of its trace's task. Of several traces of one question the latest is the task."""
        latest = {step.query: step.trace for step in self.steps}
        counts: dict[str, int] = {}
        for step in self.steps:
            if latest[step.query] != step.trace or step.listed is None:
                continue
            counts[step.query] = counts.get(step.query, 0) + 1
            yield (
                sum(counts.values()),
                {"task_id": step.query, "call": counts[step.query], "docs": self.named(step)},
            )
        return (*self.notes, *self.naming.notes())


def seconds_of(record: Record) -> float | None:
    """From start_time to end_time; None where one of them is missing."""
    try:
        began, ended = (datetime.fromisoformat(str(record.get(key))) for key in ("start_time", "end_time"))
        return (ended - began).total_seconds()
    except (ValueError, TypeError):
        return None


# ---- scores ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class GivenScores:
    """Scores of one trace as they are found, and of all traces what is said about them.

    values   by trace and score, every value that was given
    whose    by score, who gave it
    left     scores that are no numbers
    """

    values: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    whose: dict[str, dict[str, None]] = field(default_factory=dict)
    left: dict[str, None] = field(default_factory=dict)

    def add(self, trace: str, name: str, value: object, who: str) -> None:
        """One score. One that is no number is not taken over, and said so."""
        if isinstance(value, bool | int | float):
            self.values.setdefault(trace, {}).setdefault(name, []).append(float(value))
            self.whose.setdefault(name, {})[who] = None
        elif value is not None:
            self.left[name] = None

    def means(self, trace: str) -> dict[str, float]:
        """The scores of a trace; of several of one name their mean."""
        return {name: sum(given) / len(given) for name, given in self.values.get(trace, {}).items()}

    def notes(self) -> list[str]:
        """Who gave what, and what was not taken over."""
        told = [f"{name}: {' and '.join(who)}" for name, who in self.whose.items()]
        several = {name for scores in self.values.values() for name, given in scores.items() if len(given) > 1}
        told += [f"several values of one trace are averaged: {some(tuple(sorted(several)))}"] if several else []
        told += [f"not taken over, since they are no numbers: {some(tuple(self.left))}"] if self.left else []
        return told
