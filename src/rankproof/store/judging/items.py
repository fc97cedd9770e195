"""Queries and documents of a project in the store: what judges are shown. Once there, they stay as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, func, select

from rankproof.errors import InputError, UnknownName
from rankproof.records.collection import Query
from rankproof.store.judging import tables
from rankproof.store.judging.adding import add_once
from rankproof.store.judging.database import Database
from rankproof.store.judging.fitting import Row, fitting, shown, shown_fields
from rankproof.store.judging.known import KnownProjects

_TOGETHER = 500


class Counted(NamedTuple):
    """How much there is to judge."""

    queries: int
    documents: int


class Items:
    """What is judged. Adding the same again changes nothing; another content under the same id is refused."""

    def __init__(self, database: Database, known: KnownProjects) -> None:
        self._database, self._known = database, known

    def add_queries(self, slug: str, queries: Sequence[Query]) -> int:
        """Adds queries; how many were not there yet."""
        rows: Iterator[Row] = (
            {"query_id": q.query_id, "text": shown(q.text), "columns": shown_fields(q.columns)} for q in queries
        )
        return self._add(slug, tables.queries, "query_id", rows)

    def add_documents(self, slug: str, documents: Iterable[tuple[str, Mapping[str, str]]]) -> int:
        """Adds documents, each with its fields; how many were not there yet."""
        rows: Iterator[Row] = ({"doc_id": doc, "fields": shown_fields(fields)} for doc, fields in documents)
        return self._add(slug, tables.documents, "doc_id", rows)

    def queries(self, slug: str) -> list[Query]:
        """Every query, in the order they were added."""
        c = tables.queries.c
        asked = select(c.query_id, c.text, c.columns).where(c.project == self._known.require(slug)).order_by(c.id)
        with self._database.reading() as connection:
            return [Query(*row) for row in connection.execute(asked)]

    def query(self, slug: str, query_id: str) -> Query:
        """One query."""
        c = tables.queries.c
        asked = select(c.query_id, c.text, c.columns).where(
            c.project == self._known.require(slug), c.query_id == query_id
        )
        with self._database.reading() as connection:
            row = connection.execute(asked).first()
        if row is None:
            raise UnknownName("query", query_id, [query.query_id for query in self.queries(slug)])
        return Query(*row)

    def documents(self, slug: str, doc_ids: Iterable[str]) -> dict[str, dict[str, str]]:
        """The fields of documents, by id in the order asked; those that are not there are left out."""
        self._known.require(slug)
        c = tables.documents.c
        wanted = list(dict.fromkeys(doc_ids))
        found: dict[str, dict[str, str]] = {}
        with self._database.reading() as connection:
            for part in _parts(wanted):
                asked = select(c.doc_id, c.fields).where(c.project == slug, c.doc_id.in_(part))
                found.update((doc, fields) for doc, fields in connection.execute(asked))
        return {doc: found[doc] for doc in wanted if doc in found}

    def count(self, slug: str) -> Counted:
        """How many queries and documents there are."""
        self._known.require(slug)
        with self._database.reading() as connection:
            counts = [
                connection.execute(select(func.count()).select_from(t).where(t.c.project == slug)).scalar_one()
                for t in (tables.queries, tables.documents)
            ]
        return Counted(*counts)

    def _add(self, slug: str, table: Table, name: str, rows: Iterable[Row]) -> int:
        fit = fitting(table)
        self._known.require(slug)
        fitted = (fit({"project": slug, **row}) for row in rows)
        added = 0
        for part in _parts(fitted):
            added += self._database.write(partial(self._insert, slug=slug, table=table, name=name, rows=part))
        return added

    def _insert(self, connection: Connection, slug: str, table: Table, name: str, rows: Sequence[Row]) -> int:
        ids = [row[name] for row in rows]
        asked = select(table).where(table.c.project == slug, table.c[name].in_(ids))
        there: dict[str, Mapping[str, Any]] = {row[name]: dict(row) for row in connection.execute(asked).mappings()}
        fresh: list[Row] = []
        for row in rows:
            known = there.setdefault(row[name], row)
            if known is row:
                fresh.append(row)
            elif any(known[column] != value for column, value in row.items()):
                what = "query" if name == "query_id" else "document"
                raise InputError(
                    f"The {what} {row[name]!r} is there already with other content, and judges may have judged that. "
                    "Give it another id, or make another project."
                )
        if fresh:
            connection.execute(add_once(table, self._database), fresh)
        return len(fresh)


def _parts(items: Iterable[Any]) -> Iterator[list[Any]]:
    part: list[Any] = []
    for item in items:
        part.append(item)
        if len(part) == _TOGETHER:
            yield part
            part = []
    if part:
        yield part
