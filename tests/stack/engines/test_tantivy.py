"""Tantivy: its scores against bm25s where their definitions agree, weights, words, and the folder of the index."""

from __future__ import annotations

import gc
import os
from typing import Any

import numpy as np
import pytest

from rankproof.kernel import shelf
from rankproof.stack.records import Ground
from rankproof.testing import searched
from rankproof.testing.rankings import corpus_of, parameters_of, queries_of

pytest.importorskip("tantivy", reason="tantivy is not installed")

TEXTS = {"a": "red tent", "b": "green tent", "c": "red lamp"}


def opened(name: str, texts: Any, **said: Any) -> Any:
    item = shelf.find("engines", name)
    return item.open(parameters_of(item, **said), Ground(corpus_of(texts)))


def test_it_gives_the_scores_of_bm25_where_lengths_are_kept_whole() -> None:
    """Lucene's variant with k1 1.2, times k1 + 1, over the same words: lengths up to 40 are not rounded."""
    pytest.importorskip("bm25s", reason="the extra stack is not installed")
    rng = np.random.default_rng(3)
    words = np.array([f"w{i}" for i in range(200)])
    texts = {f"d{i}": " ".join(words[rng.zipf(1.4, rng.integers(1, 40)) % 200]) for i in range(400)}
    queries = queries_of(*(" ".join(rng.choice(words, 4)) for _ in range(30)), "w1 w1 w2")
    theirs = opened("tantivy", texts, stemming="none").search(queries, 400)
    ours = opened("bm25", texts, stemming="none", stop_words="none", k1=1.2, words=r"\w+").search(queries, 400)
    assert sum(map(len, theirs)) > 100
    for one, other in zip(theirs, ours, strict=True):
        expected = dict(zip(other.doc_ids, (other.scores * 2.2).tolist(), strict=True))
        assert dict(zip(one.doc_ids, one.scores.tolist(), strict=True)) == pytest.approx(expected, rel=2e-5)


def test_many_matches_with_one_score_in_several_blocks_tie() -> None:
    rng = np.random.default_rng(0)
    texts = {f"d{i:05}": "alpha beta gamma delta" for i in range(6_000)}
    texts |= {f"x{i:05}": " ".join(f"w{j}" for j in rng.integers(0, 50, 6)) + " beta" for i in range(3_000)}
    ranking = opened("tantivy", texts).search(queries_of("alpha beta gamma delta w1 w2"), 9_000)[0]
    alike = [s for doc, s in zip(ranking.doc_ids, ranking.scores.tolist(), strict=True) if doc[0] == "d"]
    assert len(alike) == 6_000
    assert len(set(alike)) == 1


def test_a_word_twice_counts_twice() -> None:
    one, two = (searched("tantivy", TEXTS, text)["a"] for text in ("tent", "tent tent"))
    assert two == pytest.approx(2 * one, abs=1e-4)


def test_fields_add_up_with_their_weights() -> None:
    texts = {"a": {"title": "tent", "text": "rope"}, "b": {"title": "rope", "text": "tent"}}
    title, text = (searched("tantivy", texts, "tent", fields=field) for field in ("title", "text"))
    assert (list(title), list(text)) == (["a"], ["b"])
    both = searched("tantivy", texts, "tent", fields="title^3 text")
    assert both == pytest.approx({"a": 3 * title["a"], "b": text["b"]}, abs=1e-3)


def test_stems_and_stop_words_are_those_of_the_language() -> None:
    texts = {"a": "Zelte und Seile", "b": "Lampen"}
    assert searched("tantivy", texts, "Zelt", stemming="none") == {}
    assert list(searched("tantivy", texts, "Zelt", stemming="german")) == ["a"]
    assert list(searched("tantivy", texts, "und", stemming="german")) == ["a"]
    assert searched("tantivy", texts, "und", stemming="german", stop_words="german") == {}


def test_the_identity_names_the_analyzer() -> None:
    engine = opened("tantivy", TEXTS, stop_words="english")
    assert engine.identity["analyzer"] == "simple, remove_long(40), lowercase, stopword(english), stemmer(english)"
    assert opened("tantivy", TEXTS, stemming="none").identity["analyzer"] == "simple, remove_long(40), lowercase"


@pytest.mark.parametrize("kind", ["STEMMERS", "STOP_LISTS"])
def test_every_language_that_is_offered_is_there(kind: str) -> None:
    from rankproof.stack.engines import tantivy

    for language in getattr(tantivy, kind):
        said = {"stemming" if kind == "STEMMERS" else "stop_words": language}
        assert list(opened("tantivy", TEXTS, **said).search(queries_of("red"), 3)[0].doc_ids) == ["c", "a"]


def test_the_folder_is_removed_with_the_engine() -> None:
    engine = opened("tantivy", TEXTS)
    engine.prepare()
    folder = engine._once().folder
    assert os.listdir(folder)
    del engine
    gc.collect()
    assert not os.path.exists(folder)
