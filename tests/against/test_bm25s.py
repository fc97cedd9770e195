"""BM25 against bm25s called by hand: the same scores in the three variants that define nothing for absent words."""

from __future__ import annotations

import numpy as np
import pytest

from rankproof.kernel import shelf
from rankproof.stack.records import Ground
from rankproof.testing.rankings import corpus_of, parameters_of, queries_of

bm25s = pytest.importorskip("bm25s", reason="bm25s is not installed: nothing to hold against")

WORDS = [f"w{i}" for i in range(40)]


def random_texts(seed: int, count: int) -> list[str]:
    """Texts of up to 30 words, of which some are far more frequent than others."""
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, len(WORDS) + 1)
    return [" ".join(rng.choice(WORDS, rng.integers(0, 31), p=share / share.sum())) for _ in range(count)]


@pytest.mark.parametrize("variant", ["lucene", "robertson", "atire"])
@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (0.9, 0.4), (0.0, 0.0), (3.0, 1.0)])
def test_scores_equal_those_of_the_library(variant: str, k1: float, b: float) -> None:
    texts, asked = random_texts(1, 80), [text for text in random_texts(2, 20) if text]
    by_hand = bm25s.BM25(method=variant, k1=k1, b=b)
    by_hand.index(bm25s.tokenize(texts, stopwords=None, show_progress=False), show_progress=False)
    engine = shelf.find("engines", "bm25")
    said = {"variant": variant, "k1": k1, "b": b, "stop_words": "none", "stemming": "none"}
    docs = {f"d{i}": text for i, text in enumerate(texts)}
    rankings = engine.open(parameters_of(engine, **said), Ground(corpus_of(docs))).search(queries_of(*asked), 100)
    for text, ranking in zip(asked, rankings, strict=True):
        told = by_hand.get_scores(text.split())
        assert len(ranking) == np.count_nonzero(told)
        assert ranking.scores == pytest.approx([told[int(doc[1:])] for doc in ranking.doc_ids], rel=1e-5)


@pytest.mark.parametrize("variant", ["bm25l", "bm25+"])
def test_the_library_adds_a_constant_for_absent_words_and_this_does_not(variant: str) -> None:
    """In the library a document that has none of the words still has a score: so much comes from absent words."""
    texts = random_texts(3, 80)
    by_hand = bm25s.BM25(method=variant)
    by_hand.index(bm25s.tokenize(texts, stopwords=None, show_progress=False), show_progress=False)
    engine = shelf.find("engines", "bm25")
    values = parameters_of(engine, variant=variant, stop_words="none", stemming="none")
    ground = Ground(corpus_of({f"d{i}": text for i, text in enumerate(texts)}))
    # With one word in the query, the word is there or not: the documents that have it stand as the library has them.
    for word in WORDS:
        (ranking,) = engine.open(values, ground).search(queries_of(word), 100)
        holding = [i for i, text in enumerate(texts) if word in text.split()]
        assert sorted(ranking.doc_ids) == sorted(f"d{i}" for i in holding)
        if holding:
            told = by_hand.get_scores([word])
            assert ranking.scores == pytest.approx([told[int(doc[1:])] for doc in ranking.doc_ids], rel=1e-5)
            assert len(holding) == len(texts) or min(told) > 0
