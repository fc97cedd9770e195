"""Runs of a project in the store: whose results are judged and compared. A run is known by the hash of its content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from rankproof.errors import InputError, UnknownName
from rankproof.store.judging import tables
from rankproof.store.judging.clock import now
from rankproof.store.judging.database import Database
from rankproof.store.judging.fitting import fitting
from rankproof.store.judging.known import KnownProjects


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
        asked = select(c.name, c.sha256, c.time).where(c.project == self._known.require(slug)).order_by(c.id)
        with self._database.reading() as connection:
            return [StoredRun(*row) for row in connection.execute(asked)]

    def rankings(self, slug: str, query_id: str) -> dict[str, list[str]]:
        """The documents of a query by the name of the run, best first; runs without the query are left out."""
        r, c = tables.rankings.c, tables.runs.c
        asked = (
            select(c.name, r.doc_ids)
            .join(tables.rankings, r.run == c.id)
            .where(c.project == self._known.require(slug), r.query_id == query_id)
            .order_by(c.id)
        )
        with self._database.reading() as connection:
            return {row.name: row.doc_ids for row in connection.execute(asked)}

    def whole(self, slug: str, name: str) -> dict[str, list[str]]:
        """A run: the documents of every query, best first."""
        r, c = tables.rankings.c, tables.runs.c
        self._known.require(slug)
        with self._database.reading() as connection:
            run = connection.execute(select(c.id).where(c.project == slug, c.name == name)).scalar()
            asked = select(r.query_id, r.doc_ids).where(r.run == run).order_by(r.id)
            found = {row.query_id: row.doc_ids for row in connection.execute(asked)}
        if run is None:
            raise UnknownName("run", name, [stored.name for stored in self.all(slug)])
        return found
