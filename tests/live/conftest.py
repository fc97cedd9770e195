"""Servers that the tests of this folder share, each started once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.live import opensearch_server, postgres
from tests.live.postgres_server import CannotStart

postgres_dsn = pytest.fixture(scope="session")(postgres.running)


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
