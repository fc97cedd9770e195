"""Projects in the store: every revision is kept, the newest holds."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from rankproof.errors import UsageError
from rankproof.records.project import Project
from rankproof.store.judging import tables
from rankproof.store.judging.adding import add_once
from rankproof.store.judging.clock import now
from rankproof.store.judging.database import Database
from rankproof.store.judging.fitting import fitting
from rankproof.store.judging.known import KnownProjects


@dataclass(frozen=True, slots=True)
class Revision:
    """A project as somebody made it."""

    project: Project
    by: str
    time: str


class Projects:
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
        """The newest revision."""
        c = tables.revisions.c
        asked = select(c.body).where(c.project == self._known.require(slug)).order_by(c.id.desc()).limit(1)
        with self._database.reading() as connection:
            return Project.from_dict(connection.execute(asked).scalar_one())

    def all(self) -> list[Project]:
        """The newest revision of every project."""
        c = tables.revisions.c
        with self._database.reading() as connection:
            rows = connection.execute(select(c.project, c.body).order_by(c.id)).all()
        return [Project.from_dict(body) for body in {row.project: row.body for row in rows}.values()]

    def history(self, slug: str) -> list[Revision]:
        """Every revision, the oldest first."""
        c = tables.revisions.c
        asked = select(c.body, c.by, c.time).where(c.project == self._known.require(slug)).order_by(c.id)
        with self._database.reading() as connection:
            rows = connection.execute(asked).all()
        return [Revision(Project.from_dict(body), by, time) for body, by, time in rows]

    def _revise(self, connection: Connection, project: Project, by: str) -> None:
        row = {"project": project.slug, "body": project.to_dict(), "by": by, "time": now()}
        connection.execute(insert(tables.revisions).inline(), fitting(tables.revisions)(row))
