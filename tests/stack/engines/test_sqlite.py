"""SQLite: scores of FTS5 against bm25s where their definitions agree, tokenizers, weights, and what is refused."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest
from tests.raising import raises

from rankproof.errors import MissingExtra
from rankproof.kernel import shelf
from rankproof.stack.records import Ground
from rankproof.testing import searched
from rankproof.testing.rankings import corpus_of, parameters_of, queries_of

pytest.importorskip("apsw", reason="apsw is not installed")

TEXTS = {"a": "red tent", "b": "green tent", "c": "red lamp", "d": "long rope", "e": "wide lake"}


def opened(name: str, texts: Any, **said: Any) -> Any:
    item = shelf.find("engines", name)
    return item.open(parameters_of(item, **said), Ground(corpus_of(texts)))


def test_it_gives_the_scores_of_bm25() -> None:
    """Robertson's variant with k1 1.2, times k1 + 1, over the same words; words in half of the documents aside."""
    pytest.importorskip("bm25s", reason="the extra stack is not installed")
    rng = np.random.default_rng(3)
    words = np.array([f"w{i}" for i in range(200)])
    texts = {f"d{i}": " ".join(words[rng.integers(0, 200, rng.integers(1, 90))]) for i in range(300)}
    queries = queries_of(*(" ".join(rng.choice(words, 4)) for _ in range(30)), "w1 w1 w2")
    theirs = opened("sqlite", texts, tokenizer="unicode61").search(queries, 300)
    said = {"stemming": "none", "stop_words": "none", "k1": 1.2, "words": r"\w+", "variant": "robertson"}
    ours = opened("bm25", texts, **said).search(queries, 300)
    assert sum(map(len, theirs)) > 1_000
    for one, other in zip(theirs, ours, strict=True):
        expected = dict(zip(other.doc_ids, (other.scores * 2.2).tolist(), strict=True))
        assert dict(zip(one.doc_ids, one.scores.tolist(), strict=True)) == pytest.approx(expected, rel=1e-9)


def test_a_word_of_most_documents_counts_almost_nothing_but_finds() -> None:
    texts = {f"d{i}": "tent" for i in range(5)}
    (ranking,) = opened("sqlite", texts).search(queries_of("tent"), 9)
    assert ranking.doc_ids == ("d4", "d3", "d2", "d1", "d0")
    assert ranking.scores.tolist() == pytest.approx([1e-6] * 5)


def test_a_weight_multiplies_the_frequency() -> None:
    texts = {"a": {"title": "tent", "text": "rope"}, **{doc: {"title": "x", "text": "y"} for doc in "bcd"}}
    (ranking,) = opened("sqlite", texts, fields="title^3 text").search(queries_of("tent"), 9)
    assert ranking.scores.tolist() == pytest.approx([math.log(3.5 / 1.5) * 3 * 2.2 / (3 + 1.2)])
    assert searched("sqlite", texts, "tent", fields="text") == {}


def test_a_word_twice_counts_twice() -> None:
    one, two = (searched("sqlite", TEXTS, text)["a"] for text in ("tent", "tent tent"))
    assert two == pytest.approx(2 * one, abs=1e-4)


def test_a_stem_is_taken_once() -> None:
    """A stem of a stem would be another word: the query is not stemmed before FTS5 does it."""
    texts = {"a": "generalizations", "b": "agreed", "c": "x", "d": "y", "e": "z"}
    for query, doc in (("generalization", "a"), ("agreed", "b"), ("AGREED", "b")):
        assert list(searched("sqlite", texts, query)) == [doc]


def test_tokenizers_differ() -> None:
    texts = {"a": "tents", "b": "été", "c": "x", "d": "y", "e": "z"}
    assert list(searched("sqlite", texts, "tent")) == ["a"]
    assert searched("sqlite", texts, "tent", tokenizer="unicode61") == {}
    assert list(searched("sqlite", texts, "ETE", tokenizer="unicode61")) == ["b"]
    assert list(searched("sqlite", texts, 'ent"', tokenizer="trigram")) == ["a"]


def test_documents_without_any_field_are_not_found() -> None:
    assert searched("sqlite", {"a": {}, "b": {}}, "tent") == {}


def test_vectors_need_their_extension(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlite_vec", None)
    with raises(MissingExtra, "sqlite(mode='vector')", "pip install sqlite-vec"):
        opened("sqlite", TEXTS, mode="vector", model="wordllama")


def test_the_identity_names_versions_tokenizer_and_model() -> None:
    identity = opened("sqlite", TEXTS).identity
    assert set(identity) == {"corpus", "analyzer", "sqlite"}
    assert identity["analyzer"] == "porter unicode61 remove_diacritics 2"
    pytest.importorskip("sqlite_vec", reason="sqlite-vec is not installed")
    pytest.importorskip("wordllama", reason="wordllama is not installed")
    identity = opened("sqlite", TEXTS, mode="vector", model="wordllama").identity
    assert set(identity) == {"corpus", "model", "encoder", "sqlite-vec", "sqlite"}
