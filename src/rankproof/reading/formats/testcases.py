"""Test cases: a JSON list of `{id, query, groundTruth: [...]}`, as retrieval test suites have them.

Each document of the ground truth gets grade 1. The queries' texts are topics.

holds: qrels, topics

    [{"id": "t1", "query": "how to reset a password", "groundTruth": ["faq-12", "faq-7"]}]
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rankproof.errors import InputError
from rankproof.reading.formats._gather import Gather, add_topic, id_text
from rankproof.reading.formats._jsontext import decode, refuse_repeated
from rankproof.reading.formats._pieces import gathered
from rankproof.reading.formats.contract import Format, Noun, Options, Read, Sure, Topics
from rankproof.reading.source import Source

if TYPE_CHECKING:
    from rankproof.reading.records import Qrels

TRUTH = "groundTruth"


def detect(source: Source, noun: Noun) -> Sure:
    """A JSON list that speaks of groundTruth."""
    head = source.head.lstrip()
    return Sure.CERTAIN if noun != "run" and head[:1] == b"[" and b'"groundTruth"' in head else Sure.NO


def cases(source: Source) -> list[tuple[str, Mapping[str, object]]]:
    """The place and the fields of each case."""
    value = decode(source.text(), source.name)
    if not isinstance(value, list):
        raise InputError(f"{source.name}: test cases are a JSON list of objects with id, query and {TRUTH}.")
    checked = []
    for i, case in enumerate(value, start=1):
        where = f"{source.name}, case {i}"
        refuse_repeated(case, where)
        if not isinstance(case, Mapping) or "id" not in case:
            raise InputError(f"{where}: a test case needs the fields id, query and {TRUTH}.")
        checked.append((where, case))
    return checked


def rows(source: Source, noun: Noun, options: Options) -> Read:
    """Grade 1 for each document of the ground truth."""
    gather = Gather("qrels", source.name)
    ids: set[str] = set()
    for where, case in cases(source):
        query = id_text(case["id"], where)
        if query in ids:
            raise InputError(f"{where}: the id {query!r:.80} is taken by an earlier case. Give each case its own.")
        ids.add(query)
        truth = case.get(TRUTH)
        if not isinstance(truth, list):
            raise InputError(f"{where}: {TRUTH} must be a list of document ids.")
        for doc in truth:
            gather.add(query, doc, 1)
    return Read(gather.rows(), ("each document of the ground truth has grade 1",))


def topics(source: Source, options: Options) -> Topics:
    """The queries' texts."""
    texts: Topics = {}
    for where, case in cases(source):
        text = case.get("query")
        if not isinstance(text, str):
            raise InputError(f"{where}: the field query must hold the query's text.")
        add_topic(texts, id_text(case["id"], where), text, where)
    return texts


def write_qrels(qrels: Qrels) -> Iterator[bytes]:
    """One case for each query, without its text, which qrels do not know."""
    others = [grade for grade in qrels.grades if grade != 1]
    if others or qrels.has_subtopics:
        content = "subtopics" if qrels.has_subtopics else f"the grade {others[0]}"
        raise InputError(f"A list of ground truth cannot hold {content}. Write the qrels as trec, tsv, csv or json.")
    listed = [{"id": query, TRUTH: docs} for query, docs, _, _ in qrels.judged()]
    return gathered([json.dumps(listed, ensure_ascii=False, indent=1), "\n"])


OFFERS = (
    Format(
        name="testcases",
        page=__doc__,
        holds=("qrels", "topics"),
        detect=detect,
        rows=rows,
        topics=topics,
        write_qrels=write_qrels,
        endings=(".testcases",),
    ),
)
