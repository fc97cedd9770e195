"""The contract of the engines shelf: what every engine promises, run over every one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.contracts.items import check_extra, check_imports, check_page, check_params, files_of
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.reading.collect import read_run
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines.contract import Engine
from rankproof.stack.records import Ground
from rankproof.testing.rankings import corpus_of, parameters_of

ITEMS: dict[str, Engine] = dict(shelf.offered("engines"))

CORPUS = corpus_of(
    {
        "d1": {"title": "red tent", "text": "A tent for two, of red cloth."},
        "d2": {"title": "green tent", "text": "A tent for four, light and green."},
        "d3": {"title": "camping lamp", "text": "Hangs in every tent and shines all night."},
        "d4": {"title": "rope", "text": "Ten meters long."},
        "d5": {"title": "", "text": ""},
        "é6": {"title": "Zelt", "text": "Für zwei, rot."},
        # Two that nothing but the id tells apart.
        "t1": {"title": "sleeping bag", "text": "Warm."},
        "t2": {"title": "sleeping bag", "text": "Warm."},
    }
)
QUERIES = [
    Query("q1", "red tent"),
    Query("q2", "lamp that hangs in a tent"),
    Query("q3", "warm sleeping bag"),
    Query("q4", "qwertyuiop"),
    Query("q5", "Zelt für zwei", {"kind": "exact"}),
]
RUN = "".join(f"q{q} Q0 {doc} {q} {len(doc) + i // 2} old\n" for q in (1, 2, 3) for i, doc in enumerate(CORPUS.doc_ids))


def plain(**said: Any) -> Callable[[Path], tuple[dict[str, Any], Ground]]:
    """An engine that needs nothing but the corpus."""
    return lambda folder: (said, Ground(CORPUS))


def from_run(folder: Path) -> tuple[dict[str, Any], Ground]:
    (folder / "old.run").write_text(RUN)
    return {"path": "old.run"}, Ground(folder=str(folder), read_run=read_run)


def from_vectors(folder: Path) -> tuple[dict[str, Any], Ground]:
    rng = np.random.default_rng(0)
    rows = rng.integers(-2, 3, size=(len(CORPUS), 3)) + np.array([0.5, 0, 0])
    rows[-1] = rows[-2]  # t1 and t2 tie
    np.savez(folder / "docs.npz", ids=np.array(CORPUS.doc_ids), vectors=rows)
    np.savez(folder / "queries.npz", ids=np.array([q.query_id for q in QUERIES]), vectors=rows[: len(QUERIES)])
    return {"vectors": "docs.npz", "query_vectors": "queries.npz"}, Ground(CORPUS, folder=str(folder))


def from_terms(folder: Path) -> tuple[dict[str, Any], Ground]:
    words = {doc: text.lower().split() for doc, text in zip(CORPUS.doc_ids, CORPUS.texts(), strict=True)}
    lines = (json.dumps({"id": doc, "vector": dict.fromkeys(terms, 1.5)}) + "\n" for doc, terms in words.items())
    (folder / "terms.jsonl").write_text("".join(lines))
    return {"vectors": "terms.jsonl", "queries": "words"}, Ground(CORPUS, folder=str(folder))


# Engine -> the ways it is opened here. Each gives what is said of it and the ground it stands on.
OPENED: dict[str, list[Callable[[Path], tuple[dict[str, Any], Ground]]]] = {
    "bm25": [plain(), *(plain(variant=variant, fields="title^2.5 text") for variant in ("bm25l", "bm25+", "atire"))],
    "chroma": [plain(model="wordllama"), plain(model="wordllama", similarity="dot", fields=["title"])],
    "dense": [plain(model="wordllama"), plain(model="wordllama", search="hnsw", fields=["title"]), from_vectors],
    "duckdb": [plain(model="wordllama"), plain(model="wordllama", similarity="dot", fields=["title"])],
    "lancedb": [
        plain(model="wordllama"),
        plain(model="wordllama", similarity="dot", fields=["title"]),
        plain(mode="text"),
        plain(mode="text", fields=["title"], stemming="german", stop_words="german", tokenizer="icu"),
    ],
    "milvus": [plain(model="wordllama"), plain(model="wordllama", similarity="dot", fields=["title"])],
    "qdrant_local": [plain(model="wordllama"), plain(model="wordllama", similarity="dot", fields=["title"])],
    "replay": [from_run],
    "splade": [from_terms],
    "sqlite": [
        plain(),
        plain(fields="title^2.5 text", tokenizer="unicode61"),
        plain(tokenizer="trigram"),
        plain(mode="vector", model="wordllama"),
    ],
    "tantivy": [plain(), plain(fields="title^2.5 text", stemming="german", stop_words="german")],
}
# Engine -> the libraries that it is skipped without: those that the extra `stack` does not bring.
LIBRARIES = {
    "chroma": ("chromadb",),
    "duckdb": ("duckdb",),
    "lancedb": ("lancedb",),
    "milvus": ("milvus_lite",),
    "qdrant_local": ("qdrant_edge",),
    "sqlite": ("apsw", "sqlite_vec"),
    "tantivy": ("tantivy",),
}
# Engine -> why it is not opened here. Its own tests hold its answers to the same promises.
ELSEWHERE = {
    "elasticsearch": "asks a cluster",
    "http": "asks a server",
    "opensearch": "asks a cluster",
    "postgres": "asks a database",
    "qdrant": "asks a server",
    "solr": "asks a server",
    "vespa": "asks a server",
    "weaviate": "asks a server",
}


def lacking(name: str) -> list[str]:
    """The libraries of an engine that are not installed."""
    return [library for library in LIBRARIES.get(name, ()) if find_spec(library) is None]


def installed(name: str) -> pytest.MarkDecorator:
    """Skips what needs an engine's libraries where they are not."""
    return pytest.mark.skipif(bool(lacking(name)), reason=f"not installed: {', '.join(lacking(name))}")


