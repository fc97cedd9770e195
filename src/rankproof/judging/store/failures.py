"""Failures of model judges in the store: answers that are no grade, kept with their text."""

from __future__ import annotations

from sqlalchemy import select

from rankproof.judging.records import JudgeFailure
from rankproof.judging.store import tables
from rankproof.judging.store.database import Database, add_once
from rankproof.judging.store.items import KnownProjects
from rankproof.judging.store.values import fitting, moment, shown


class Failures:
    """The failures of every project. The same key sent twice is one failure."""

    def __init__(self, database: Database, known: KnownProjects) -> None:
        self._database, self._known = database, known
        self._once = add_once(tables.failures, database)

    def add(self, slug: str, failure: JudgeFailure) -> bool:
        """Adds a failure; False where its key was there already."""
        row = fitting(tables.failures)(
            {
                "project": self._known.require(slug),
                "key": failure.key,
                "judge": failure.judge,
                "query_id": failure.query_id,
                "doc_id": failure.doc_id,
                "kind": failure.kind,
                "text": shown(failure.text),
                "time": moment(failure.time),
            }
        )
        return self._database.run(self._once, row) == 1

    def all(self, slug: str, *, judge: str | None = None) -> list[JudgeFailure]:
        """The failures, in the order they came."""
        c = tables.failures.c
        statement = select(c.key, c.judge, c.query_id, c.doc_id, c.kind, c.text, c.time)
        statement = statement.where(c.project == self._known.require(slug)).order_by(c.id)
        if judge is not None:
            statement = statement.where(c.judge == judge)
        with self._database.reading() as connection:
            return [JudgeFailure(*row) for row in connection.execute(statement)]
