"""Langfuse: observations, scores, dataset items and experiment items, as its SDK, API and exports write them.

Names are read as the API writes them (`traceId`) and as the export to a blob storage does (`trace_id`), in JSON lines,
lists or answers of the API. A run is what observations of the type RETRIEVER returned: one ranking for each question,
or each as a call of its task. A question is named by the dataset's item where an experiment item in the file says which
it was, or else by its text; `query=text` names all by their texts. Judgments are the documents in the expected output
of dataset items. Scores are those of traces, and their seconds; the notes say who gave each (EVAL, API, ANNOTATION).

`documents=` is the key of the documents, `by=` what names a document, `step=` the retriever's step to read.

holds: run, qrels, topics, scores, calls
source: https://langfuse.com/docs/api-and-data-platform/overview

    {"id": "o1", "traceId": "t1", "type": "RETRIEVER", "startTime": "...", "input": "how ...", "output": [{"id": "d1"}]}
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rankproof.errors import InputError
from rankproof.kernel.sections import counted
from rankproof.reading.formats._exports import (
    EXPECTED,
    OPTIONS,
    RETRIEVED,
    GivenScores,
    Record,
    RetrievalStep,
    Searches,
    documents_in,
    export_records,
    first_export,
    judged,
    loaded,
    names_by_text,
    question_in,
    seconds_of,
    text_option,
)  # fmt: skip
from rankproof.reading.formats._gather import Gather, add_topic, id_text
from rankproof.reading.formats._records import Naming
from rankproof.reading.formats.contract import CallRecords, Format, Noun, Options, Read, ScoreRows, Sure, Topics
from rankproof.reading.source import Source

# Who gave a score, by its source.
WHOSE = {"EVAL": "an evaluator gave it, a model or code", "API": "sent over the API", "ANNOTATION": "people gave it"}
NUMERIC = ("NUMERIC", "BOOLEAN")
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def plain(record: Record) -> Record:
    """A record with names as the export to a blob storage writes them: trace_id, whether it was that or traceId."""
    return {_CAPITAL.sub("_", key).lower(): value for key, value in record.items()}


def kind(record: Record) -> str:
    """What a record, with plain names, is: observation, score, item, experiment; an empty text for anything else."""
    if "experiment_item_id" in record and "trace_id" in record and "type" not in record:
        return "experiment"
    if "type" in record and "start_time" in record and "trace_id" in record:
        return "observation"
    if "name" in record and "source" in record and ("data_type" in record or "value" in record):
        return "score"
    return "item" if "expected_output" in record and "dataset_id" in record else ""


def detect(source: Source, noun: Noun) -> Sure:
    """The keys of the first record; an item may have judgments beside its question."""
    first = first_export(source)
    record = plain(first) if first is not None else {}
    holds: dict[str, tuple[Noun, ...]] = {
        "observation": ("run", "scores", "calls"),
        "experiment": ("run", "scores", "calls"),
        "score": ("scores",),
        "item": ("topics",),
    }
    held = holds.get(kind(record), ())
    if kind(record) == "item" and documents_in(record["expected_output"], EXPECTED) is not None:
        held += ("qrels",)
    return Sure.CERTAIN if noun in held else Sure.NO


# ---- records --------------------------------------------------------------------------------------


@dataclass(slots=True)
class LangfuseExport:
    """The records of an export by kind, each with its place and plain names."""

    source: str
    held: dict[str, list[tuple[str, Record]]] = field(default_factory=dict)

    @classmethod
    def of(cls, source: Source) -> LangfuseExport:
        """All records; one of another kind is refused."""
        made = cls(source.name)
        ids: dict[tuple[str, str], tuple[str, Record]] = {}
        for where, given in export_records(source, "records of Langfuse"):
            record = plain(given)
            what = kind(record)
            if not what:
                keys = ", ".join(map(repr, list(given)[:6])) or "nothing"
                raise InputError(
                    f"{where}: neither an observation, a score, a dataset item nor an experiment item of Langfuse; it "
                    f"has {keys}."
                )
            key = what, id_text(record.get("id"), where)
            if key in ids:
                before, same = ids[key]
                if same == record:
                    continue  # pages of an answer overlap
                raise InputError(f"{where}: the {what} {key[1]!r:.60} is in {before} already, and differs.")
            ids[key] = where, record
            made.held.setdefault(what, []).append((where, record))
        return made

    def of_kind(self, what: str) -> list[tuple[str, Record]]:
        """The records of a kind."""
        return self.held.get(what, [])

    def roots(self) -> Iterator[tuple[str, str, Record]]:
        """The trace, the place and the record of each experiment item, and of observations that no other started."""
        seen = set()
        for where, record in self.of_kind("experiment"):
            seen.add(_trace(record))
            yield _trace(record), where, record
        for where, record in self.of_kind("observation"):
            trace = _trace(record)
            is_root = record.get("is_root_observation") or not record.get("parent_observation_id")
            if is_root and trace not in seen:
                seen.add(trace)
                yield trace, where, record

    def queries(self, options: Options, naming: Naming) -> dict[str, str]:
        """By trace its question: the dataset's item, or the text of the root's input."""
        by_text = names_by_text(options)
        named: dict[str, str] = {}
        for trace, where, record in self.roots():
            item, text = record.get("experiment_item_id") or None, question_in(record.get("input"))
            if (item is not None and not by_text) or text is not None:
                named[trace] = naming.query(None if by_text else item, text, where)
        return named


def _trace(record: Record) -> str:
    return str(record.get("trace_id") or record.get("id"))


# ---- rankings and calls ---------------------------------------------------------------------------


def searches(source: Source, options: Options) -> Searches:
    """The steps of retrievers."""
    export, naming = LangfuseExport.of(source), Naming()
    return Searches.of(source.name, list(_steps(export, options, naming)), options, naming)


def _steps(export: LangfuseExport, options: Options, naming: Naming) -> Iterator[RetrievalStep]:
    queries = export.queries(options, naming)
    key = text_option(options, "documents")
    for where, record in export.of_kind("observation"):
        if str(record["type"]).upper() != "RETRIEVER":
            continue
        trace = _trace(record)
        query = queries.get(trace) or naming.query(None, question_in(record.get("input")), where)
        failed = str(record.get("level")).upper() == "ERROR"
        held = None if failed else documents_in(record.get("output"), RETRIEVED if key is None else (key,))
        listed = held if isinstance(held, list) else None
        yield RetrievalStep(
            str(record.get("name") or "retriever"), trace, query, str(record["start_time"]), listed, where
        )


def rows(source: Source, noun: Noun, options: Options) -> Read:
    """Rankings of retrievers, or the documents in the expected output of dataset items."""
    if noun == "run":
        return searches(source, options).read()
    naming, by_text = Naming(), names_by_text(options)
    key, by = text_option(options, "documents"), text_option(options, "by")
    gather, without, archived = Gather("qrels", source.name), [], 0
    for where, item in LangfuseExport.of(source).of_kind("item"):
        if item.get("status") == "ARCHIVED":
            archived += 1
            continue
        query = naming.query(None if by_text else item.get("id"), question_in(item.get("input")), where)
        held = documents_in(item.get("expected_output"), EXPECTED if key is None else (key,))
        if not judged(gather, query, held, by, naming, where):
            without.append(query)
    if not len(gather):
        raise InputError(
            f"{source.name} has no dataset item with documents in its expected output. Say under which key they stand: "
            "--qrels-format 'langfuse(documents=KEY)' (in Python documents=)."
        )
    notes = ["documents in the expected output of dataset items; without grades each has grade 1"]
    notes += [f"not taken over: {counted(archived, 'archived item')}"] if archived else []
    return Read(gather.rows(), (*notes, *naming.notes()), without_documents=tuple(without))


def calls(source: Source, options: Options) -> CallRecords:
    """Each retrieval as a call of its trace's question."""
    return searches(source, options).calls()


