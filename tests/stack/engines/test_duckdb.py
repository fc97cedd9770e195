"""DuckDB: scores of match_bm25 against bm25s where their definitions agree, separators, and what is refused."""

from __future__ import annotations

import math
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.stack.engines import duckdb as engine
from rankproof.stack.records import Ground
from rankproof.testing import searched
from rankproof.testing.rankings import corpus_of, parameters_of, queries_of

pytest.importorskip("duckdb", reason="duckdb is not installed")

full_text = pytest.mark.skipif(find_spec("duckdb_extension_fts") is None, reason="duckdb-extension-fts is missing")
TEXTS = {"a": "red tent", "b": "green tent", "c": "red lamp"}


def opened(name: str, texts: Any, **said: Any) -> Any:
    item = shelf.find("engines", name)
    return item.open(parameters_of(item, **said), Ground(corpus_of(texts)))


@full_text
@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (0.5, 0.0), (0.0, 1.0)])
def test_it_gives_the_scores_of_bm25(k1: float, b: float) -> None:
    """Lucene's variant times k1 + 1, over the natural logarithm of 10."""
    pytest.importorskip("bm25s", reason="the extra stack is not installed")
    rng = np.random.default_rng(3)
    words = np.array([f"w{i}" for i in range(200)])
    texts = {f"d{i}": " ".join(words[rng.zipf(1.4, rng.integers(1, 90)) % 200]) for i in range(300)}
    queries = queries_of(*(" ".join(rng.choice(words, 4, replace=False)) for _ in range(15)))
    said = {"mode": "text", "stemming": "none", "stop_words": "none", "ignore": "[^a-z0-9]+"}
    theirs = opened("duckdb", texts, **said, k1=k1, b=b).search(queries, 300)
    ours = opened("bm25", texts, stemming="none", stop_words="none", k1=k1, b=b, words=r"\w+").search(queries, 300)
    assert sum(map(len, theirs)) > 100
    for one, other in zip(theirs, ours, strict=True):
        scores = (other.scores * (k1 + 1) / math.log(10)).tolist()
        expected = dict(zip(other.doc_ids, scores, strict=True))
        found = dict(zip(one.doc_ids, one.scores.tolist(), strict=True))
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-8)


@full_text
def test_a_word_counts_once() -> None:
    assert searched("duckdb", TEXTS, "tent tent", mode="text") == searched("duckdb", TEXTS, "tent", mode="text")


@full_text
def test_what_separates_words_may_be_chosen() -> None:
    texts = {"a": "палатка 42", "b": "it's"}
    assert searched("duckdb", texts, "палатка 42", mode="text") == {}
    letters = {"mode": "text", "ignore": r"[^\p{L}\p{N}]+", "stop_words": "none"}
    assert list(searched("duckdb", texts, "42", **letters)) == ["a"]
    assert list(searched("duckdb", texts, "палатка", **letters)) == ["a"]
    quote = {"mode": "text", "ignore": "'+", "stop_words": "none", "stemming": "none"}
    assert list(searched("duckdb", texts, "it", **quote)) == ["b"]


@full_text
def test_an_expression_that_is_none_is_refused() -> None:
    with raises(UsageError, "ignore", "'['", "RE2"):
        opened("duckdb", TEXTS, mode="text", ignore="[")


@full_text
def test_the_identity_names_duckdb_and_its_extension() -> None:
    identity = opened("duckdb", TEXTS, mode="text").identity
    assert set(identity) == {"corpus", "analyzer", "fts", "duckdb"}
    assert identity["fts"] != "not told"


@full_text
@pytest.mark.parametrize("stemming", engine.STEMMERS)
def test_every_stemmer_that_is_offered_is_there(stemming: str) -> None:
    assert list(searched("duckdb", TEXTS, "lamp", mode="text", stemming=stemming)) == ["c"]


def test_full_text_without_its_extension_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A real DuckDB that finds the extension nowhere; it must not try to download one."""
    monkeypatch.setattr(engine, "find_spec", lambda name: None)
    monkeypatch.setenv("HOME", str(tmp_path))
    with raises(UsageError, "fts", engine.duckdb().__version__, "pip install duckdb-extension-fts", "INSTALL fts"):
        opened("duckdb", TEXTS, mode="text")
    assert not list(tmp_path.rglob("*.duckdb_extension"))


def test_vectors_of_more_rows_than_are_sent_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wordllama", reason="wordllama is not installed")
    texts = {f"d{i}": f"tent {i}" for i in range(25)}
    whole = opened("duckdb", texts, model="wordllama").search(queries_of("tent 7"), 30)[0]
    monkeypatch.setattr(engine, "ROWS", 10)
    parts = opened("duckdb", texts, model="wordllama").search(queries_of("tent 7"), 30)[0]
    assert (whole.doc_ids, whole.scores.tolist()) == (parts.doc_ids, parts.scores.tolist())
    assert whole.doc_ids[0] == "d7"
