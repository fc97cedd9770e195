"""Servers that the tests of this folder share, each started once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager

import pytest
from tests.effort import FULL
from tests.live import elasticsearch_server, opensearch_server, postgres, solr_server
from tests.live.postgres_server import CannotStart

postgres_dsn = pytest.fixture(scope="session")(postgres.running)


@pytest.fixture(scope="session")
def opensearch_url() -> Iterator[str]:
    """The address of a real OpenSearch node; the tests are skipped where none can be started."""
    yield from _running("OpenSearch", opensearch_server.server())


@pytest.fixture(scope="session")
def solr_url() -> Iterator[str]:
    """The address of a real Solr; the tests are skipped where none can be started."""
    yield from _running("Solr", solr_server.server(download=FULL))


@pytest.fixture(scope="session")
def elasticsearch_url() -> Iterator[str]:
    """The address of a real Elasticsearch node; the tests are skipped where none can be started."""
    yield from _running("Elasticsearch", elasticsearch_server.server())


def _running(name: str, server: AbstractContextManager[str]) -> Iterator[str]:
    try:
        url = server.__enter__()
    except CannotStart as why:
        pytest.skip(f"no {name} here: {why}")
    yield url
    server.__exit__(None, None, None)
