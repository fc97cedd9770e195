"""LangSmith: runs, examples and feedback as its SDK and its API write them, JSON lines, lists or answers of the API.

A run is what retriever steps returned (`run_type` is retriever): one ranking for each question, or each search as a
call of its task. A question is named by its example in the dataset (`reference_example_id`), or else by its text;
`query=text` names all by their texts. Judgments are the documents among an example's outputs, and topics its questions.
Scores are those of whole traces: feedback, seconds, tokens and cost. The notes say who gave a score, where feedback
records in the same file do.

`documents=` is the key of the documents, `by=` what names a document, `step=` the retriever's step to read.

holds: run, qrels, topics, scores, calls
source: https://docs.langchain.com/langsmith/run-data-format

    {"id": "r1", "trace_id": "t1", "run_type": "retriever", "inputs": {"query": "a"}, "outputs": {"documents": []}}
"""

from __future__ import annotations

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
    names_by_text,
    question_in,
    seconds_of,
    text_option,
)  # fmt: skip
from rankproof.reading.formats._gather import Gather, add_topic, id_text
from rankproof.reading.formats._records import Naming
from rankproof.reading.formats.contract import CallRecords, Format, Noun, Options, Read, ScoreRows, Sure, Topics
from rankproof.reading.source import Source

NUMBERS = ("total_tokens", "total_cost")
# Who gave a score, by the type of a feedback's source.
WHOSE = {
    "model": "a model gave it",
    "api": "sent over the API",
    "app": "people gave it",
    "auto_eval": "an evaluator gave it",
}
UNSAID = "the export does not say who gave it"


def kind(record: Record) -> str:
    """What a record is: run, example, feedback; an empty text for anything else."""
    if "run_type" in record and ("trace_id" in record or "dotted_order" in record):
        return "run"
    if "dataset_id" in record and "inputs" in record and "outputs" in record:
        return "example"
    return "feedback" if "key" in record and "score" in record and "run_id" in record else ""


def detect(source: Source, noun: Noun) -> Sure:
    """The keys of the first record; an example may have judgments, a question, and the runs that it was asked in."""
    record = first_export(source)
    what = kind(record) if record is not None else ""
    if record is None or not what:
        return Sure.NO
    holds: dict[str, tuple[Noun, ...]] = {"run": ("run", "scores", "calls"), "feedback": ("scores",)}
    held = holds.get(what, ("topics",))
    if what == "example":
        held += ("run", "scores", "calls") if record.get("runs") else ()
        held += ("qrels",) if documents_in(record["outputs"], EXPECTED) is not None else ()
    return Sure.CERTAIN if noun in held else Sure.NO


# ---- records --------------------------------------------------------------------------------------


@dataclass(slots=True)
class LangSmithExport:
    """The records of an export: examples, runs and feedback, each with its place."""

    source: str
    examples: list[tuple[str, Record]] = field(default_factory=list)
    runs: dict[str, tuple[str, Record]] = field(default_factory=dict)
    feedback: list[tuple[str, Record]] = field(default_factory=list)

    @classmethod
    def of(cls, source: Source) -> LangSmithExport:
        """All records; one of another kind is refused."""
        made = cls(source.name)
        for where, record in export_records(source, "records of LangSmith"):
            made.add(where, record)
        return made

    def add(self, where: str, record: Record, example: object = None) -> None:
        """A record, and the runs that stand within it; `example` is the one that a run was made for."""
        what = kind(record)
        if not what:
            keys = ", ".join(map(repr, list(record)[:6])) or "nothing"
            raise InputError(f"{where}: neither a run, an example nor feedback of LangSmith; it has {keys}.")
        if what == "feedback":
            self.feedback.append((where, record))
            return
        if what == "example":
            self.examples.append((where, record))
        else:
            own = id_text(record.get("id"), where)
            if own in self.runs and self.runs[own][1] != record:
                raise InputError(f"{where}: the run {own!r:.60} is in {self.runs[own][0]} already, and differs.")
            given = record if example is None or record.get("reference_example_id") else {
                **record, "reference_example_id": example,
            }  # fmt: skip
            self.runs[own] = (where, given)
        inner = record.get("runs" if what == "example" else "child_runs")
        for run in inner if isinstance(inner, list) else []:
            if not isinstance(run, Mapping):
                raise InputError(f"{where}: a run within it must be an object; got {run!r:.60}.")
            self.add(where, run, record.get("id") if what == "example" else example)

    def roots(self) -> Iterator[tuple[str, str, Record]]:
        """The trace, the place and the record of each run that no other run started."""
        for own, (where, run) in self.runs.items():
            if run.get("parent_run_id") is None:
                yield str(run.get("trace_id") or own), where, run

    def queries(self, options: Options, naming: Naming) -> dict[str, str]:
        """By trace its question: the example's id, or the text of the root's input."""
        by_text = names_by_text(options)
        named: dict[str, str] = {}
        for trace, where, run in self.roots():
            example, text = run.get("reference_example_id"), question_in(run.get("inputs"))
            if (example is not None and not by_text) or text is not None:
                named[trace] = naming.query(None if by_text else example, text, where)
        return named


# ---- rankings and calls ---------------------------------------------------------------------------


def searches(source: Source, options: Options) -> Searches:
    """The steps of retrievers."""
    export, naming = LangSmithExport.of(source), Naming()
    return Searches.of(source.name, list(_steps(export, options, naming)), options, naming)


