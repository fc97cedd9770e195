"""JSON: an object of queries, each with its documents; or a list of rows as objects.

A run is `{query: {doc: score}}` (ranx, BEIR, pytrec_eval), `{query: [doc, ...]}` in the order given, or a
list of objects such as `{"query_id": ..., "doc_id": ..., "score": ...}`. Qrels are `{query: {doc: grade}}`, such
a list, or relevant documents without grades: `{query: [doc, ...]}` and `{query: doc}`. Topics are `{query: text}` or a
list of objects with an id and a text. A key that stands twice in an object is found, not merged. Numbers used as ids
become text.

holds: run, qrels, topics
source: https://amenra.github.io/ranx/

    {"q1": {"d1": 12.5, "d2": 11.0}}
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rankproof.errors import InputError
from rankproof.reading.formats._gather import add_topic, id_text
from rankproof.reading.formats._jsontext import decode, first_pair, is_lines, refuse_repeated
from rankproof.reading.formats._names import chosen
from rankproof.reading.formats._nested import read_list, read_mapping
from rankproof.reading.formats._pieces import gathered
from rankproof.reading.formats.contract import Format, Noun, Options, Read, Sure, Topics
from rankproof.reading.formats.jsonl import is_row_key, topic_of
from rankproof.reading.source import Source

if TYPE_CHECKING:
    from rankproof.reading.records import Qrels, Run


def detect(source: Source, noun: Noun) -> Sure:
    """Begins as a JSON list, or as an object whose first key is no name of a column."""
    start = source.head.lstrip()[:1]
    if start == b"[":
        return Sure.LIKELY
    if start != b"{":
        return Sure.NO
    pair = first_pair(source)
    if pair is None:
        return Sure.LIKELY if source.head.split() in ([b"{}"], [b"{", b"}"]) else Sure.POSSIBLE
    key, value = pair
    if is_row_key(key, value) or is_lines(source):
        return Sure.NO
    # What the first query has: an object of numbers, a list of documents, or a text.
    fits = {"{": ("run", "qrels"), "[": ("run", "qrels"), '"': ("topics",)}
    return Sure.LIKELY if noun in fits.get(value, ()) else Sure.POSSIBLE


def rows(source: Source, noun: Noun, options: Options) -> Read:
    """The rows of the whole document."""
    choice = chosen(options.get("columns"), noun)
    value = decode(source.text(), source.name)
    if isinstance(value, Mapping):
        refuse_repeated(value, source.name)  # a query that stands twice: which of the two is meant?
        return read_mapping(value, noun, source.name, choice)
    if isinstance(value, Sequence) and not isinstance(value, str):
        for i, item in enumerate(value, start=1):
            refuse_repeated(item, f"{source.name}, row {i}")
        return read_list(value, noun, source.name, choice)
    raise InputError(f"{source.name}: an object or a list is needed, but the JSON holds {value!r:.80}.")


def topics(source: Source, options: Options) -> Topics:
    """Query ids and texts."""
    value = decode(source.text(), source.name)
    texts: Topics = {}
    if isinstance(value, Mapping):
        refuse_repeated(value, source.name)
        for query, text in value.items():
            if not isinstance(text, str):
                raise InputError(f"{source.name}: query {query!r:.80} has {text!r:.80} where its text should be.")
            add_topic(texts, id_text(query, source.name), text, source.name)
        return texts
    for i, item in enumerate(value if isinstance(value, list) else [value], start=1):
        where = f"{source.name}, row {i}"
        refuse_repeated(item, where)
        if not isinstance(item, Mapping):
            raise InputError(f"{where}: an object with an id and a text is needed; got {item!r:.80}.")
        add_topic(texts, *topic_of(item, where), where)
    return texts


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _object(items: Iterator[str]) -> Iterator[str]:
    """A JSON object with one item to a line."""
    yield "{"
    between = "\n"
    for item in items:
        yield between + item
        between = ",\n"
    yield "\n}\n"


def write_run(run: Run) -> Iterator[bytes]:
    """{query: {doc: score}}, or {query: [doc, ...]} for a run without scores."""
    if run.kind == "rank":
        return gathered(_object(f"{_text(query)}: {_text(docs)}" for query, docs, _ in run.rankings()))
    scored = run.rankings(as_scores=True)
    return gathered(_object(f"{_text(query)}: {_text(dict(zip(docs, s, strict=True)))}" for query, docs, s in scored))


def write_qrels(qrels: Qrels) -> Iterator[bytes]:
    """{query: {doc: grade}}."""
    if qrels.has_subtopics:
        raise InputError("A JSON object of grades has no place for subtopics. Write them as trec, tsv, csv or jsonl.")
    return gathered(
        _object(
            f"{_text(query)}: {_text(dict(zip(docs, grades, strict=True)))}"
            for query, docs, grades, _ in qrels.judged()
        )
    )


def write_topics(texts: Topics) -> Iterator[bytes]:
    """{query: text}."""
    return gathered(_object(f"{_text(query)}: {_text(text)}" for query, text in texts.items()))


OFFERS = (
    Format(
        name="json",
        page=__doc__,
        holds=("run", "qrels", "topics"),
        detect=detect,
        rows=rows,
        topics=topics,
        write_run=write_run,
        write_qrels=write_qrels,
        write_topics=write_topics,
        endings=(".json",),
    ),
)
