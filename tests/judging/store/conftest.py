"""A store in each database: SQLite in a file, PostgreSQL on a real server that is started once."""

from __future__ import annotations

import shutil
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


@pytest.fixture(scope="session")
def new_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new store in a file with the project `shop`: copying is quicker than making one."""
    path = tmp_path_factory.mktemp("new") / "judging.db"
    with open_store(path) as opened:
        opened.projects.add(Project("shop", "Shop"), by="ann")
    return path


@pytest.fixture
def store(url: str, new_file: Path) -> Iterator[Store]:
    """A new store with the project `shop`."""
    if not url.startswith("postgresql"):
        shutil.copy(new_file, url)
    with open_store(url) as opened:
        if url.startswith("postgresql"):
            opened.projects.add(Project("shop", "Shop"), by="ann")
        yield opened
