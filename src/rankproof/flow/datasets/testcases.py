"""Ground-truth test cases: a JSON list of {id, query, groundTruth}, alone or beside a corpus.jsonl."""

from __future__ import annotations

import os
from functools import partial

from rankproof.flow.collect import read_qrels
from rankproof.flow.datasets.documents import read_json_lines
from rankproof.flow.datasets.files import entries, named, stem_of
from rankproof.flow.datasets.parts import Asked, Layout, Parts
from rankproof.flow.source import open_source
from rankproof.formats import testcases
from rankproof.formats._contract import Sure
from rankproof.formats._gather import id_text
from rankproof.records.collection import Query


def _find(path: str) -> str | None:
    """The file of cases: the path itself, or the one such file of a folder."""
    if not os.path.isdir(path):
        return path if _has_cases(path) else None
    found = [os.path.join(path, name) for name in entries(path) if stem_of(name)[1] in (".json", ".testcases")]
    cases = [file for file in found if _has_cases(file)]
    return cases[0] if len(cases) == 1 else None


def _has_cases(path: str) -> bool:
    return testcases.detect(open_source(path), "qrels") == Sure.CERTAIN


def _fits(path: str) -> bool:
    return _find(path) is not None


def _read(path: str, asked: Asked) -> Parts:
    file = _find(path)
    assert file is not None  # it fits
    source = open_source(file)
    texts = testcases.topics(source, {})
    known = {id_text(case["id"], where): case for where, case in testcases.cases(source)}
    # What else a case says in words, such as its category, is known about its query.
    queries = tuple(
        Query(
            query,
            text,
            {k: v for k, v in known[query].items() if k not in ("id", "query") and isinstance(v, str) and v},
        )
        for query, text in texts.items()
    )
    qrels = read_qrels(source, "testcases", allow=asked.allow)
    corpus = named(path, "corpus.jsonl") if os.path.isdir(path) else None
    documents = None if corpus is None else partial(read_json_lines, corpus, fields=asked.fields)
    return Parts(queries, qrels, documents, notes=qrels.notes)


TESTCASES = Layout(
    "testcases",
    "a JSON list of {id, query, groundTruth}, alone or with corpus.jsonl",
    _fits,
    _read,
    ("fields",),
)
