"""Hits in the store: what an engine's answers said of documents, as those saw it who searched.

A document's own fields are those with which it came first. Where an answer to a query said something else (a snippet,
another price), this is stored for the pair of query and document, and lies over the document's own fields wherever the
pair is shown. Nothing that is stored is ever changed: what comes later and differs from what judges have seen of a pair
is told and left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from rankproof.judging.store import tables
from rankproof.judging.store.database import Database, add_once
from rankproof.judging.store.items import KnownProjects, parts
from rankproof.judging.store.values import fitting, shown_fields
from rankproof.reading.hit_documents import HitDocuments, differing, overlaid

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class HitsAdded:
    """How many documents were new; pairs that stay as judges have seen them, though they came with other fields."""

    documents: int
    stayed: tuple[Pair, ...]


class Hits:
    """What is shown of documents, pair by pair."""

    def __init__(self, database: Database, known: KnownProjects) -> None:
        self._database, self._known = database, known

    def add(self, slug: str, said: HitDocuments, ranked: Mapping[str, Sequence[str]]) -> HitsAdded:
        """Adds what was said of the ranked documents of each query, all or nothing."""
        self._known.require(slug)
        pairs = [
            (query, doc)
            for query, docs in ranked.items()
            for doc in docs
            if doc in said.documents or (query, doc) in said.pairs
        ]
        docs = list(dict.fromkeys(doc for _, doc in pairs))

        def work(connection: Connection) -> HitsAdded:
            own = _documents(connection, slug, docs)
            new = {doc: shown_fields(said.documents.get(doc, {})) for doc in docs if doc not in own}
            there = _pairs(connection, slug, {query for query, _ in pairs}, docs)
            judged = _judged(connection, slug) if own else frozenset()
            rows, stayed = [], []
            for query, doc in pairs:
                base = own[doc] if doc in own else new[doc]
                shown = {name: text for name, text in shown_fields(said.shown(query, doc)).items() if text}
                if not differing(overlaid(base, there.get((query, doc), {})), shown):
                    continue
                if (query, doc) in there or (query, doc) in judged:
                    stayed.append((query, doc))
                else:
                    rows.append({"query_id": query, "doc_id": doc, "fields": differing(base, shown)})
            self._insert(connection, slug, "documents", [{"doc_id": doc, "fields": f} for doc, f in new.items()])
            self._insert(connection, slug, "hits", rows)
            return HitsAdded(len(new), tuple(stayed))

        return self._database.write(work)

    def _insert(self, connection: Connection, slug: str, name: str, rows: Iterable[Mapping[str, object]]) -> None:
        table = tables.metadata.tables[name]
        fit = fitting(table)
        for part in parts(fit({"project": slug, **row}) for row in rows):
            connection.execute(add_once(table, self._database), part)

    def shown(self, slug: str, pairs: Iterable[Pair]) -> dict[Pair, dict[str, str]]:
        """The fields with which each document is shown for its query; documents that are not there are left out."""
        self._known.require(slug)
        wanted = list(dict.fromkeys(pairs))
        docs = list(dict.fromkeys(doc for _, doc in wanted))
        with self._database.reading() as connection:
            own = _documents(connection, slug, docs)
            other = _pairs(connection, slug, {query for query, _ in wanted}, docs)
        return {pair: overlaid(own[pair[1]], other.get(pair, {})) for pair in wanted if pair[1] in own}

    def of_query(self, slug: str, query_id: str, doc_ids: Iterable[str]) -> dict[str, dict[str, str]]:
        """The same for documents of one query, by document."""
        return {doc: fields for (_, doc), fields in self.shown(slug, ((query_id, doc) for doc in doc_ids)).items()}


def _documents(connection: Connection, slug: str, docs: Sequence[str]) -> dict[str, dict[str, str]]:
    c = tables.documents.c
    found: dict[str, dict[str, str]] = {}
    for part in parts(docs):
        statement = select(c.doc_id, c.fields).where(c.project == slug, c.doc_id.in_(part))
        found.update((doc, fields) for doc, fields in connection.execute(statement))
    return found


def _pairs(
    connection: Connection, slug: str, queries: Collection[str], docs: Sequence[str]
) -> dict[Pair, dict[str, str]]:
    """What is stored for pairs of these queries and documents."""
    c = tables.hits.c
    found: dict[Pair, dict[str, str]] = {}
    for asked in parts(queries):
        for part in parts(docs):
            statement = select(c.query_id, c.doc_id, c.fields).where(
                c.project == slug, c.query_id.in_(asked), c.doc_id.in_(part)
            )
            found.update(((query, doc), fields) for query, doc, fields in connection.execute(statement))
    return found


def _judged(connection: Connection, slug: str) -> frozenset[Pair]:
    c = tables.judgments.c
    statement = select(c.query_id, c.doc_id).where(c.project == slug).distinct()
    return frozenset((query, doc) for query, doc in connection.execute(statement))
