"""Projects, queries, documents and runs in the store: what judges are shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, TypeVar

from sqlalchemy import Connection, Table, func, insert, select

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.judging.records import Project
from rankproof.judging.store import tables
from rankproof.judging.store.database import Database, add_once
from rankproof.judging.store.values import Row, fitting, now, shown, shown_fields
from rankproof.reading.collection import Query


class KnownProjects:
    """Refuses names of projects that are not there."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._seen: set[str] = set()

    def require(self, slug: str) -> str:
        """The name itself; an error with the names there are where it is not among them."""
        if slug not in self._seen:
            with self._database.reading() as connection:
                self._seen |= set(connection.execute(select(tables.projects.c.slug)).scalars())
            if slug not in self._seen:
                if not self._seen:
                    raise UnknownName("project", slug, ["none yet"])
                raise UnknownName("project", slug, self._seen)
        return slug


T = TypeVar("T")
_TOGETHER = 500


class ItemCounts(NamedTuple):
    """How much there is to judge."""

    queries: int
    documents: int


class Items:
    """What is judged. Adding the same again changes nothing; another content under the same id is refused."""

    def __init__(self, database: Database, known: KnownProjects) -> None:
        self._database, self._known = database, known

    def add_queries(self, slug: str, queries: Sequence[Query], *, whole: bool = False) -> int:
        """Adds queries, many in a commit or all in one: `whole`; how many were not there yet."""
        rows: Iterator[Row] = (
            {"query_id": q.query_id, "text": shown(q.text), "columns": shown_fields(q.columns)} for q in queries
        )
        return self._add(slug, tables.queries, "query_id", rows, whole)

    def add_documents(
        self, slug: str, documents: Iterable[tuple[str, Mapping[str, str]]], *, whole: bool = False
    ) -> int:
        """Adds documents, each with its fields, likewise."""
        rows: Iterator[Row] = ({"doc_id": doc, "fields": shown_fields(fields)} for doc, fields in documents)
        return self._add(slug, tables.documents, "doc_id", rows, whole)

    def queries(self, slug: str) -> list[Query]:
        """Every query, in the order they were added."""
        c = tables.queries.c
        statement = select(c.query_id, c.text, c.columns).where(c.project == self._known.require(slug)).order_by(c.id)
        with self._database.reading() as connection:
            return [Query(*row) for row in connection.execute(statement)]

    def query(self, slug: str, query_id: str) -> Query:
        """One query."""
        c = tables.queries.c
        statement = select(c.query_id, c.text, c.columns).where(
            c.project == self._known.require(slug), c.query_id == query_id
        )
        with self._database.reading() as connection:
            row = connection.execute(statement).first()
        if row is None:
            raise UnknownName("query", query_id, [query.query_id for query in self.queries(slug)])
        return Query(*row)

    def documents(self, slug: str, doc_ids: Iterable[str]) -> dict[str, dict[str, str]]:
        """The fields of documents, by id in the order of `doc_ids`; those that are not there are left out."""
        self._known.require(slug)
        c = tables.documents.c
        ids = list(dict.fromkeys(doc_ids))
        stored: dict[str, dict[str, str]] = {}
        with self._database.reading() as connection:
            for part in parts(ids):
                statement = select(c.doc_id, c.fields).where(c.project == slug, c.doc_id.in_(part))
                stored.update((doc, fields) for doc, fields in connection.execute(statement))
        return {doc: stored[doc] for doc in ids if doc in stored}

    def known_documents(self, slug: str, doc_ids: Iterable[str]) -> frozenset[str]:
        """Which of these documents are there."""
        self._known.require(slug)
        c, found = tables.documents.c, set()
        with self._database.reading() as connection:
            for part in parts(doc_ids):
                found |= set(
                    connection.execute(select(c.doc_id).where(c.project == slug, c.doc_id.in_(part))).scalars()
                )
        return frozenset(found)

    def count(self, slug: str) -> ItemCounts:
        """How many queries and documents there are."""
        self._known.require(slug)
        with self._database.reading() as connection:
            counts = [
                connection.execute(select(func.count()).select_from(t).where(t.c.project == slug)).scalar_one()
                for t in (tables.queries, tables.documents)
            ]
        return ItemCounts(*counts)

    def _add(self, slug: str, table: Table, name: str, rows: Iterable[Row], whole: bool) -> int:
        fit = fitting(table)
        self._known.require(slug)
        fitted = (fit({"project": slug, **row}) for row in rows)
        if whole:
            every = list(parts(fitted))
            return self._database.write(
                lambda connection: sum(self._insert(connection, slug, table, name, part) for part in every)
            )
        added = 0
        for part in parts(fitted):
            added += self._database.write(partial(self._insert, slug=slug, table=table, name=name, rows=part))
        return added

    def _insert(self, connection: Connection, slug: str, table: Table, name: str, rows: Sequence[Row]) -> int:
        ids = [row[name] for row in rows]
        statement = select(table).where(table.c.project == slug, table.c[name].in_(ids))
        there: dict[str, Row] = {row[name]: dict(row) for row in connection.execute(statement).mappings()}
        new: list[Row] = []
        for row in rows:
            known = there.setdefault(row[name], row)
            if known is row:
                new.append(row)
            elif any(known[column] != value for column, value in row.items()):
                what = "query" if name == "query_id" else "document"
                raise InputError(
                    f"The {what} {row[name]!r} is there already with other content, and judges may have judged that. "
                    "Give it another id, or make another project."
                )
        if new:
            connection.execute(add_once(table, self._database), new)
        return len(new)


