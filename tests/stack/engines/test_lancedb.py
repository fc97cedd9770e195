"""LanceDB: its BM25 against bm25s where their definitions agree, words, ties in plenty, and nothing on the disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.stack.engines import lancedb as engine
from rankproof.stack.records import Ground
from rankproof.testing import searched
from rankproof.testing.rankings import corpus_of, parameters_of, queries_of

pytest.importorskip("lancedb", reason="lancedb is not installed")

TEXTS = {"a": "red tent", "b": "green tent", "c": "red lamp"}
SCRIPT = """
from rankproof.testing import searched
print(list(searched("lancedb", {"a": "red tent"}, "tents", mode="text")))
raise KeyError("stop")
"""


def opened(name: str, texts: Any, **said: Any) -> Any:
    item = shelf.find("engines", name)
    return item.open(parameters_of(item, **said), Ground(corpus_of(texts)))


def test_it_gives_the_scores_of_bm25() -> None:
    """Lucene's variant with k1 1.2, times k1 + 1, over the same words; documents without words aside."""
    pytest.importorskip("bm25s", reason="the extra stack is not installed")
    rng = np.random.default_rng(3)
    words = np.array([f"w{i}" for i in range(200)])
    texts = {f"d{i}": " ".join(words[rng.zipf(1.4, rng.integers(1, 90)) % 200]) for i in range(700)}
    queries = queries_of(*(" ".join(rng.choice(words, 4)) for _ in range(30)), "w1 w1 w2")
    theirs = opened("lancedb", {**texts, "empty": ""}, mode="text", stemming="none").search(queries, 800)
    ours = opened("bm25", texts, stemming="none", stop_words="none", k1=1.2, words=r"\w+").search(queries, 800)
    assert sum(map(len, theirs)) > 1_000
    for one, other in zip(theirs, ours, strict=True):
        expected = dict(zip(other.doc_ids, (other.scores * 2.2).tolist(), strict=True))
        assert dict(zip(one.doc_ids, one.scores.tolist(), strict=True)) == pytest.approx(expected, rel=2e-5)


def test_many_matches_with_one_score_tie_and_are_cut_by_their_ids() -> None:
    rng = np.random.default_rng(0)
    texts = {f"d{i:05}": "alpha beta gamma delta" for i in range(6_000)}
    texts |= {f"x{i:05}": " ".join(f"w{j}" for j in rng.integers(0, 50, 6)) + " beta" for i in range(3_000)}
    engine = opened("lancedb", texts, mode="text")
    alike = tuple(sorted((doc for doc in texts if doc[0] == "d"), reverse=True))
    for depth in (1, 10, 700):
        assert engine.search(queries_of("alpha gamma delta"), depth)[0].doc_ids == alike[:depth]


def test_a_word_twice_counts_twice() -> None:
    one, two = (searched("lancedb", TEXTS, text, mode="text")["a"] for text in ("tent", "tent tent"))
    assert two == pytest.approx(2 * one, abs=1e-4)


def test_stems_and_stop_words_are_those_of_the_language() -> None:
    texts = {"a": "Zelte und Seile", "b": "Lampen"}
    assert searched("lancedb", texts, "Zelt", mode="text", stemming="none") == {}
    assert list(searched("lancedb", texts, "Zelt", mode="text", stemming="german")) == ["a"]
    assert list(searched("lancedb", texts, "und", mode="text", stemming="german")) == ["a"]
    assert searched("lancedb", texts, "und", mode="text", stemming="german", stop_words="german") == {}
    assert searched("lancedb", texts, "und", mode="text", stemming="none", stop_words="german") == {}


def test_two_languages_are_refused() -> None:
    with raises(UsageError, "'english'", "'german'", "'none'"):
        opened("lancedb", TEXTS, mode="text", stop_words="german")


@pytest.mark.parametrize("language", engine.LANGUAGES)
def test_every_language_that_is_offered_is_there(language: str) -> None:
    said = {"mode": "text", "stemming": language, "stop_words": language}
    assert list(searched("lancedb", TEXTS, "lamp", **said)) == ["c"]


def test_tokenizers_differ() -> None:
    texts = {"a": "camp-fire", "b": "été", "c": "我们喜欢帐篷"}
    found = {
        name: [list(searched("lancedb", texts, q, mode="text", tokenizer=name)) for q in ("fire", "ETE", "帐篷", "amp")]
        for name in engine.TOKENIZERS
    }
    assert found["simple"] == [["a"], ["b"], [], []]
    assert found["whitespace"] == [[], ["b"], [], []]
    assert found["icu"][2] == ["c"]
    assert found["ngram"][3] == ["a"]


def test_the_identity_names_the_version_and_the_model() -> None:
    assert set(opened("lancedb", TEXTS, mode="text").identity) == {"corpus", "analyzer", "lancedb"}
    pytest.importorskip("wordllama", reason="wordllama is not installed")
    assert set(opened("lancedb", TEXTS, model="wordllama").identity) == {"corpus", "model", "encoder", "lancedb"}


def test_a_process_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "['a']\n"
    assert "KeyError" in done.stderr
    assert os.listdir(tmp_path) == []
