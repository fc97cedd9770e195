"""JSON lines: one row to a line, or one query to a line with its documents.

A row is `{"query_id": ..., "doc_id": ..., "score": ...}` (or rank, distance, grade; any usual names). A query
is `{"query_id": ..., "docs": [...]}` with ids in the order given, pairs, or objects with a score; `"scores":
[...]` may stand beside the ids. Topics are BEIR's queries.jsonl: `{"_id": ..., "text": ...}`.

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
from rankproof.reading.formats._gather import add_topic, gather_pieces, gather_records, id_text
from rankproof.reading.formats._jsontext import first_pair, json_lines, json_objects, text_lines
from rankproof.reading.formats._nested import is_list, query_pieces, read_queries
from rankproof.reading.formats._pieces import gathered
from rankproof.reading.formats._table import (
    DOC,
    GRADE,
    QUERY,
    RANK,
    SCORE,
    SUBTOPIC,
    TAG,
    TEXT,
    TOPIC_ID,
    by_name,
    expected,
    place,
    plain,
    topic_columns,
)
from rankproof.reading.formats.contract import Format, Noun, Options, Read, Sure, Topics
from rankproof.reading.source import Source

if TYPE_CHECKING:
    from rankproof.reading.records import Qrels, Run

DOCS = ("docs", "documents", "doc_ids", "docids", "results", "hits", "ranking", "items", "passages")
_ROW_KEYS = {
    *QUERY, *DOC, *SCORE, *RANK, *GRADE, *TAG,
    *SUBTOPIC, *TOPIC_ID, *TEXT, *DOCS, "scores", "metadata",
}  # fmt: skip


def is_row_key(key: str, value: str) -> bool:
    """Whether a line begins as a row does: a known name, and no object where a value should be.

    `{"query": {...}}` is an object of queries, one of which is called "query".
    """
    name = plain(key)
    return name in _ROW_KEYS and (value not in "{[" or name in (*DOCS, "scores", "metadata"))


def detect(source: Source, noun: Noun) -> Sure:
    """The first line begins as a row; and it has the fields that the noun needs, as far as it can be seen."""
    pair = first_pair(source)
    if pair is None or not is_row_key(*pair):
        return Sure.NO
    try:
        record = json.loads(source.head.lstrip().split(b"\n", 1)[0])
    except (ValueError, RecursionError):
        return Sure.CERTAIN  # a line too long to be seen whole, or one that reading will complain about
    return Sure.CERTAIN if _has_fields(record, noun) else Sure.POSSIBLE


def _has_fields(record: Mapping[str, object], noun: Noun) -> bool:
    if noun == "topics":
        return topic_columns(list(record)) is not None and not _docs_key(record)
    if _docs_key(record):
        return noun == "run" or isinstance(record[str(_docs_key(record))], Mapping)
    return by_name(list(record), noun) is not None


def rows(source: Source, noun: Noun, options: Options) -> Read:
    """A row or a query from each line."""
    lines = json_lines(source)
    if not any(_docs_key(record) for _, record in lines):
        return gather_records(lines, noun, source.name)
    return read_queries((_query(record, f"{source.name}, line {n}", n) for n, record in lines), noun, source.name)


def pieces(file: IO[bytes], name: str, options: Options, size: int) -> Iterator[Read]:
    """The rows of a run, some lines at a time. Every line must hold what the first holds, a row or a query."""
    objects = json_objects(text_lines(file, name), name)
    first = next(objects, None)
    if first is None:
        return
    lines = chain([first], objects)
    if _docs_key(first[1]):
        yield from query_pieces((_query(record, f"{name}, line {n}", n) for n, record in lines), "run", name, size)
        return
    number, record = first

    def rows_only() -> Iterator[tuple[int, dict[str, object]]]:
        for at, row in lines:
            if _docs_key(row):
                _query(record, f"{name}, line {number}", number)  # raises what the first line lacks
            yield at, row

    yield from gather_pieces(rows_only(), "run", name, size)


def _docs_key(record: Mapping[str, object]) -> str | None:
    return next((key for key in record if plain(key) in DOCS and not isinstance(record[key], str)), None)


def _query(record: Mapping[str, object], where: str, line: int) -> tuple[int, object, object]:
    """line, query id and documents of a line that holds a whole query."""
    key = _docs_key(record)
    names = list(record)
    at = place([plain(name) for name in names], (*QUERY, "_id", "id"))
    if key is None or at < 0:
        shown = ", ".join(f"{name!r:.40}" for name in names[:8])
        raise InputError(f"{where}: the fields are {shown}; a query needs its id (query_id) and its documents (docs).")
    docs, scores = record[key], record.get("scores")
    if scores is not None:
        if not is_list(scores) or not is_list(docs) or len(scores) != len(docs):
            raise InputError(f"{where}: 'scores' and {key!r} must be lists of the same length.")
        docs = list(zip(docs, scores, strict=True))
    return line, record[names[at]], docs


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
