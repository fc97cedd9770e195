"""HitDocuments: what the answers of engines said of the documents that they ranked, beside a run.

A file of JSON lines: a head that names the run by the SHA-256 of its file, a line for each document, and a line for
each pair of query and document of which an answer said something else than of the document: a snippet is made for its
query, and a price may change while one asks. What was said for a query is thus kept as it was said.

    {"schema": "hit-documents/1", "run": "9f86d0...", "documents": 1, "pairs": 1}
    {"doc_id": "P1", "fields": {"title": "Skillet", "price": "19.90"}}
    {"query_id": "q7", "doc_id": "P1", "fields": {"snippet": "a cast iron skillet"}}
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from rankproof.errors import InputError
from rankproof.kernel.jsontext import to_json
from rankproof.reading.source import open_source
from rankproof.reading.stream import objects

SCHEMA: Final = "hit-documents/1"
SUFFIX: Final = ".documents.jsonl"
# Made for a query whatever it is: never a document's own, also where only one query had it.
OF_THE_QUERY: Final = frozenset({"snippet"})

Fields = Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class HitDocuments:
    """What was said of documents, and where something else was said for a query.

    documents   the fields of each document, as the first answer that ranked it had them
    pairs       by query and document the fields that differ there; "" for one that was missing there
    run         SHA-256 of the run's file that they were written beside; "" where nobody says it
    """

    documents: Mapping[str, Fields]
    pairs: Mapping[tuple[str, str], Fields]
    run: str = ""
    name: str = "documents"

    @classmethod
    def of(cls, said: Iterable[tuple[str, str, Fields]], run: str = "") -> HitDocuments:
        """From query, document and fields, in the order of the queries.

        >>> read = HitDocuments.of([("q1", "a", {"title": "A", "price": "1"}), ("q2", "a", {"title": "A"})])
        >>> read.documents, read.pairs
        ({'a': {'title': 'A', 'price': '1'}}, {('q2', 'a'): {'price': ''}})
        >>> read.shown("q2", "a"), read.shown("q3", "a")
        ({'title': 'A'}, {'title': 'A', 'price': '1'})
        """
        documents: dict[str, Fields] = {}
        pairs: dict[tuple[str, str], Fields] = {}
        for query, doc, fields in said:
            own = documents.setdefault(doc, {k: text for k, text in fields.items() if k not in OF_THE_QUERY})
            if other := differing(own, fields):
                pairs[query, doc] = other
        return cls(documents, pairs, run)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all fields, in the order in which they first stand."""
        every = (*self.documents.values(), *self.pairs.values())
        return tuple(dict.fromkeys(name for fields in every for name in fields))

    def shown(self, query_id: str, doc_id: str) -> dict[str, str]:
        """What a document is shown with for a query."""
        return overlaid(self.documents.get(doc_id, {}), self.pairs.get((query_id, doc_id), {}))

    @property
    def _head(self) -> dict[str, object]:
        return {"schema": SCHEMA, "run": self.run, "documents": len(self.documents), "pairs": len(self.pairs)}

    def pieces(self) -> Iterator[bytes]:
        """The lines of the file."""
        lines: list[dict[str, object]] = [self._head]
        lines += [{"doc_id": doc, "fields": dict(fields)} for doc, fields in self.documents.items()]
        lines += [{"query_id": q, "doc_id": doc, "fields": dict(f)} for (q, doc), f in self.pairs.items()]
        for line in lines:
            yield f"{to_json(line)}\n".encode()


def differing(own: Fields, fields: Fields) -> dict[str, str]:
    """Which fields differ from a document's own, with "" for one that is missing."""
    return {name: fields.get(name, "") for name in {**own, **fields} if fields.get(name, "") != own.get(name, "")}


def overlaid(own: Fields, other: Fields) -> dict[str, str]:
    """A document's own fields under those that differ for a query."""
    return {name: text for name, text in {**own, **other}.items() if text}


def path_beside(run: str) -> str:
    """Where the documents of a run's file lie.

    >>> path_beside("live/runs/bm25.run")
    'live/runs/bm25.documents.jsonl'
    """
    folder, name = os.path.split(run)
    return os.path.join(folder, (name.removesuffix(".gz").rpartition(".")[0] or name) + SUFFIX)


def read_hit_documents(path: str) -> HitDocuments:
    """The documents in a file."""
    source = open_source(path)
    remedy = "Write one with `rankproof fetch` and hit_fields in its configuration."
    documents: dict[str, Fields] = {}
    pairs: dict[tuple[str, str], Fields] = {}
    head: Mapping[str, object] | None = None
    for number, line in objects(source.text(), source.name):
        where = f"{source.name}, line {number}"
        if head is None:
            head = line
            if head.get("schema") != SCHEMA or not isinstance(head.get("run"), str):
                raise InputError(f"{where}: this is no file of documents of a run, which says {SCHEMA} first. {remedy}")
            continue
        query, doc, fields = line.get("query_id"), line.get("doc_id"), line.get("fields")
        if not isinstance(doc, str) or not doc or not isinstance(fields, dict) or not isinstance(query, str | None):
            raise InputError(f"{where}: a line has a doc_id, fields, and perhaps a query_id, which are text. {remedy}")
        if not all(isinstance(text, str) for text in fields.values()):
            raise InputError(f"{where}: the fields of {doc!r} must all be text. {remedy}")
        if (doc in documents) if query is None else ((query, doc) in pairs):
            of = "" if query is None else f" for {query!r}"
            raise InputError(f"{where}: the document {doc!r} stands twice{of}. Keep one of the two.")
        if query is None:
            documents[doc] = fields
        else:
            pairs[query, doc] = fields
    if head is None:
        raise InputError(f"{source.name} is empty. {remedy}")
    read = HitDocuments(documents, pairs, str(head["run"]), source.name)
    if read._head != dict(head):
        raise InputError(
            f"{source.name} has {len(documents):,} documents and {len(pairs):,} pairs, and its first line promises "
            f"{head.get('documents')} and {head.get('pairs')}: it was cut or edited. Copy it again. {remedy}"
        )
    return read


def documents_beside(run: str) -> HitDocuments | None:
    """The documents beside a run's file; None where there are none. InputError where they are of another run."""
    path = path_beside(run)
    if not os.path.isfile(path):
        return None
    read = read_hit_documents(path)
    with open(run, "rb") as file:
        digest = sha256(file.read()).hexdigest()
    if read.run != digest:
        raise InputError(
            f"{path} has the documents of another version of {run}: it names one with the SHA-256 {read.run[:12]}..., "
            f"and this is {digest[:12]}... Fetch again, or take them all the same with --documents {path}"
        )
    return read
