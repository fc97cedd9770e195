"""The configurations that people copy, on real servers: filled by `rankproof index` where it can, and run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.documents.engine_configs import benchmark, command, copied
from tests.live.solr_server import load

from rankproof.reading.datasets.read import read_dataset
from rankproof.stack.models.find import MODEL_PARAMS, open_model
from rankproof.stack.records import Ground

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


def fill_solr(url: str, core: str = "shop") -> None:
    """The bundled shop with the vectors of wordllama, as the configuration wants it."""
    corpus = read_dataset("sample:shop").corpus
    assert corpus is not None
    model = open_model({p.name: p.default for p in MODEL_PARAMS} | {"model": "wordllama", "endpoint": None}, Ground())
    load(url, core, corpus, model.vectors(list(corpus.texts())).tolist(), config="shop")


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
    if name == "solr":
        fill_solr(url)
    else:
        assert "verified: 483 documents" in command("index", "--replace", str(config))
    told = benchmark(config)
    assert [row["mode"] for row in told["modes"]] == ["words", "vectors", "hybrid"]
