"""Runs of two systems on made queries, whose relevance they tell together, or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

DOCUMENTS = 30
# Says from two numbers between 0 and 1 whether a document is relevant.
Relevant = Callable[[float, float, np.random.Generator], bool]


def both_or_neither_is_wrong(one: float, other: float, rng: np.random.Generator) -> bool:
    """Relevant where one system finds it good and the other does not: what no weighted sum can say."""
    return (one > 0.6) != (other > 0.6)


def chance(one: float, other: float, rng: np.random.Generator) -> bool:
    """Relevant as it happens."""
    return bool(rng.random() < 0.3)


def collection(folder: Path, queries: int, relevant: Relevant, seed: int = 0) -> Path:
    """Documents, queries, judgments, two runs and a configuration that trains on half of the queries."""
    rng = np.random.default_rng(seed)
    data = folder / "data"
    data.mkdir(parents=True)
    docs = [f"d{i:02}" for i in range(DOCUMENTS)]
    (data / "corpus.jsonl").write_text("".join(json.dumps({"_id": d, "text": "a text"}) + "\n" for d in docs))
    asked = (json.dumps({"_id": f"q{q}", "text": f"made query {q}"}) + "\n" for q in range(queries))
    (data / "queries.jsonl").write_text("".join(asked))
    grades, one, other = [], [], []
    for q in range(queries):
        numbers = rng.random((2, DOCUMENTS))
        grades += [f"q{q} 0 {d} {int(relevant(*numbers[:, i].tolist(), rng))}\n" for i, d in enumerate(docs)]
        for run, scores in ((one, numbers[0]), (other, numbers[1])):
            order = np.argsort(-scores).tolist()
            run += [f"q{q} Q0 {docs[i]} {rank} {scores[i]:.6f} made\n" for rank, i in enumerate(order, 1)]
    (data / "qrels.trec").write_text("".join(grades))
    (folder / "one.run").write_text("".join(one))
    (folder / "other.run").write_text("".join(other))
    (folder / "t.toml").write_text(CONFIG)
    return folder / "t.toml"


CONFIG = """[benchmark]
name = "made"
dataset = "data"
measures = ["nDCG@10"]
resamples = 1000

[modes]
one = "replay(path='one.run')"
other = "replay(path='other.run')"
linear = "fuse_linear(one, other)"
learned = "fuse_ltr(one, other, model='learned.txt')"

[tune]
method = "train"
mode = "learned"
trials = 80
"""
