"""The configurations that people copy, on real servers: filled by `rankproof index` where it can, and run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.documents.engine_configs import benchmark, command, copied

# Engine -> the variable of its address and the fixture that has it.
SERVERS = {
    "elasticsearch": ("ELASTICSEARCH_URL", "elasticsearch_url"),
    "opensearch": ("OPENSEARCH_URL", "opensearch_url"),
    "postgres": ("DATABASE_URL", "postgres_dsn"),
    "solr": ("SOLR_URL", "solr_url"),
}
FULL_ONLY = ("elasticsearch",)


def marked(name: str) -> Any:
    return pytest.param(name, marks=pytest.mark.full if name in FULL_ONLY else pytest.mark.slow)


@pytest.mark.parametrize("name", [marked(name) for name in SERVERS])
def test_it_runs_on_a_server(
    name: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for library in ("bm25s", "wordllama"):
        pytest.importorskip(library)
    variable, fixture = SERVERS[name]
    url = request.getfixturevalue(fixture)
    monkeypatch.setenv(variable, url)
    config = copied(name, tmp_path)
    if name == "solr":  # cores of one config set share a schema: this one has a set of its own
        config.write_text(config.read_text().replace('"_default"', '"shop"'))
    assert "verified: 483 documents" in command("index", "--replace", str(config))
    told = benchmark(config)
    assert [row["mode"] for row in told["modes"]] == ["words", "vectors", "hybrid"]