def topics(source: Source, options: Options) -> Topics:
    """The questions of dataset items, by their ids; archived ones are left out."""
    texts: Topics = {}
    naming, by_text = Naming(), names_by_text(options)
    for where, item in LangfuseExport.of(source).of_kind("item"):
        if item.get("status") == "ARCHIVED":
            continue
        text = question_in(item.get("input"))
        if text is None:
            raise InputError(f"{where}: no question is found in input: {item.get('input')!r:.80}.")
        add_topic(texts, naming.query(None if by_text else item.get("id"), text, where), text, where)
    return texts


# ---- scores ---------------------------------------------------------------------------------------


def scores(source: Source, options: Options) -> ScoreRows:
    """A row for each trace: its scores, seconds and cost."""
    export, naming, given = LangfuseExport.of(source), Naming(), GivenScores()
    elsewhere = _scores(export, given)
    queries, roots = export.queries(options, naming), list(export.roots())
    names = {str(record.get("experiment_name")) for _, _, record in roots}
    found: list[dict[str, object]] = []
    for trace, _, root in roots:
        row: dict[str, object] = {"unit": queries.get(trace, trace), **given.means(trace), "seconds": seconds_of(root)}
        row |= {"experiment": str(root.get("experiment_name"))} if len(names) > 1 else {}
        found.append(row)
    if not roots:  # scores alone
        found = [{"unit": trace, **given.means(trace)} for trace in given.values]
    if not found:
        raise InputError(f"{source.name} has no whole trace and no score of a trace: scores are read from these.")
    notes = given.notes()
    notes += ["seconds are measured, and less is better: --lower seconds"] if roots else []
    if not roots:
        notes.append("scores without their traces: units are traces, which no other system has; export these too")
    lost = given.values.keys() - {trace for trace, _, _ in roots} if roots else set()
    notes += [f"not taken over: scores of {counted(len(lost), 'trace')} whose root is not in the file"] if lost else []
    notes += [f"not taken over: {counted(elsewhere, 'score')} of sessions or whole experiments"] if elsewhere else []
    kept = [{name: value for name, value in row.items() if value is not None} for row in found]
    return ScoreRows(kept, (*notes, *naming.notes()))


