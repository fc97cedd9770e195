"""Pooled: which documents a file names for each query, when nothing but their names counts."""

from __future__ import annotations

from typing import Any

from rankproof.errors import InputError
from rankproof.flow.collect import read_rows
from rankproof.flow.source import once


def documents_of(what: Any) -> dict[str, list[str]]:
    """{query_id: [doc_id, ...]} of a run, of qrels, or of two columns with query and document."""
    what = once(what)  # a pipe can be read once, and may be looked at twice
    try:
        rows, _ = read_rows(what, "run")
    except InputError:
        rows, _ = read_rows(what, "qrels")
    names = rows.query_ids
    found: dict[str, list[str]] = {query: [] for query in names}
    for query, doc in zip(rows.query.tolist(), rows.doc_ids(), strict=True):
        found[names[query]].append(doc)
    return found