def parts(items: Iterable[T]) -> Iterator[list[T]]:
    """The items, as many at a time as one statement takes."""
    part: list[T] = []
    for item in items:
        part.append(item)
        if len(part) == _TOGETHER:
            yield part
            part = []
    if part:
        yield part


@dataclass(frozen=True, slots=True)
class Revision:
    """A project as somebody made it."""

    project: Project
    by: str
    time: str


class ProjectTable:
    """The projects of a store, by the order they were made in."""

    def __init__(self, database: Database, known: KnownProjects) -> None:
        self._database, self._known = database, known
        self._once = add_once(tables.projects, database)

    def add(self, project: Project, by: str) -> None:
        """Adds a new project."""
        row = fitting(tables.projects)({"slug": project.slug, "time": now()})

        def work(connection: Connection) -> None:
            if connection.execute(self._once, row).rowcount != 1:
                raise UsageError(f"There is a project {project.slug!r} already. Name another, or change that one.")
            self._revise(connection, project, by)

        self._database.write(work)

    def change(self, project: Project, by: str) -> None:
        """Another revision of a project that is there."""
        self._known.require(project.slug)
        self._database.write(lambda connection: self._revise(connection, project, by))

    def get(self, slug: str) -> Project:
        """The newest revision, and whether the round is closed."""
        c, closed = tables.revisions.c, tables.closings.c
        statement = select(c.body).where(c.project == self._known.require(slug)).order_by(c.id.desc()).limit(1)
        newest = select(closed.closed).where(closed.project == slug).order_by(closed.id.desc()).limit(1)
        with self._database.reading() as connection:
            body = connection.execute(statement).scalar_one()
            return replace(Project.from_dict(body), closed=bool(connection.execute(newest).scalar()))

    def all(self) -> list[Project]:
        """The newest revision of every project, and whether its round is closed."""
        c, closings = tables.revisions.c, tables.closings.c
        with self._database.reading() as connection:
            rows = connection.execute(select(c.project, c.body).order_by(c.id)).all()
            said = connection.execute(select(closings.project, closings.closed).order_by(closings.id)).all()
        closed = {row.project: row.closed for row in said}
        newest = {row.project: row.body for row in rows}
        return [replace(Project.from_dict(body), closed=closed.get(slug, False)) for slug, body in newest.items()]

    def history(self, slug: str) -> list[Revision]:
        """Every revision, the oldest first."""
        c = tables.revisions.c
        statement = select(c.body, c.by, c.time).where(c.project == self._known.require(slug)).order_by(c.id)
        with self._database.reading() as connection:
            rows = connection.execute(statement).all()
        return [Revision(Project.from_dict(body), by, time) for body, by, time in rows]

    def _revise(self, connection: Connection, project: Project, by: str) -> None:
        # Whether the round is closed stands in a table of its own: no revision opens or closes one.
        row = {"project": project.slug, "body": replace(project, closed=False).to_dict(), "by": by, "time": now()}
        connection.execute(insert(tables.revisions).inline(), fitting(tables.revisions)(row))


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run that a store has."""

    name: str
    sha256: str
    time: str


class Runs:
    """The runs of every project."""

    def __init__(self, database: Database, known: KnownProjects) -> None:
        self._database, self._known = database, known

    def add(self, slug: str, name: str, rankings: Mapping[str, Sequence[str]], sha256: str) -> bool:
        """Adds a run, whole; False where the same content is there under this name already."""
        row = fitting(tables.runs)(
            {"project": self._known.require(slug), "name": name, "sha256": sha256, "time": now()}
        )
        fit = fitting(tables.rankings)
        ranked = [fit({"query_id": query, "doc_ids": list(docs)}) for query, docs in rankings.items()]

        def work(connection: Connection) -> bool:
            c = tables.runs.c
            there = connection.execute(select(c.sha256).where(c.project == slug, c.name == name)).scalar()
            if there == sha256:
                return False
            if there is not None:
                raise InputError(
                    f"There is a run {name!r} with other content in the project {slug!r} already. "
                    "Give this one another name."
                )
            made = connection.execute(insert(tables.runs).returning(c.id), row).scalar_one()
            if ranked:
                rows = [{"run": made, **one} for one in ranked]
                connection.execute(insert(tables.rankings).inline(), rows)
            return True

        return self._database.write(work)

    def all(self, slug: str) -> list[StoredRun]:
        """The runs, in the order they were added."""
        c = tables.runs.c
        statement = select(c.name, c.sha256, c.time).where(c.project == self._known.require(slug)).order_by(c.id)
        with self._database.reading() as connection:
            return [StoredRun(*row) for row in connection.execute(statement)]

    def rankings(self, slug: str, query_id: str) -> dict[str, list[str]]:
        """The documents of a query by the name of the run, best first; runs without the query are left out."""
        r, c = tables.rankings.c, tables.runs.c
        statement = (
            select(c.name, r.doc_ids)
            .join(tables.rankings, r.run == c.id)
            .where(c.project == self._known.require(slug), r.query_id == query_id)
            .order_by(c.id)
        )
        with self._database.reading() as connection:
            return {row.name: row.doc_ids for row in connection.execute(statement)}

    def whole(self, slug: str, name: str) -> dict[str, list[str]]:
        """A run: the documents of every query, best first."""
        r, c = tables.rankings.c, tables.runs.c
        self._known.require(slug)
        with self._database.reading() as connection:
            run = connection.execute(select(c.id).where(c.project == slug, c.name == name)).scalar()
            statement = select(r.query_id, r.doc_ids).where(r.run == run).order_by(r.id)
            rankings = {row.query_id: row.doc_ids for row in connection.execute(statement)}
        if run is None:
            raise UnknownName("run", name, [stored.name for stored in self.all(slug)])
        return rankings