def _scores(export: LangfuseExport, given: GivenScores) -> int:
    """Adds the scores of traces; returns how many are of something else."""
    every = [(where, score, "") for where, score in export.of_kind("score")]
    own: dict[str, str] = {}
    for where, record in export.of_kind("experiment"):
        for score in listed if isinstance(listed := loaded(record.get("scores")), list) else ():
            if not isinstance(score, Mapping):
                raise InputError(f"{where}: a score within it must be an object; got {score!r:.60}.")
            inner = plain(score)
            if inner.get("id"):
                own[str(inner["id"])] = _trace(record)
            every.append((where, inner, _trace(record)))
    elsewhere: int = 0
    seen: set[str] = set()
    for where, score, within in every:
        key = str(score.get("id") or "")
        if key in seen:
            continue  # of an experiment item, and as a record of its own
        seen |= {key} if key else set()
        subject = score.get("subject")
        about = plain(subject) if isinstance(subject, Mapping) else {}
        of_trace = about.get("id") if about.get("kind", about.get("type")) == "trace" else about.get("trace_id")
        trace = score.get("trace_id") or of_trace or within or own.get(key)
        name, value = score.get("name"), score.get("value")
        if not isinstance(name, str) or not name:
            raise InputError(f"{where}: the name of a score must be a text; got {name!r:.60}.")
        if not trace:
            elsewhere += 1
            continue
        is_number = str(score.get("data_type") or "NUMERIC") in NUMERIC
        whose = str(score.get("source"))
        given.add(str(trace), name, value if is_number else "text", WHOSE.get(whose, f"from {whose}"))
    return elsewhere


OFFERS = (
    Format(
        name="langfuse",
        page=__doc__,
        holds=("run", "qrels", "topics", "scores", "calls"),
        detect=detect,
        rows=rows,
        topics=topics,
        scores=scores,
        calls=calls,
        options=OPTIONS,
    ),
)
