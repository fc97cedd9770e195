"""ragas: datasets and test sets, and results with a column for each metric (ragas 0.4.3; names of 0.1 as well).

A dataset is JSON lines (`to_jsonl`) or CSV (`to_csv`, `to_pandas().to_csv`), a result the CSV or JSON of its
`to_pandas()`. `user_input` is the query, `retrieved_contexts` the run in the order given, and `reference_contexts`
the gold; contexts are named by `retrieved_context_ids` and `reference_context_ids` where every sample has them, else
by their texts. In a result every other column of numbers is a score. A value that ragas could not compute is missing.
The names of ragas 0.1 are question, contexts, ground_truths and answer.

Conversations (samples of several turns) have no retrieved contexts: they are counted and not taken over. A file with
ids alone, without texts, is read as JSON lines like any other unless the format is named.

holds: run, qrels, topics, scores
options: names=ids or names=texts says what names contexts that have both
source: https://docs.ragas.io/en/stable/concepts/components/eval_dataset/

    {"user_input": "...", "retrieved_contexts": ["...", "..."], "reference_contexts": ["..."]}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError
from rankproof.kernel.sections import counted
from rankproof.reading.formats._contexts import (
    NAMES,
    NAMES_OPTION,
    RagSample,
    passages,
    sample_rows,
    sample_topics,
)
from rankproof.reading.formats._files import document, header, line_records, listed, table_records
from rankproof.reading.formats._jsontext import refuse_repeated
from rankproof.reading.formats._names import topic_columns
from rankproof.reading.formats._records import Naming, first_record
from rankproof.reading.formats.contract import Format, Noun, Options, Read, ScoreRows, Sure, Topics
from rankproof.reading.score_cells import column_numbers
from rankproof.reading.source import Source

Record = Mapping[str, object]
# Current name -> name of ragas 0.1. ground_truths was a list of answers there; in datasets made by people it has texts.
OLD = {"user_input": "question", "retrieved_contexts": "contexts", "response": "answer", "reference": "ground_truth"}
TEXTS = ("retrieved_contexts", "reference_contexts")
IDS = ("retrieved_context_ids", "reference_context_ids")
# Columns that people add so that a question has an id; the first that is there.
QUESTION_IDS = ("query_id", "question_id", "qid", "sample_id", "id", "_id")
# What describes a sample; every other column of a result is a score.
ABOUT = frozenset(
    {
        *OLD, *OLD.values(), *TEXTS, *IDS, "ground_truths", "multi_responses", "reference_topics", "rubrics",
        "persona_name", "query_style", "query_length", "synthesizer_name", "reference_tool_calls", "evolution_type",
        "metadata", "episode_done", *QUESTION_IDS,
    }
)  # fmt: skip
KEPT = ("persona_name", "query_style", "query_length", "synthesizer_name", "evolution_type")
# Metrics that no model has a part in, by the names of their columns, and one in which an embedding model has.
COMPUTED = re.compile(
    r"(exact_match|string_present|bleu_score|rouge_score|chrf_score|non_llm_\w+|id_based_\w+|data_compare_score|"
    r"tool_call_accuracy|tool_call_f1|quoted_spans_alignment)(\(.*\))?"
)
# The mark that the generator of questions over several pages writes before each of them.
HOP = re.compile(r"<\d+-hop>\s+")


# ---- detection ------------------------------------------------------------------------------------


def detect(source: Source, noun: Noun) -> Sure:
    """A question beside contexts under the names of ragas; for scores, also beside a metric's column."""
    names = header(source)
    if names:
        return _of_columns(set(names), noun, table=True)
    record = first_record(source)
    if record is None:
        return Sure.NO
    if isinstance(record.get("user_input"), list):
        return Sure.CERTAIN if _is_conversation(record["user_input"]) else Sure.NO
    return _of_columns(set(record), noun, table=isinstance(record.get("user_input"), Mapping))


