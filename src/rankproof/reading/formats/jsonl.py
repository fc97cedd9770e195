"""JSON lines: one row to a line, or one query to a line with its documents.

A row is `{"query_id": ..., "doc_id": ..., "score": ...}` (or rank, distance, grade; any usual names). A query
is `{"query_id": ..., "docs": [...]}` with ids in the order given, pairs, or objects with a score; `"scores":
[...]` may stand beside the ids. Judgments without grades name relevant documents only: `{"query_id": ...,
"relevant_ids": [...]}`, or one in a row. Topics are BEIR's queries.jsonl: `{"_id": ..., "text": ...}`.

holds: run, qrels, topics
source: https://jsonlines.org

    {"query_id": "q1", "docs": ["d1", "d2"]}
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import chain
from json.encoder import encode_basestring
from typing import IO, TYPE_CHECKING

from rankproof.errors import InputError
from rankproof.reading.formats._gather import add_topic, gather_pieces, id_text
from rankproof.reading.formats._jsontext import first_pair, is_lines, json_lines, json_objects, text_lines
from rankproof.reading.formats._names import (
    CONTEXT_TEXTS,
    DOC,
    DOCS,
    GRADE,
    QUERY,
    RANK,
    RELEVANT,
    RETRIEVED,
    SCORE,
    SUBTOPIC,
    TAG,
    TEXT,
    TOPIC_ID,
    by_name,
    chosen,
    expected,
    plain,
    topic_columns,
)
from rankproof.reading.formats._nested import docs_key, query_notes, query_of, query_pieces, read_records
from rankproof.reading.formats._pieces import gathered
from rankproof.reading.formats.contract import Format, Noun, Options, Read, Sure, Topics
from rankproof.reading.naming import is_many
from rankproof.reading.source import Source

if TYPE_CHECKING:
    from rankproof.reading.records import Qrels, Run

_ROW_KEYS = {
    *QUERY, *DOC, *SCORE, *RANK, *GRADE, *TAG,
    *SUBTOPIC, *TOPIC_ID, *TEXT, *DOCS, *RETRIEVED, *RELEVANT, "scores", "metadata",
}  # fmt: skip


def is_row_key(key: str, value: str) -> bool:
    """Whether a line begins as a row does: a known name, and no object where a value should be.

    `{"query": {...}}` is an object of queries, one of which is called "query".
    """
    name = plain(key)
    return name in _ROW_KEYS and (value not in "{[" or name in (*DOCS, *RETRIEVED, *RELEVANT, "scores", "metadata"))


def detect(source: Source, noun: Noun) -> Sure:
    """The first line begins as a row; and it has the fields that the noun needs, as far as it can be seen."""
    pair = first_pair(source)
    if pair is None or not (is_row_key(*pair) or is_lines(source)):
        return Sure.NO
    try:
        record = json.loads(source.head.lstrip().split(b"\n", 1)[0])
    except (ValueError, RecursionError):
        return Sure.NAMED  # a line too long to be seen whole, or one that reading will complain about
    if not _has_fields(record, noun):
        return Sure.POSSIBLE
    return Sure.NAMED if CONTEXT_TEXTS & record.keys() else Sure.CERTAIN


def _has_fields(record: Mapping[str, object], noun: Noun) -> bool:
    if noun == "topics":
        holds_documents = any(plain(key) in DOCS and is_many(value) for key, value in record.items())
        return topic_columns(list(record)) is not None and not holds_documents
    key = docs_key(record, noun)
    if key is not None:
        return noun == "run" or isinstance(record[key], Mapping)
    columns = by_name(list(record), noun)
    # Judgments without a grade look like a run in the order given, which is the likelier of the two.
    return columns is not None and (noun == "run" or columns.number >= 0)


def rows(source: Source, noun: Noun, options: Options) -> Read:
    """A row or a query from each line."""
    return read_records(json_lines(source), noun, source.name, chosen(options.get("columns"), noun))


def pieces(file: IO[bytes], name: str, options: Options, size: int) -> Iterator[Read]:
    """The rows of a run, some lines at a time. Every line must hold what the first holds, a row or a query."""
    objects = json_objects(text_lines(file, name), name)
    first = next(objects, None)
    if first is None:
        return
    lines = chain([first], objects)
    choice = chosen(options.get("columns"), "run")
    if docs_key(first[1], "run", choice):
        queries = (query_of(record, "run", choice, f"{name}, line {n}", n) for n, record in lines)
        yield from query_pieces(queries, "run", name, size, query_notes(first[1], "run", choice))
        return
    number, record = first

    def rows_only() -> Iterator[tuple[int, dict[str, object]]]:
        for at, row in lines:
            if docs_key(row, "run", choice):
                query_of(record, "run", choice, f"{name}, line {number}", number)  # raises what the first line lacks
            yield at, row

    yield from gather_pieces(rows_only(), "run", name, size, choice)


def topic_of(record: Mapping[str, object], where: str) -> tuple[str, str]:
    """The id and the text of a topic."""
    named = topic_columns(list(record))
    if named is None:
        shown = ", ".join(f"{name!r:.40}" for name in list(record)[:8])
        raise InputError(f"{where}: the fields are {shown}; a topic needs {expected('topics')}.")
    query, text = (list(record.values())[at] for at in named)
    if not isinstance(text, str):
        raise InputError(f"{where}: found {text!r:.80} where the text of a query should be.")
    return id_text(query, where), text


def topics(source: Source, options: Options) -> Topics:
    """An id and a text from each line."""
    texts: Topics = {}
    for number, record in json_lines(source):
        where = f"{source.name}, line {number}"
        add_topic(texts, *topic_of(record, where), where)
    return texts


def _line(record: dict[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False) + "\n"


def write_run(run: Run) -> Iterator[bytes]:
    """One row to a line; one query to a line for a run without scores."""

    def lines() -> Iterator[str]:
        for query, docs, values in run.rankings():
            if run.kind == "rank":
                yield _line({"query_id": query, "docs": docs})
                continue
            begin = f'{{"query_id": {encode_basestring(query)}, "doc_id": '
            for doc, value in zip(docs, values, strict=True):
                yield f'{begin}{encode_basestring(doc)}, "{run.kind}": {value!r}}}\n'

    return gathered(lines())


def write_qrels(qrels: Qrels) -> Iterator[bytes]:
    """One judgment to a line."""

    def lines() -> Iterator[str]:
        for query, docs, grades, labels in qrels.judged():
            for doc, grade, label in zip(docs, grades, labels, strict=True):
                subtopic = {"subtopic": label} if qrels.has_subtopics else {}
                yield _line({"query_id": query, **subtopic, "doc_id": doc, "grade": grade})

    return gathered(lines())


def write_topics(texts: Topics) -> Iterator[bytes]:
    """BEIR's queries.jsonl."""
    return gathered(_line({"_id": query, "text": text}) for query, text in texts.items())


OFFERS = (
    Format(
        name="jsonl",
        page=__doc__,
        holds=("run", "qrels", "topics"),
        detect=detect,
        rows=rows,
        pieces=pieces,
        topics=topics,
        write_run=write_run,
        write_qrels=write_qrels,
        write_topics=write_topics,
        endings=(".jsonl", ".ndjson"),
    ),
)
