"""Assignments and gold questions in the store: added only, the newest row about a pair holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlalchemy import Connection, Table, func, insert, select

from rankproof.errors import InputError
from rankproof.judging.records import Assignment, GoldAnswer
from rankproof.judging.store import tables
from rankproof.judging.store.database import Database
from rankproof.judging.store.items import KnownProjects
from rankproof.judging.store.values import Row, fitting, moment


class Assignments:
    """Which pairs are assigned to which judges."""

    def __init__(self, database: Database, known: KnownProjects) -> None:
        self._database, self._known = database, known

    def add(self, slug: str, rows: Iterable[Assignment], after: int | None = None) -> None:
        """Adds assignments, all or none; a withdrawn one takes an earlier one back.

        after  what `last` said when they were chosen: refused where somebody has assigned pairs since then
        """
        fit, project = fitting(tables.assignments), self._known.require(slug)
        fitted: list[Row] = [
            fit(
                {
                    "project": project,
                    "judge": a.judge,
                    "query_id": a.query_id,
                    "doc_id": a.doc_id,
                    "place": a.place,
                    "weight": a.weight,
                    "selection": a.selection,
                    "time": moment(a.time),
                    "withdrawn": a.withdrawn,
                }
            )
            for a in rows
        ]

        def work(connection: Connection) -> None:
            if after is not None and _last(connection, slug) != after:
                raise InputError("Somebody has assigned pairs meanwhile. Look at what is left, and assign again.")
            connection.execute(insert(tables.assignments).inline(), fitted)

        if fitted:
            self._database.write(work)

    def last(self, slug: str) -> int:
        """The number of the last row of a project; 0 where there is none."""
        self._known.require(slug)
        with self._database.reading() as connection:
            return _last(connection, slug)

    def newest(self) -> int:
        """The number of the last row of all projects; 0 where there is none. While it stays, nothing has changed."""
        return _newest(self._database, tables.assignments)

    def of(self, slug: str, judge: str) -> list[Assignment]:
        """Assignments of a judge, and those that anybody may take, by place."""
        return self._holding(slug, ("", judge))

    def all(self, slug: str) -> list[Assignment]:
        """Assignments of all judges, by place."""
        return self._holding(slug, None)

    def of_pair(self, slug: str, query_id: str, doc_id: str) -> list[Assignment]:
        """Assignments of one pair."""
        return self._holding(slug, None, (query_id, doc_id))

    def _holding(
        self, slug: str, judges: Sequence[str] | None, pair: tuple[str, str] | None = None
    ) -> list[Assignment]:
        c = tables.assignments.c
        statement = select(c.query_id, c.doc_id, c.place, c.judge, c.weight, c.selection, c.time, c.withdrawn).where(
            c.project == self._known.require(slug)
        )
        if judges is not None:
            statement = statement.where(c.judge.in_(judges))
        if pair is not None:
            statement = statement.where(c.query_id == pair[0], c.doc_id == pair[1])
        with self._database.reading() as connection:
            rows = [Assignment(*row) for row in connection.execute(statement.order_by(c.id))]
        newest = {(row.judge, row.query_id, row.doc_id): row for row in rows}
        return sorted((row for row in newest.values() if not row.withdrawn), key=lambda row: row.place)


class Gold:
    """Questions whose answer is known."""

    def __init__(self, database: Database, known: KnownProjects) -> None:
        self._database, self._known = database, known

    def add(self, slug: str, answers: Iterable[GoldAnswer]) -> None:
        """Adds answers, all or none; a withdrawn one takes an earlier one back."""
        fit, project = fitting(tables.gold), self._known.require(slug)
        rows = [
            fit(
                {
                    "project": project,
                    "query_id": a.query_id,
                    "doc_id": a.doc_id,
                    "grade": a.grade,
                    "time": moment(a.time),
                    "withdrawn": a.withdrawn,
                }
            )
            for a in answers
        ]
        if rows:
            self._database.run(insert(tables.gold).inline(), rows)

    def withdraw(self, slug: str, query_id: str, doc_id: str) -> bool:
        """Takes a question back; False where there was none."""
        held = next((a for a in self.all(slug) if (a.query_id, a.doc_id) == (query_id, doc_id)), None)
        if held is None:
            return False
        self.add(slug, [replace(held, withdrawn=True, time="")])
        return True

    def newest(self) -> int:
        """The number of the last row of all projects; 0 where there is none. While it stays, nothing has changed."""
        return _newest(self._database, tables.gold)

    def all(self, slug: str) -> list[GoldAnswer]:
        """What holds now, in the order it was given."""
        c = tables.gold.c
        statement = select(c.query_id, c.doc_id, c.grade, c.time, c.withdrawn).where(
            c.project == self._known.require(slug)
        )
        with self._database.reading() as connection:
            rows = [GoldAnswer(*row) for row in connection.execute(statement.order_by(c.id))]
        newest = {(row.query_id, row.doc_id): row for row in rows}
        return [row for row in newest.values() if not row.withdrawn]


def _last(connection: Connection, slug: str) -> int:
    c = tables.assignments.c
    return connection.execute(select(func.max(c.id)).where(c.project == slug)).scalar() or 0


def _newest(database: Database, table: Table) -> int:
    with database.reading() as connection:
        return connection.execute(select(func.max(table.c.id))).scalar() or 0