def _of_columns(names: set[str], noun: Noun, table: bool) -> Sure:
    """`table` where lists stand in cells or in columns, which no other format reads."""
    current = "user_input" in names and names & {*TEXTS, *(IDS if table else ())}
    old = "question" in names and "contexts" in names and names & {"answer", "ground_truths", "ground_truth"}
    if not current and not old:
        return Sure.NO
    if noun == "scores":
        return Sure.CERTAIN if names - ABOUT else Sure.NO
    needed: dict[str, set[str]] = {
        "run": {"retrieved_contexts", "retrieved_context_ids", "contexts"},
        "qrels": {"reference_contexts", "reference_context_ids"},
        "topics": names,
    }
    if noun == "topics" and topic_columns(list(names)) is not None:
        return Sure.LIKELY  # it has an id and a text under names that tables of topics have
    return Sure.CERTAIN if names & needed[noun] else Sure.LIKELY


def _is_conversation(messages: object) -> bool:
    return (
        isinstance(messages, list)
        and bool(messages)
        and all(isinstance(turn, Mapping) and {"content", "type"} <= turn.keys() for turn in messages)
    )


# ---- records --------------------------------------------------------------------------------------


def records(source: Source) -> Iterator[tuple[str, Record]]:
    """Each sample with its place: from JSON lines, a JSON list, the JSON of a frame's columns, or CSV."""
    start = source.head.lstrip()[:1]
    if start not in (b"{", b"["):
        for where, row in table_records(source):
            yield where, {key: _cell(key, value) for key, value in row.items()}
    elif start == b"[" or _has_columns(source):
        whole = document(source, "JSON", "Write JSON lines: dataset.to_jsonl(...), or to_json(..., lines=True).")
        refuse_repeated(whole, source.name)
        rows: Iterable[object] = whole if isinstance(whole, list) else _of_frame(whole, source.name)
        for number, record in enumerate(rows, 1):
            where = f"{source.name}, record {number}"
            if not isinstance(record, Mapping):
                raise InputError(f"{where}: samples of ragas are JSON objects; got {record!r:.60}.")
            refuse_repeated(record, where)
            yield where, record
    else:
        for where, record in line_records(source):
            refuse_repeated(record, where)
            yield where, record


def _cell(key: str, value: str) -> object:
    """A cell of CSV: its text, None where it is empty. Lists in it are read where they are asked for."""
    is_talk = key == "user_input" and re.match(r"\s*\[\s*\{\s*['\"]content['\"]", value)
    return [{}] if is_talk else value or None


def _has_columns(source: Source) -> bool:
    """Whether an object holds columns, as pandas writes JSON by itself: {"user_input": {"0": "..."}}."""
    return re.match(rb'\s*\{\s*"[^"]*"\s*:\s*\{\s*"\d+"\s*:', source.head) is not None


def _of_frame(columns: object, name: str) -> Iterator[Record]:
    if not isinstance(columns, Mapping) or not all(isinstance(column, Mapping) for column in columns.values()):
        raise InputError(f"{name}: a frame as JSON has an object for each column, with the same rows in each.")
    rows = dict.fromkeys(row for column in columns.values() for row in column)
    for row in rows:
        yield {key: column.get(row) for key, column in columns.items()}


def _samples(source: Source, contexts: bool = True) -> tuple[list[RagSample], list[str]]:
    """The samples of one turn, with their contexts where these are asked for; and notes."""
    samples: list[RagSample] = []
    conversations = hops = 0
    for where, record in records(source):
        question = _field(record, "user_input")
        if isinstance(question, list):
            conversations += 1
            continue
        if not contexts:
            samples.append(RagSample(where, _id(record), question))
            continue
        retrieved_ids, gold_ids = (_list(record, key, where) for key in IDS)
        retrieved_texts, gold_texts = (_list(record, key, where) for key in TEXTS)
        if isinstance(gold_texts, list):
            hops += sum(map(_has_hop, gold_texts))
            gold_texts = [HOP.sub("", str(text), count=1) if _has_hop(text) else text for text in gold_texts]
        retrieved = passages(retrieved_ids, retrieved_texts, (IDS[0], TEXTS[0]), where)
        gold = passages(gold_ids, gold_texts, (IDS[1], TEXTS[1]), where)
        samples.append(RagSample(where, _id(record), question, retrieved, gold))
    if not samples and conversations:
        raise _only_conversations(source.name, conversations)
    notes = [f"{counted(conversations, 'conversation')} of several turns: not taken over"] if conversations else []
    if hops:
        notes.append(f"the marks of ragas before pages (<1-hop>) were taken off {counted(hops, 'gold context')}")
    return samples, notes


