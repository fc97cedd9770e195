"""Cohen's kappa against scikit-learn's, on random judgments and on real ones."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, confusion_matrix
from tests.shared_data import SHARED, needs_shared_data

from rankproof.proving.agreement import both, ratings_of, two
from rankproof.reading.collect import read_qrels

WEIGHTS = {"none": None, "linear": "linear", "quadratic": "quadratic"}


@pytest.mark.parametrize("seed", range(20))
def test_random_judgments(seed: int) -> None:
    rng = np.random.default_rng(seed)
    top = int(rng.integers(2, 6))
    first = rng.integers(0, top, 200)
    # Every grade is there: scikit-learn weighs by the place of a label, rankproof by the grade itself.
    first[:top] = np.arange(top)
    second = np.where(rng.random(200) < 0.6, first, rng.integers(0, top, 200))
    sides = {name: {f"q{i // 10}": {} for i in range(200)} for name in ("a", "b")}
    for i in range(200):
        sides["a"][f"q{i // 10}"][f"d{i}"] = int(first[i])
        sides["b"][f"q{i // 10}"][f"d{i}"] = int(second[i])
    found = two(ratings_of(sides), "a", "b")
    for weights, theirs in WEIGHTS.items():
        assert found.kappa[weights].value == pytest.approx(cohen_kappa_score(first, second, weights=theirs), abs=1e-12)
    assert found.confusion.counts == tuple(map(tuple, confusion_matrix(first, second).tolist()))


@needs_shared_data
@pytest.mark.parametrize("model", ["gpt-4o_umbrela", "gpt-4o_binary", "llama3.2_binary"])
def test_real_judgments(model: str) -> None:
    folder = SHARED / "dl20"
    sides = {"human": read_qrels(folder / "qrels.trec"), "model": read_qrels(folder / "llm_qrels" / f"{model}.trec")}
    ratings = ratings_of(sides, common=True)
    kept = both(ratings, "human", "model")
    found = two(ratings, "human", "model")
    for weights, theirs in WEIGHTS.items():
        score = cohen_kappa_score(kept.grades[:, 0], kept.grades[:, 1], weights=theirs)
        assert found.kappa[weights].value == pytest.approx(score, abs=1e-12)
