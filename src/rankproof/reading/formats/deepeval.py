"""deepeval: test runs as it exports them, and goldens saved as JSON, JSON lines or CSV (deepeval 4.3.1).

A test run is the JSON of `DEEPEVAL_RESULTS_FOLDER` or `.deepeval/.latest_run_full.json`. The `input` of a test case is
the query, its retrieval context the run in the order given, and its `context` the gold; contexts have no ids and are
named by their texts. Each metric of `metricsData` is a score, as are completionTime and tokenCost of the application
(less is better). A metric that failed or was skipped is missing. In a dataset, a golden has the query and the gold.

deepeval joins contexts with | in CSV and JSON lines, and they are cut there again: where a context has a bar in it,
save the dataset as JSON. Conversations are counted and not taken over, nor are the costs of judging.

holds: run, qrels, topics, scores
source: https://deepeval.com/docs/evaluation-flags-and-configs

    {"testCases": [{"input": "...", "retrievalContext": ["..."], "context": ["..."], "metricsData": [...]}], ...}
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rankproof.errors import InputError
from rankproof.kernel.sections import counted
from rankproof.reading.formats._contexts import (
    Passage,
    RagSample,
    sample_rows,
    sample_topics,
)
from rankproof.reading.formats._files import document, header, line_records, table_records
from rankproof.reading.formats._jsontext import refuse_repeated
from rankproof.reading.formats._records import Naming, first_record, has_keys, texts_of
from rankproof.reading.formats.contract import Format, Noun, Options, Read, ScoreRows, Sure, Topics
from rankproof.reading.source import Source

Record = Mapping[str, object]
INSTEAD = "Evaluate fewer test cases at a time, or keep the scores that you compare as CSV."
# What deepeval joins contexts with where a field is one text.
BAR = "|"
# How a context with a source is saved in a dataset.
SOURCED = re.compile(r"deepeval_source=.*?,deepeval_context=", re.DOTALL)
# Fields of the application itself, of which less is better.
MEASURED = ("completionTime", "tokenCost")
# How a test run begins; deepeval keeps the latest one under a key of its own.
_TEST_RUN = re.compile(
    rb'\s*\{\s*("testRunData"\s*:\s*\{\s*)?("testFile"\s*:\s*("[^"]*"|null)\s*,\s*)?"testCases"\s*:\s*\['
)
_DOCUMENT = re.compile(rb'\s*\{\s*"(testRunData|testFile|testCases)"\s*:')
GOLDEN = {"input", "expected_output", "retrieval_context", "context"}
CONVERSATION = {"scenario", "turns", "expected_outcome"}
RETRIEVED, GOLD = ("retrievalContext", "retrieval_context"), ("context",)


# ---- detection ------------------------------------------------------------------------------------


def detect(source: Source, noun: Noun) -> Sure:
    """A document of test cases with the fields of a test run, or the fields of a golden."""
    names = set(header(source))
    if not names and _is_test_run(source):
        return Sure.CERTAIN
    names = names or set(first_record(source) or ())
    is_golden = names >= GOLDEN or names >= CONVERSATION  # reading says of conversations what they are
    return Sure.CERTAIN if is_golden and noun != "scores" else Sure.NO


def _is_test_run(source: Source) -> bool:
    """The head of a test run: its first key is testFile or testCases, and a test case or an end of them follows."""
    if _TEST_RUN.match(source.head) is None:
        return False
    is_case = has_keys(source, "name", "input") or has_keys(source, "conversationalTestCases")
    return is_case or has_keys(source, "metricsScores")


# ---- records --------------------------------------------------------------------------------------


@dataclass(slots=True)
class DeepevalCases:
    """Test cases or goldens with their places, and how many conversations were not taken over."""

    cases: list[tuple[str, Record]] = field(default_factory=list)
    conversations: int = 0

    def notes(self) -> Iterator[str]:
        """What was not taken over, and what may be wrong with it."""
        if self.conversations:
            yield f"{counted(self.conversations, 'conversation')} of several turns: not taken over"
        fields = (record.get(key) for _, record in self.cases for key in (*RETRIEVED, *GOLD))
        if any(isinstance(value, str) and BAR in value for value in fields):
            yield "contexts were cut at |, with which deepeval joins them here: one that has a bar in it is now several"


def _cases(source: Source) -> DeepevalCases:
    """The cases of one turn; InputError where there are only others."""
    read = DeepevalCases()
    start = source.head.lstrip()[:1]
    if start not in (b"{", b"["):
        for where, row in table_records(source):
            _add(read, where, {key: value or None for key, value in row.items()})
    elif start == b"[" or _DOCUMENT.match(source.head) is not None:
        whole = document(source, "JSON", INSTEAD)
        refuse_repeated(whole, source.name)
        if isinstance(whole, Mapping):
            inner = whole.get("testRunData", whole)
            whole = inner if isinstance(inner, Mapping) else {}
            refuse_repeated(whole, source.name)
            read.conversations = len(
                _list(whole.get("conversationalTestCases"), "conversationalTestCases", source.name)
            )
            whole = _list(whole.get("testCases"), "testCases", source.name)
        for number, record in enumerate(whole if isinstance(whole, list) else [whole], 1):
            where = f"{source.name}, test case {number}"
            if not isinstance(record, Mapping):
                raise InputError(f"{where}: test cases of deepeval are JSON objects; got {record!r:.60}.")
            _add(read, where, record)
    else:
        for where, record in line_records(source):
            _add(read, where, record)
    if not read.cases:
        also = f", only {counted(read.conversations, 'conversation')}" if read.conversations else ""
        raise InputError(
            f"{source.name} has no test case of one turn{also}. Keep each search as a test case of its own "
            "(LLMTestCase)."
        )
    return read


def _add(read: DeepevalCases, where: str, record: Record) -> None:
    refuse_repeated(record, where)
    if "turns" in record and "input" not in record:
        read.conversations += 1
    else:
        read.cases.append((where, record))


def _list(value: object, key: str, where: str) -> list[object]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise InputError(f"{where}: {key} must be a list; got {value!r:.60}.")
    return value


def _contexts(record: Record, keys: tuple[str, ...], where: str) -> list[Passage] | None:
    """The contexts under the first of these keys that has any."""
    key = next((key for key in keys if record.get(key) is not None), "")
    value = record.get(key)
    if value is None:
        return None
    if isinstance(value, str):
        value = value.split(BAR) if value else []
    texts = texts_of(value, key, where)
    whole = [text[found.end() :] if (found := SOURCED.match(text)) else text for text in texts]
    return [Passage.of(None, text, where) for text in whole]


def _samples(read: DeepevalCases) -> list[RagSample]:
    return [
        RagSample(
            where,
            None,
            record.get("input"),
            _contexts(record, RETRIEVED, where),
            _contexts(record, GOLD, where),
        )
        for where, record in read.cases
    ]


def rows(source: Source, noun: Noun, options: Options) -> Read:
    """The retrieval contexts in their order, or the contexts that should have been retrieved."""
    read = _cases(source)
    what = "retrieval_context" if noun == "run" else "context"
    made = sample_rows(_samples(read), noun, source.name, options, f"Give test cases with {what}.")
    return Read(made.rows, (*made.notes, *read.notes()), unit=made.unit, without_documents=made.without_documents)


def topics(source: Source, options: Options) -> Topics:
    """The inputs."""
    return sample_topics(RagSample(where, None, record.get("input")) for where, record in _cases(source).cases)


# ---- scores ---------------------------------------------------------------------------------------


def scores(source: Source, options: Options) -> ScoreRows:
    """The score of each metric, by input."""
    read = _cases(source)
    naming = Naming()
    made: list[dict[str, Any]] = []
    judges: dict[str, str] = {}
    for where, record in read.cases:
        row: dict[str, Any] = {"unit": naming.query(None, record.get("input"), where)}
        for number, metric in enumerate(_list(record.get("metricsData"), "metricsData", where), 1):
            name, score = _score(metric, f"{where}, metric {number}")
            if name in row or name in MEASURED:
                raise InputError(
                    f"{where}: {name!r:.60} is the name of two scores or columns. Give each metric a name of its own."
                )
            row[name] = score
            judges.setdefault(name, _judge(metric))
        row |= {key: record[key] for key in MEASURED if record.get(key) is not None}
        made.append(row)
    lacking = {name: sum(row.get(name) is None for row in made) for name in judges}
    notes = [*naming.notes(), *_score_notes(judges, lacking, len(made)), *read.notes()]
    measured = [key for key in MEASURED if any(key in row for row in made)]
    if measured:
        notes.append(f"less is better: {', '.join(measured)}")
    return ScoreRows(made, tuple(notes))


def _score(metric: object, where: str) -> tuple[str, object]:
    if not isinstance(metric, Mapping) or not isinstance(metric.get("name"), str):
        raise InputError(f"{where}: a metric has a name and a score; got {metric!r:.60}.")
    score = metric.get("score")
    if score is not None and (isinstance(score, bool) or not isinstance(score, int | float)):
        raise InputError(f"{where}: the score of {metric['name']!r:.60} must be a number or null; got {score!r:.60}.")
    # deepeval writes a score beside an error where a metric ended early: it is none.
    return metric["name"], None if metric.get("error") else score


def _judge(metric: object) -> str:
    judge = metric.get("evaluationModel") if isinstance(metric, Mapping) else None
    return judge if isinstance(judge, str) else ""


def _score_notes(judges: Mapping[str, str], lacking: Mapping[str, int], cases: int) -> Iterator[str]:
    judged = [f"{name} ({judge})" for name, judge in judges.items() if judge]
    if judged:
        yield (
            f"given by a model: {', '.join(judged)}. What a model gives varies from run to run: ask several times, or "
            "compare by intervals"
        )
    computed = [name for name, judge in judges.items() if not judge]
    if computed:
        yield f"no model is named for: {', '.join(computed)}"
    for name, count in lacking.items():
        if count:
            yield f"{name}: an error or no score in {count} of {counted(cases, 'test case')}; they are missing, not 0"


OFFERS = (
    Format(
        name="deepeval",
        page=__doc__,
        holds=("run", "qrels", "topics", "scores"),
        detect=detect,
        rows=rows,
        topics=topics,
        scores=scores,
    ),
)
