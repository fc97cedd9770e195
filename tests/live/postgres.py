"""A real PostgreSQL for fixtures, and new databases on it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from tests.live import postgres_server
from tests.live.postgres_server import CannotStart


def running() -> Iterator[str]:
    """The address of a real PostgreSQL with pgvector; whoever asks is skipped where none can be started."""
    started = postgres_server.server()
    try:
        dsn = started.__enter__()
    except CannotStart as why:
        pytest.skip(f"no PostgreSQL here: {why}")
    yield dsn
    started.__exit__(None, None, None)


def new_database(dsn: str) -> str:
    """An empty database on the server; gives its address."""
    import psycopg

    name = f"judging_{os.urandom(4).hex()}"
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"create database {name}".encode())
    return dsn.replace("/postgres?", f"/{name}?")