def _steps(export: LangSmithExport, options: Options, naming: Naming) -> Iterator[RetrievalStep]:
    queries = export.queries(options, naming)
    key = text_option(options, "documents")
    for own, (where, run) in export.runs.items():
        if run.get("run_type") != "retriever":
            continue
        trace = str(run.get("trace_id") or own)
        example = None if names_by_text(options) else run.get("reference_example_id")
        query = queries.get(trace) or naming.query(example, question_in(run.get("inputs")), where)
        held = None if run.get("error") else documents_in(run.get("outputs"), RETRIEVED if key is None else (key,))
        listed = held if isinstance(held, list) else None
        yield RetrievalStep(
            str(run.get("name") or "retriever"), trace, query, str(run.get("start_time")), listed, where
        )


def rows(source: Source, noun: Noun, options: Options) -> Read:
    """Rankings of retriever steps, or the documents among examples' outputs."""
    if noun == "run":
        return searches(source, options).read()
    export, naming, by_text = LangSmithExport.of(source), Naming(), names_by_text(options)
    key, by = text_option(options, "documents"), text_option(options, "by")
    gather, without = Gather("qrels", source.name), []
    for where, example in export.examples:
        query = naming.query(None if by_text else example.get("id"), question_in(example.get("inputs")), where)
        held = documents_in(example.get("outputs"), EXPECTED if key is None else (key,))
        if not judged(gather, query, held, by, naming, where):
            without.append(query)
    if not len(gather):
        raise InputError(
            f"{source.name} has no example with documents among its outputs. Say under which key they stand: "
            "--qrels-format 'langsmith(documents=KEY)' (in Python documents=)."
        )
    notes = ("documents among the outputs of examples; without grades each has grade 1",)
    return Read(gather.rows(), (*notes, *naming.notes()), without_documents=tuple(without))


def calls(source: Source, options: Options) -> CallRecords:
    """Each step of a retriever as a call of its trace's question."""
    return searches(source, options).calls()


def topics(source: Source, options: Options) -> Topics:
    """The questions of examples, by their ids."""
    texts: Topics = {}
    naming, by_text = Naming(), names_by_text(options)
    for where, example in LangSmithExport.of(source).examples:
        text = question_in(example.get("inputs"))
        if text is None:
            raise InputError(f"{where}: no question is found in inputs: {example.get('inputs')!r:.80}.")
        add_topic(texts, naming.query(None if by_text else example.get("id"), text, where), text, where)
    return texts


# ---- scores ---------------------------------------------------------------------------------------


def scores(source: Source, options: Options) -> ScoreRows:
    """A row for each trace: its feedback, seconds, tokens and cost."""
    export, naming = LangSmithExport.of(source), Naming()
    given, queries = _feedback(export), export.queries(options, naming)
    rows: list[dict[str, object]] = []
    sessions = {str(run.get("session_id")) for _, _, run in export.roots()}
    failed = 0
    for trace, _, run in export.roots():
        row: dict[str, object] = {"unit": queries.get(trace, trace), **given.means(trace)}
        row |= {"seconds": seconds_of(run)}
        row |= {name: _number(run.get(name)) for name in NUMBERS}
        row |= {"session_id": str(run.get("session_id"))} if len(sessions) > 1 else {}
        failed += bool(run.get("error"))
        rows.append(row)
    if not rows:  # feedback alone
        rows = [{"unit": trace, **given.means(trace)} for trace in given.values]
    if not rows:
        raise InputError(f"{source.name} has no whole trace and no feedback: scores are read from these.")
    notes = given.notes()
    notes += ["seconds, total_tokens and total_cost are measured, and less of them is better: --lower seconds"]
    notes += [f"{counted(failed, 'trace')} ended in an error; a score that was not given is missing"] if failed else []
    if not export.runs:
        notes.append("feedback without its runs: units are traces, which no other system has; export the runs too")
    lost = given.values.keys() - {trace for trace, _, _ in export.roots()} if export.runs else set()
    notes += [f"not taken over: feedback on {counted(len(lost), 'trace')} without its root in the file"] if lost else []
    notes += ["not taken over: comments and corrections"] if any(_said(record) for _, record in export.feedback) else []
    kept = [{name: value for name, value in row.items() if value is not None} for row in rows]
    return ScoreRows(kept, (*notes, *naming.notes()))


def _feedback(export: LangSmithExport) -> GivenScores:
    """Feedback by trace: the records where the file has them, the averages of runs otherwise."""
    given, told = GivenScores(), set()
    for where, record in export.feedback:
        run = record.get("run_id")
        of_run = export.runs.get(str(run), ("", {}))[1]
        trace, name = record.get("trace_id") or of_run.get("trace_id") or run, record.get("key")
        if trace is None:
            continue  # of a whole experiment
        if not isinstance(name, str) or not name:
            raise InputError(f"{where}: the key of a feedback must be a text; got {name!r:.60}.")
        by = record.get("feedback_source")
        who = str(by.get("type")) if isinstance(by, Mapping) and by.get("type") else ""
        value = record.get("score") if record.get("score") is not None else record.get("value")
        given.add(str(trace), name, value, WHOSE.get(who, f"from {who}" if who else UNSAID))
        told.add((str(trace), name))
    for own, (_, run) in export.runs.items():
        stats, trace = run.get("feedback_stats"), str(run.get("trace_id") or own)
        for name, held in stats.items() if isinstance(stats, Mapping) else ():
            if (trace, name) not in told and isinstance(held, Mapping):
                categories = held.get("values") or None
                given.add(trace, str(name), held["avg"] if held.get("avg") is not None else categories, UNSAID)
    return given


def _said(record: Record) -> bool:
    return bool(record.get("comment") or record.get("correction"))


def _number(value: object) -> float | None:
    """A number, which costs are as texts."""
    try:
        return None if value is None or isinstance(value, bool) else float(str(value))
    except ValueError:
        return None


OFFERS = (
    Format(
        name="langsmith",
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
