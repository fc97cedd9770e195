"""Known: the projects that a store has, asked once each: a project never goes away."""

from __future__ import annotations

from sqlalchemy import select

from rankproof.errors import UnknownName
from rankproof.store.judging import tables
from rankproof.store.judging.database import Database


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
