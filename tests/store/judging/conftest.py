"""A store in each database: SQLite in a file, PostgreSQL on a real server that is started once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from tests.live import postgres_server
from tests.live.postgres_server import CannotStart

from rankproof.records.project import Project
from rankproof.store.judging import open_store
from rankproof.store.judging.store import Store

_numbers = count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a real PostgreSQL; the tests are skipped where none can be started."""
    running = postgres_server.server()
    try:
        dsn = running.__enter__()
    except CannotStart as why:
        pytest.skip(f"no PostgreSQL here: {why}")
    yield dsn
    running.__exit__(None, None, None)


def new_database(dsn: str) -> str:
    """An empty database on the server; gives its address."""
    import psycopg

    name = f"judging_{next(_numbers)}"
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return dsn.replace("@/postgres?", f"@/{name}?")


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
