"""What models said that is no grade, in the store."""

from __future__ import annotations

from sqlalchemy import select

from rankproof.records.judge_failure import JudgeFailure
from rankproof.store.judging import tables
from rankproof.store.judging.adding import add_once
from rankproof.store.judging.clock import moment
from rankproof.store.judging.database import Database
from rankproof.store.judging.fitting import fitting, shown
from rankproof.store.judging.known import KnownProjects


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
        asked = select(c.key, c.judge, c.query_id, c.doc_id, c.kind, c.text, c.time)
        asked = asked.where(c.project == self._known.require(slug)).order_by(c.id)
        if judge is not None:
            asked = asked.where(c.judge == judge)
        with self._database.reading() as connection:
            return [JudgeFailure(*row) for row in connection.execute(asked)]