WAYS = [
    pytest.param(name, way, id=f"{name}-{i}", marks=installed(name))
    for name, ways in OPENED.items()
    for i, way in enumerate(ways)
]
FILES = [pytest.param(file, id=file.stem, marks=installed(file.stem)) for file in files_of("engines")]
every_way = pytest.mark.parametrize(("name", "way"), WAYS)
every_item = pytest.mark.parametrize("item", ITEMS.values(), ids=list(ITEMS))


@pytest.fixture
def searcher(name: str, way: Callable[[Path], tuple[dict[str, Any], Ground]], tmp_path: Path) -> Any:
    """The engine, opened."""
    said, ground = way(tmp_path)
    return ITEMS[name].open(parameters_of(ITEMS[name], **said), ground)


def as_lists(rankings: list[Ranking]) -> list[tuple[tuple[str, ...], list[float]]]:
    return [(ranking.doc_ids, ranking.scores.tolist()) for ranking in rankings]


# ---- the item ------------------------------------------------------------------------------------


def test_every_engine_is_opened_here_or_says_why_not() -> None:
    assert set(ITEMS) == set(OPENED) | set(ELSEWHERE)
    assert not set(OPENED) & set(ELSEWHERE)


@pytest.mark.parametrize("file", FILES)
def test_the_page_has_its_headings_and_its_example_runs(file: Path) -> None:
    check_page("engines", file)


@every_item
def test_the_page_says_on_what_the_engine_was_shown(item: Engine) -> None:
    assert re.match(r"(in this process|a real |a search API|recorded answers)", item.shown), item.name
    assert ("in this process" in item.shown) is not item.live


@every_item
def test_parameters_are_documented(item: Engine) -> None:
    check_params(item)


@every_item
def test_the_extra_that_brings_its_library_exists(item: Engine) -> None:
    check_extra(item)


def test_loading_the_shelf_loads_no_library() -> None:
    check_imports("engines")


@every_item
def test_an_engine_that_needs_a_corpus_refuses_to_be_without_one(item: Engine) -> None:
    if "corpus" in item.needs:
        with raises(UsageError, item.name, "corpus"):
            item.open({param.name: param.default for param in item.params}, Ground())


@every_item
def test_live_engines_are_those_that_are_not_opened_here(item: Engine) -> None:
    assert item.live == (item.name in ELSEWHERE)


# ---- its answers ---------------------------------------------------------------------------------


@every_way
def test_a_ranking_for_each_query_of_documents_that_exist(searcher: Any) -> None:
    rankings = searcher.search(QUERIES, 5)
    assert len(rankings) == len(QUERIES)
    for ranking in rankings:  # no document twice and no rising score: a Ranking that can be held has neither
        assert isinstance(ranking, Ranking)
        assert set(ranking.doc_ids) <= set(CORPUS.doc_ids)
    assert any(len(ranking) for ranking in rankings)
    assert searcher.search([], 5) == []


@every_way
@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_a_shallower_answer_is_the_beginning_of_a_deeper_one(searcher: Any, depth: int) -> None:
    for short, whole in zip(searcher.search(QUERIES, depth), searcher.search(QUERIES, 100), strict=True):
        assert len(short) == min(depth, len(whole))
        assert short.doc_ids == whole.doc_ids[:depth]


@every_way
def test_ties_go_by_document_id_descending(searcher: Any) -> None:
    for ranking in searcher.search(QUERIES, 100):
        again = Ranking.of(ranking.doc_ids[::-1], ranking.scores[::-1])
        assert again.doc_ids == ranking.doc_ids


@every_way
def test_one_query_at_a_time_equals_all_at_once(searcher: Any) -> None:
    one_by_one = [searcher.search([query], 5)[0] for query in QUERIES]
    assert as_lists(one_by_one) == as_lists(searcher.search(QUERIES, 5))


@every_way
def test_opened_again_it_answers_the_same_and_says_that_it_is_the_same(
    name: str, way: Callable[[Path], tuple[dict[str, Any], Ground]], searcher: Any, tmp_path: Path
) -> None:
    said, ground = way(tmp_path)
    again: Any = ITEMS[name].open(parameters_of(ITEMS[name], **said), ground)
    assert again.identity == searcher.identity
    assert as_lists(again.search(QUERIES, 5)) == as_lists(searcher.search(QUERIES, 5))
    assert all(isinstance(value, str) and value for pair in searcher.identity.items() for value in pair)
    if "corpus" in ITEMS[name].needs:
        assert searcher.identity["corpus"] == CORPUS.content_hash