def _list(record: Record, key: str, where: str) -> object:
    """The value under a key; a list that stands in a text is read."""
    value = _field(record, key)
    return listed(value, key, where) if isinstance(value, str) else value


def _only_conversations(name: str, count: int) -> InputError:
    return InputError(
        f"{name}: {'the sample is a conversation' if count == 1 else f'all {count} samples are conversations'} of "
        "several turns, which have no contexts and, being answered otherwise by each system, no question in common. "
        "Keep each search as a sample of one turn (user_input: a text)."
    )


def _has_hop(text: object) -> bool:
    return isinstance(text, str) and HOP.match(text) is not None


def _id(record: Record) -> object:
    return next((record[key] for key in QUESTION_IDS if record.get(key) not in (None, "")), None)


def _field(record: Record, key: str) -> object:
    value = record.get(key)
    return record.get(OLD.get(key, key)) if value is None else value


def rows(source: Source, noun: Noun, options: Options) -> Read:
    """The retrieved contexts in their order, or the gold ones."""
    samples, notes = _samples(source)
    what = "retrieved_contexts" if noun == "run" else "reference_contexts"
    lacking = f"Give samples with {what}, or with ids ({what[:-1]}_ids)."
    read = sample_rows(samples, noun, source.name, options, lacking)
    return Read(read.rows, (*read.notes, *notes), unit=read.unit, without_documents=read.without_documents)


def topics(source: Source, options: Options) -> Topics:
    """The questions."""
    return sample_topics(_samples(source, contexts=False)[0])


# ---- scores ---------------------------------------------------------------------------------------


def scores(source: Source, options: Options) -> ScoreRows:
    """The columns of metrics, by question."""
    naming = Naming()
    made: list[dict[str, Any]] = []
    conversations = 0
    for where, record in records(source):
        question = _field(record, "user_input")
        if isinstance(question, list):
            conversations += 1
            continue
        if "unit" in record:
            raise InputError(f"{where}: a column is called 'unit', as the question's name is here. Rename it.")
        row: dict[str, Any] = {"unit": naming.query(_id(record), question, where)}
        row |= {key: value for key, value in record.items() if (key not in ABOUT or key in KEPT) and not _is_index(key)}
        made.append(row)
    if not made and conversations:
        raise _only_conversations(source.name, conversations)
    return ScoreRows(made, tuple(_score_notes(made, naming, conversations)))


def _is_index(key: str) -> bool:
    """Whether a column holds the numbers of rows, as pandas writes them."""
    return re.fullmatch(r"|Unnamed: \d+", key) is not None


def _score_notes(made: list[dict[str, Any]], naming: Naming, conversations: int) -> Iterator[str]:
    columns = dict.fromkeys(key for row in made for key in row if key not in (*KEPT, "unit"))
    metrics = {key: values for key in columns if (values := _values(made, key)) is not None}
    judged = [key for key in metrics if not COMPUTED.fullmatch(key)]
    yield from naming.notes()
    if judged:
        yield (
            f"given by a model, or by a metric of your own: {', '.join(judged)}. What a model gives varies from run to "
            "run: ask several times, or compare by intervals"
        )
    computed = [key for key in metrics if COMPUTED.fullmatch(key)]
    if computed:
        yield f"computed without a model: {', '.join(computed)}"
    for key, values in metrics.items():
        missing = int(np.isnan(values).sum())
        if missing:
            yield f"{key}: ragas has no value for {missing} of {counted(len(made), 'sample')}; they are missing, not 0"
    if conversations:
        yield f"{counted(conversations, 'conversation')} of several turns: not taken over"


def _values(made: list[dict[str, Any]], key: str) -> NDArray[np.float64] | None:
    """A column of numbers, NaN where one is missing; None for a column that holds something else."""
    values, wrong = column_numbers(made, key)
    return values if wrong is None else None


OFFERS = (
    Format(
        name="ragas",
        page=__doc__,
        holds=("run", "qrels", "topics", "scores"),
        detect=detect,
        rows=rows,
        topics=topics,
        scores=scores,
        options={NAMES: NAMES_OPTION},
    ),
)
