"""BEIR folders: corpus.jsonl, queries.jsonl (or CSV, TSV with columns), and qrels/*.tsv or qrels.trec."""

from __future__ import annotations

import os

from rankproof.flow.datasets.documents import read_json_lines
from rankproof.flow.datasets.files import named, qrels_files, query_files, read_named
from rankproof.flow.datasets.parts import Asked, Layout, Parts


def _fits(path: str) -> bool:
    return (
        os.path.isdir(path)
        and named(path, "corpus.jsonl") is not None
        and bool(query_files(path))
        and bool(qrels_files(path))
    )


def _read(path: str, asked: Asked) -> Parts:
    corpus = named(path, "corpus.jsonl")
    assert corpus is not None  # it fits
    return read_named(path, asked, lambda keep: read_json_lines(corpus, keep, asked.fields))


BEIR = Layout(
    "beir",
    "corpus.jsonl, queries.jsonl (or .csv, .tsv) and qrels/*.tsv or qrels.trec",
    _fits,
    _read,
    ("split", "fields"),
)
