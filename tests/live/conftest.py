"""Servers that the tests of this folder share, each started once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.live import opensearch_server, postgres_server
from tests.live.postgres_server import CannotStart


@pytest.fixture(scope="session")
def postgres_dsn() -> Iterator[str]:
    """The address of a real PostgreSQL with pgvector; the tests are skipped where none can be started."""
    running = postgres_server.server()
    try:
        dsn = running.__enter__()
    except CannotStart as why:
        pytest.skip(f"no PostgreSQL here: {why}")
    yield dsn
    running.__exit__(None, None, None)


@pytest.fixture(scope="session")
def opensearch_url() -> Iterator[str]:
    """The address of a real OpenSearch node; the tests are skipped where none can be started."""
    running = opensearch_server.server()
    try:
        url = running.__enter__()
    except CannotStart as why:
        pytest.skip(f"no OpenSearch here: {why}")
    yield url
    running.__exit__(None, None, None)
