"""Layouts of a few plain files: BEIR, MS MARCO, ir_datasets, ground-truth test cases, and queries without judgments.

The collection has an id and a text per line; that of the document task an id, an address, a title and a body.
"""

from __future__ import annotations

import os
import re
from collections.abc import Container, Sequence
from functools import partial

from rankproof.errors import InputError, RankproofError, Unreadable
from rankproof.kernel.sections import counted
from rankproof.reading.collect import read_qrels, read_topics
from rankproof.reading.collection import Corpus, Query
from rankproof.reading.datasets.documents import DocumentReader, lines_of, read_json_lines
from rankproof.reading.datasets.layout import (
    DatasetLayout,
    DatasetParts,
    DatasetRequest,
    entries,
    named,
    qrels_files,
    query_files,
    read_named,
    stem_of,
)
from rankproof.reading.datasets.queries import joined, of_topics, read_queries
from rankproof.reading.formats import irds, testcases
from rankproof.reading.formats._gather import id_text
from rankproof.reading.formats.contract import Sure
from rankproof.reading.formats.parquet import MAGIC as PARQUET
from rankproof.reading.records import Qrels
from rankproof.reading.source import FileLike, Source, open_source, require_text


def _is_beir(path: str) -> bool:
    return (
        os.path.isdir(path)
        and named(path, "corpus.jsonl") is not None
        and bool(query_files(path))
        and bool(qrels_files(path))
    )


def _read_beir(path: str, request: DatasetRequest) -> DatasetParts:
    corpus = named(path, "corpus.jsonl")
    assert corpus is not None  # it fits
    return read_named(path, request, lambda keep: read_json_lines(corpus, keep, request.fields))


BEIR = DatasetLayout(
    "beir",
    "corpus.jsonl, queries.jsonl (or .csv, .tsv) and qrels/*.tsv or qrels.trec",
    _is_beir,
    _read_beir,
    ("split", "fields"),
)


def _documents(name: str, keep: Container[str] | None, fields: Sequence[str] | None) -> tuple[Corpus, tuple[str, ...]]:
    reader = DocumentReader(name, keep, fields)
    collection = irds.dataset(Source(name, b""), "docs")
    try:
        for doc in collection.docs_iter():
            values = [(field, getattr(doc, field)) for field in doc._fields if field != "doc_id"]
            reader.add(id_text(doc.doc_id, name), values)
    except RankproofError:
        raise
    except Exception as error:  # whatever a download or a parser of another library raises
        raise Unreadable(f"{name} cannot be read: {type(error).__name__}: {error!s:.200}") from error
    return reader.corpus()


def _is_irds(path: str) -> bool:
    return path.startswith(irds.PREFIX)


def _read_irds(path: str, request: DatasetRequest) -> DatasetParts:
    qrels = read_qrels(path, allow=request.allow)
    queries = of_topics(read_topics(path))
    return DatasetParts(queries, qrels, lambda keep: _documents(path, keep, request.fields), notes=qrels.notes)


IRDS = DatasetLayout("irds", "irds:NAME, a collection of ir_datasets", _is_irds, _read_irds, ("fields",))


NAMES = ("collection.tsv", "corpus.tsv", "msmarco-docs.tsv")
# The fields after the id, by how many there are.
FIELDS = {1: ("text",), 2: ("title", "text"), 3: ("url", "title", "text")}


def read_collection(
    path: FileLike, keep: Container[str] | None = None, fields: Sequence[str] | None = None
) -> tuple[Corpus, tuple[str, ...]]:
    """The corpus in a tab-separated file without a header; every line has as many columns as the first."""
    source = open_source(path)
    require_text(source)
    reader = DocumentReader(source.name, keep, fields)
    names: tuple[str, ...] = ()
    for number, line in lines_of(source):
        if not line:
            continue
        doc_id, *values = line.split("\t")
        names = names or FIELDS.get(len(values), ())
        if not doc_id.strip() or not names or len(values) != len(names):
            expected = (
                f"{len(names) + 1}, as on the first line" if names else "2 (id, text) to 4 (id, url, title, text)"
            )
            raise InputError(
                f"{source.name}, line {number}: {counted(len(values) + 1, 'column')} between tabs; a collection has "
                f"{expected}, and an id in the first."
            )
        reader.add(doc_id.strip(), zip(names, values, strict=True))
    return reader.corpus()


def _is_msmarco(path: str) -> bool:
    return (
        os.path.isdir(path) and named(path, *NAMES) is not None and bool(query_files(path)) and bool(qrels_files(path))
    )


def _read_msmarco(path: str, request: DatasetRequest) -> DatasetParts:
    collection = named(path, *NAMES)
    assert collection is not None  # it fits
    return read_named(path, request, lambda keep: read_collection(collection, keep, request.fields))


MSMARCO = DatasetLayout(
    "msmarco", f"{' or '.join(NAMES)}, queries.*.tsv and qrels.*.tsv", _is_msmarco, _read_msmarco, ("split", "fields")
)


def _find(path: str) -> str | None:
    """The file of cases: the path itself, or the one such file of a folder."""
    if not os.path.isdir(path):
        return path if _has_cases(path) else None
    files = [os.path.join(path, name) for name in entries(path) if stem_of(name)[1] in (".json", ".testcases")]
    cases = [file for file in files if _has_cases(file)]
    return cases[0] if len(cases) == 1 else None


def _has_cases(path: str) -> bool:
    return testcases.detect(open_source(path), "qrels") == Sure.CERTAIN


def _is_testcases(path: str) -> bool:
    return _find(path) is not None


def _read_testcases(path: str, request: DatasetRequest) -> DatasetParts:
    file = _find(path)
    assert file is not None  # it fits
    source = open_source(file)
    texts = testcases.topics(source, {})
    known = {id_text(case["id"], where): case for where, case in testcases.cases(source)}
    # Other texts of a case, such as its category, become columns of its query.
    queries = tuple(
        Query(
            query,
            text,
            {k: v for k, v in known[query].items() if k not in ("id", "query") and isinstance(v, str) and v},
        )
        for query, text in texts.items()
    )
    qrels = read_qrels(source, "testcases", allow=request.allow)
    corpus = named(path, "corpus.jsonl") if os.path.isdir(path) else None
    documents = None if corpus is None else partial(read_json_lines, corpus, fields=request.fields)
    return DatasetParts(queries, qrels, documents, notes=qrels.notes)


TESTCASES = DatasetLayout(
    "testcases",
    "a JSON list of {id, query, groundTruth}, alone or with corpus.jsonl",
    _is_testcases,
    _read_testcases,
    ("fields",),
)


_NAME = re.compile(r"quer(y|ies)|topics?", re.IGNORECASE)


def _is_unjudged(path: str) -> bool:
    """A text whose name says so: the content of a table of two columns does not tell topics from a run."""
    if not os.path.isfile(path) or not _NAME.search(os.path.basename(path)):
        return False
    return not open_source(path).head.startswith(PARQUET)


def _read_unjudged(path: str, request: DatasetRequest) -> DatasetParts:
    from rankproof.core import Rows

    queries = joined([(path, read_queries(path, request.field))])
    return DatasetParts(queries, Qrels.of(Rows.from_columns([], []), path), None, notes=("no judgments: only queries",))


UNJUDGED = DatasetLayout(
    "queries", "a file called queries or topics, without judgments", _is_unjudged, _read_unjudged, ("field",)
)
