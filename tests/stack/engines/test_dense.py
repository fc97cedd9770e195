"""Dense search: scores by hand, ties, prefixes, fields, the graph against exact search, what is kept."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.raising import raises
from tests.stack.models import tiny

from rankproof.errors import MissingExtra, UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.cache import FolderCache
from rankproof.reading.collection import Query
from rankproof.stack.engines import dense
from rankproof.stack.engines.dense import exact
from rankproof.stack.models.encoder import unit
from rankproof.stack.records import Ground
from rankproof.testing.rankings import corpus_of, parameters_of, queries_of

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")
pytest.importorskip("safetensors")

DENSE = shelf.find("engines", "dense")
TEXTS = {"a": "red tent", "b": "green lamp", "c": "rope", "d": "red tent"}


def opened(folder: Path, texts: Any = TEXTS, cache: str | None = None, **said: Any) -> Any:
    ground = Ground(corpus_of(texts), folder=str(folder), **({"cache": FolderCache(cache)} if cache else {}))
    return DENSE.open(parameters_of(DENSE, **{"model": "model", **said}), ground)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tiny.model(tmp_path / "model")
    return tmp_path


# ---- exact search ---------------------------------------------------------------------------------


def test_exact_search_by_hand() -> None:
    documents = np.array([[1, 0], [0, 1], [0.6, 0.8], [0, 1]], np.float32)
    (ranking,) = exact(documents, np.array([[0, 1]], np.float32), ("a", "b", "c", "d"), 3)
    assert ranking.doc_ids == ("d", "b", "c")  # b and d tie at 1: the greater id stands first
    assert ranking.scores.tolist() == [1, 1, 0.8]


def test_a_tie_at_the_last_place_goes_by_id() -> None:
    documents = np.ones((5, 1), np.float32)
    (ranking,) = exact(documents, np.ones((1, 1), np.float32), ("c", "e", "a", "d", "b"), 2)
    assert ranking.doc_ids == ("e", "d")


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    documents, queries = (unit(rng.normal(size=(n, 32)).astype(np.float32)) for n in (200, 30))
    doc_ids = tuple(f"d{i}" for i in range(200))
    whole = list(exact(documents, queries, doc_ids, 10))
    monkeypatch.setattr(dense, "BLOCK", 400)
    for one, other in zip(whole, exact(documents, queries, doc_ids, 10), strict=True):
        assert (one.doc_ids, one.scores.tolist()) == (other.doc_ids, other.scores.tolist())
    truth = queries.astype(float) @ documents.T.astype(float)
    assert [r.doc_ids[0] for r in whole] == [f"d{i}" for i in truth.argmax(axis=1)]
    assert np.abs(np.stack([r.scores for r in whole]) + np.sort(-truth)[:, :10]).max() < 2e-6


# ---- the engine -----------------------------------------------------------------------------------


def test_documents_with_the_text_of_the_query_come_first_and_tie(folder: Path) -> None:
    (ranking,) = opened(folder).search(queries_of("red tent"), 10)
    assert ranking.doc_ids[:2] == ("d", "a")
    assert ranking.scores[:2].tolist() == [1, 1]
    assert len(ranking) == 4
    assert len(opened(folder).search(queries_of("red tent"), 2)[0]) == 2


def test_a_query_alone_gets_what_it_gets_among_others(folder: Path) -> None:
    engine, queries = opened(folder), queries_of("red lamp", "rope", "green tent rope")
    together = engine.search(queries, 10)
    for query, ranking in zip(queries, together, strict=True):
        (alone,) = engine.search([query], 10)
        assert (alone.doc_ids, alone.scores.tolist()) == (ranking.doc_ids, ranking.scores.tolist())


def test_prefixes_stand_before_queries_and_documents(folder: Path) -> None:
    plain = {"d1": "passage : tent", "d2": "passage : lamp rope"}
    bare = {"d1": "tent", "d2": "lamp rope"}
    expected = opened(folder, plain).search(queries_of("query : red tent"), 10)[0]
    prefixed = opened(folder, bare, query_prefix="query : ", document_prefix="passage : ")
    found = prefixed.search(queries_of("red tent"), 10)[0]
    assert (found.doc_ids, found.scores.tolist()) == (expected.doc_ids, expected.scores.tolist())
    without = opened(folder, bare).search(queries_of("red tent"), 10)[0]
    assert without.scores.tolist() != expected.scores.tolist()


def test_the_models_own_prefixes_are_used(tmp_path: Path) -> None:
    tiny.model(tmp_path / "model")
    tiny.model(tmp_path / "asking", prompts={"query": "query : ", "document": "passage : "})
    own = opened(tmp_path, model="asking").search(queries_of("lamp"), 10)[0]
    said = opened(tmp_path, query_prefix="query : ", document_prefix="passage : ").search(queries_of("lamp"), 10)[0]
    assert own.scores.tolist() == said.scores.tolist()


def test_fields_are_joined_and_chosen(folder: Path) -> None:
    texts = {"a": {"title": "red tent", "text": "rope"}, "b": {"title": "rope", "text": "red tent"}}
    by_title = opened(folder, texts, fields=["title"]).search(queries_of("red tent"), 10)[0]
    assert (by_title.doc_ids[0], by_title.scores[0]) == ("a", 1)
    joined = opened(folder, texts).search(queries_of("red tent\nrope"), 10)[0]
    assert (joined.doc_ids[0], joined.scores[0]) == ("a", 1)


def test_dot_and_cosine_differ_where_vectors_are_not_normalized(tmp_path: Path) -> None:
    tiny.model(tmp_path / "model", normalize=False)
    cosine = opened(tmp_path).search(queries_of("red tent"), 10)[0]
    dot = opened(tmp_path, similarity="dot").search(queries_of("red tent"), 10)[0]
    assert cosine.scores[0] == 1
    assert dot.scores[0] > 1.1


def test_an_empty_corpus_and_no_queries(folder: Path) -> None:
    assert [len(r) for r in opened(folder, {}).search(queries_of("red"), 10)] == [0]
    assert opened(folder).search([], 10) == []


@pytest.mark.parametrize("search", ["exact", "hnsw"])
def test_what_the_model_makes_nothing_of_is_near_to_nothing(search: str) -> None:
    """wordllama gives an empty text a vector of zeros: it has no direction, so nothing is near to it."""
    pytest.importorskip("wordllama", reason="the package wordllama is not installed")
    pytest.importorskip("usearch")
    corpus = corpus_of({"a": "red tent", "b": "", "c": "tax law"})
    engine = DENSE.open(parameters_of(DENSE, model="wordllama", search=search), Ground(corpus))
    nothing, tent = engine.search(queries_of("", "a tent"), 10)
    assert len(nothing) == 0
    assert tent.doc_ids == ("a", "c")
    empty = DENSE.open(parameters_of(DENSE, model="wordllama", search=search), Ground(corpus_of({"a": ""})))
    assert [len(ranking) for ranking in empty.search(queries_of("red"), 10)] == [0]


# ---- the graph ------------------------------------------------------------------------------------


def many(count: int) -> dict[str, str]:
    words = tiny.WORDS[4:9]
    return {f"d{i:03}": " ".join(words[i // 5**k % 5] for k in range(4)) for i in range(count)}


def test_the_graph_finds_nearly_all_and_says_how_many(folder: Path) -> None:
    pytest.importorskip("usearch")
    queries = [Query(str(i), text) for i, text in enumerate(["red tent rope", "lamp", "green green rope", "tent red"])]
    graph, whole = opened(folder, many(400), search="hnsw"), opened(folder, many(400))
    assert graph.notes == {}
    found, truth = graph.search(queries, 10), whole.search(queries, 10)
    share = np.mean([len(set(f.doc_ids) & set(t.doc_ids)) / 10 for f, t in zip(found, truth, strict=True)])
    assert graph.notes == {"hnsw recall@10": f"{share:.4f} against exact search, 4 queries"}
    assert share >= 0.9
    assert found[0].scores[0] == truth[0].scores[0]
    assert whole.notes == {}


def test_a_poor_graph_says_so(folder: Path) -> None:
    """One candidate and two neighbors: some of the nearest are missed, and the note shows it."""
    pytest.importorskip("usearch")
    engine = opened(folder, many(600), search="hnsw", connectivity=2, expansion_add=1, expansion_search=1)
    engine.search(queries_of("red tent rope", "lamp", "green green rope", "tent red"), 5)
    assert 0 < float(engine.notes["hnsw recall@5"].split()[0]) < 1


def test_the_graph_and_the_model_live_in_one_process_whichever_comes_first() -> None:
    """usearch imported before onnxruntime would end the process; here the graph is asked for first."""
    pytest.importorskip("usearch")
    code = (
        "from rankproof.stack.engines.dense import usearch; usearch(); import onnxruntime, tokenizers; print('alive')"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert told.stdout == "alive\n"


def test_the_graph_is_the_same_every_time_and_is_kept(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("usearch")
    queries = queries_of("red tent rope", "lamp")
    said = {"texts": many(300), "search": "hnsw", "connectivity": 3, "expansion_add": 4, "expansion_search": 4}
    one = opened(folder, **said).search(queries, 8)
    kept = [opened(folder, cache=str(tmp_path / "cache"), **said).search(queries, 8) for _ in range(2)]
    for again in kept:
        assert [r.doc_ids for r in again] == [r.doc_ids for r in one]


# ---- what is kept, what is refused ----------------------------------------------------------------


def test_a_changed_document_is_encoded_anew(folder: Path, tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    before = opened(folder, cache=cache).search(queries_of("rope"), 10)[0]
    again = opened(folder, cache=cache).search(queries_of("rope"), 10)[0]
    assert before.scores.tolist() == again.scores.tolist()
    assert (before.doc_ids[0], before.scores[0]) == ("c", 1)
    changed = opened(folder, {**TEXTS, "c": "green lamp", "a": "rope"}, cache).search(queries_of("rope"), 10)[0]
    assert (changed.doc_ids[0], changed.scores[0]) == ("a", 1)


def test_the_identity_names_corpus_model_and_what_ran(folder: Path) -> None:
    tiny.model(folder / "other", tensors=tiny.weights(seed=1))
    one, other = opened(folder).identity, opened(folder, model="other").identity
    assert one["corpus"] == other["corpus"] == corpus_of(TEXTS).content_hash
    assert one["model"] != other["model"]
    assert "onnxruntime" in one["encoder"]


def test_what_cannot_be_is_refused_before_anything_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with raises(UnknownName, "'titel'", "'title'"):
        opened(folder, {"a": {"title": "red"}}, fields=["titel"])
    with raises(UsageError, "dense", "corpus"):
        DENSE.open(parameters_of(DENSE), Ground())
    monkeypatch.setitem(sys.modules, "usearch", None)
    monkeypatch.setitem(sys.modules, "usearch.index", None)
    with raises(MissingExtra, "search='hnsw'", "'usearch'", "pip install 'rankproof[stack]'"):
        opened(folder, search="hnsw")


def test_what_cancels_in_32_bits_is_not_cut_off_before_it_is_computed_in_64() -> None:
    """Long vectors at right angles to the query: what their 32-bit products leave is noise."""
    rng = np.random.default_rng(1)
    query = rng.normal(size=64)
    rows = rng.normal(size=(500, 64))
    rows -= np.outer(rows @ query, query) / (query @ query)
    documents, asked = (1e4 * rows).astype(np.float32), (1e4 * query).astype(np.float32)
    ids = tuple(f"d{number:03}" for number in range(500))
    (ranking,) = exact(documents, asked[None], ids, 10)
    scores = documents.astype(np.float64) @ asked.astype(np.float64)
    assert ranking.doc_ids == tuple(ids[at] for at in np.argsort(-scores, kind="stable")[:10].tolist())
