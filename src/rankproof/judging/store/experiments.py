"""Experiments in the store: evaluations, comparisons, verdicts and benchmarks, by the hash of their content.

Beside them the failures of model judges: answers that are no grade, kept with their text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from sqlalchemy import select

from rankproof.errors import UnknownName
from rankproof.judging.records import JudgeFailure
from rankproof.judging.store import tables
from rankproof.judging.store.database import Database, add_once
from rankproof.judging.store.items import KnownProjects
from rankproof.judging.store.values import fitting, moment, now, shown


@dataclass(frozen=True, slots=True)
class StoredExperiment:
    """What is known of an experiment without reading it."""

    sha256: str
    kind: str
    name: str
    by: str
    time: str


def content_hash(document: Mapping[str, object]) -> str:
    """SHA-256 of a document as JSON with sorted names, without `observed`: what differs from time to time."""
    content = {name: value for name, value in document.items() if name != "observed"}
    return sha256(json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()).hexdigest()


class ExperimentTable:
    """The experiments of every project."""

    def __init__(self, database: Database, known: KnownProjects) -> None:
        self._database, self._known = database, known
        self._once = add_once(tables.experiments, database)

    def add(self, slug: str, kind: str, name: str, document: Mapping[str, object], by: str) -> str:
        """Stores a document and gives its hash. The same content again is the same experiment, stored once."""
        digest = content_hash(document)
        row = fitting(tables.experiments)(
            {
                "project": self._known.require(slug),
                "sha256": digest,
                "kind": kind,
                "name": name,
                "body": dict(document),
                "by": by,
                "time": now(),
            }
        )
        self._database.run(self._once, row)
        return digest

    def all(self, slug: str, kind: str | None = None) -> list[StoredExperiment]:
        """The experiments without their content, in the order they were added."""
        c = tables.experiments.c
        statement = select(c.sha256, c.kind, c.name, c.by, c.time).where(c.project == self._known.require(slug))
        if kind is not None:
            statement = statement.where(c.kind == kind)
        with self._database.reading() as connection:
            return [StoredExperiment(*row) for row in connection.execute(statement.order_by(c.id))]

    def get(self, slug: str, sha256: str) -> dict[str, object]:
        """The document with this hash."""
        c = tables.experiments.c
        statement = select(c.body).where(c.project == self._known.require(slug), c.sha256 == sha256)
        with self._database.reading() as connection:
            document: dict[str, object] | None = connection.execute(statement).scalar()
        if document is None:
            raise UnknownName("experiment", sha256, [stored.sha256 for stored in self.all(slug)] or ["none yet"])
        return document


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
