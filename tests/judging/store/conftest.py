"""A store in each database: SQLite in a file, PostgreSQL on a real server that is started once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.live.postgres import new_database, running

from rankproof.judging.records import Project
from rankproof.judging.store import open_store
from rankproof.judging.store.store import Store

postgres = pytest.fixture(scope="session")(running)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a store can be made, in each database."""
    if request.param == "sqlite":
        return str(tmp_path / "judging.db")
    return new_database(request.getfixturevalue("postgres"))


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    """A new store with the project `shop`."""
    with open_store(url) as opened:
        opened.projects.add(Project("shop", "Shop"), by="ann")
        yield opened
