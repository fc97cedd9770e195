"""MS MARCO's tab-separated files: collection.tsv (or msmarco-docs.tsv), queries.*.tsv and qrels.*.tsv.

The collection has an id and a text per line; that of the document task an id, an address, a title and a body.
"""

from __future__ import annotations

import os
from collections.abc import Container, Sequence

from rankproof.errors import InputError
from rankproof.flow.datasets.documents import Documents
from rankproof.flow.datasets.files import named, qrels_files, query_files, read_named
from rankproof.flow.datasets.lines import lines_of
from rankproof.flow.datasets.parts import Asked, Layout, Parts
from rankproof.flow.source import open_source, require_text
from rankproof.records.collection import Corpus

NAMES = ("collection.tsv", "corpus.tsv", "msmarco-docs.tsv")
# The fields after the id, by how many there are.
FIELDS = {1: ("text",), 2: ("title", "text"), 3: ("url", "title", "text")}


def read_collection(
    path: str, keep: Container[str] | None = None, fields: Sequence[str] | None = None
) -> tuple[Corpus, tuple[str, ...]]:
    """The corpus in a tab-separated file without a header; every line has as many columns as the first."""
    source = open_source(path)
    require_text(source)
    found = Documents(source.name, keep, fields)
    names: tuple[str, ...] = ()
    for number, line in lines_of(source):
        if not line:
            continue
        doc_id, *values = line.split("\t")
        names = names or FIELDS.get(len(values), ())
        if not doc_id.strip() or not names or len(values) != len(names):
            wanted = f"{len(names) + 1}, as on the first line" if names else "2 (id, text) to 4 (id, url, title, text)"
            raise InputError(
                f"{source.name}, line {number}: {len(values) + 1} columns between tabs; a collection has {wanted}, "
                "and an id in the first."
            )
        found.add(doc_id.strip(), zip(names, values, strict=True))
    return found.corpus()


def _fits(path: str) -> bool:
    return (
        os.path.isdir(path) and named(path, *NAMES) is not None and bool(query_files(path)) and bool(qrels_files(path))
    )


def _read(path: str, asked: Asked) -> Parts:
    collection = named(path, *NAMES)
    assert collection is not None  # it fits
    return read_named(path, asked, lambda keep: read_collection(collection, keep, asked.fields))


MSMARCO = Layout("msmarco", f"{' or '.join(NAMES)}, queries.*.tsv and qrels.*.tsv", _fits, _read, ("split", "fields"))
