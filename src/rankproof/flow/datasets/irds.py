"""Collections of ir_datasets by name, such as `irds:beir/scifact/test`; needs the extra `irds`."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

from rankproof.errors import RankproofError, Unreadable
from rankproof.flow.collect import read_qrels, read_topics
from rankproof.flow.datasets.documents import Documents
from rankproof.flow.datasets.parts import Asked, Layout, Parts
from rankproof.flow.datasets.queries import of_topics
from rankproof.formats import irds
from rankproof.formats._gather import id_text
from rankproof.records.collection import Corpus
from rankproof.records.source import Source


def _documents(name: str, keep: Container[str] | None, fields: Sequence[str] | None) -> tuple[Corpus, tuple[str, ...]]:
    found = Documents(name, keep, fields)
    collection: Any = irds.dataset(Source(name, b""), "docs")
    try:
        for doc in collection.docs_iter():
            values = [(field, getattr(doc, field)) for field in doc._fields if field != "doc_id"]
            found.add(id_text(doc.doc_id, name), values)
    except RankproofError:
        raise
    except Exception as error:  # whatever a download or a parser of another library raises
        raise Unreadable(f"{name} cannot be read: {type(error).__name__}: {error!s:.200}") from error
    return found.corpus()


def _fits(path: str) -> bool:
    return path.startswith(irds.PREFIX)


def _read(path: str, asked: Asked) -> Parts:
    qrels = read_qrels(path, allow=asked.allow)
    queries = of_topics(read_topics(path))
    return Parts(queries, qrels, lambda keep: _documents(path, keep, asked.fields), notes=qrels.notes)


IRDS = Layout("irds", "irds:NAME, a collection of ir_datasets", _fits, _read, ("fields",))
