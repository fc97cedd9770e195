"""Chroma: documents alike, answers that do not change from run to run, and a graph that is not whole."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from rankproof.errors import InputError
from rankproof.kernel import shelf
from rankproof.kernel.progress import silent
from rankproof.stack.engines import chroma as engine
from rankproof.stack.models.encoder import unit
from rankproof.stack.records import Ground
from rankproof.testing.rankings import corpus_of, parameters_of, queries_of

pytest.importorskip("chromadb", reason="chromadb is not installed")
pytest.importorskip("wordllama", reason="wordllama is not installed")

# A hundred of two thousand points around sixty centers, found for fifty queries.
SCRIPT = """
import hashlib
import numpy as np
from rankproof.kernel.progress import silent
from rankproof.stack.engines.chroma import _ChromaCollection
from tests.stack.engines.test_chroma import clustered
index = _ChromaCollection(clustered(2_000, 0), "cosine", silent)
found = [index.nearest(query, 100)[0] for query in clustered(50, 1)]
print(hashlib.sha256(str(found).encode()).hexdigest())
"""


def clustered(count: int, seed: int) -> Any:
    centers = np.random.default_rng(7).standard_normal((60, 64))
    rng = np.random.default_rng(seed)
    return unit((centers[rng.integers(0, 60, count)] + 0.7 * rng.standard_normal((count, 64))).astype(np.float32))


@pytest.mark.parametrize("similarity", ["cosine", "dot"])
def test_a_thousand_documents_alike_are_cut_by_their_ids(similarity: str) -> None:
    texts = {**{f"d{i:04}": "a red tent" for i in range(1_000)}, "other": "tax law"}
    item = shelf.find("engines", "chroma")
    opened = item.open(parameters_of(item, model="wordllama", similarity=similarity), Ground(corpus_of(texts)))
    for depth in (1, 10, 999):
        found = opened.search(queries_of("a red tent"), depth)[0]
        assert found.doc_ids == tuple(sorted(texts, reverse=True)[1:][:depth])
    assert set(opened.search(queries_of("a red tent"), 5_000)[0].doc_ids) == set(texts)


def test_the_walk_finds_what_exact_search_finds() -> None:
    points = clustered(3_000, 0)
    index = engine._ChromaCollection(points, "cosine", silent)
    for query in clustered(40, 1):
        exact = np.argsort(-(points.astype(float) @ query.astype(float)), kind="stable")[:100]
        assert index.nearest(query, 100)[0] == exact.tolist()


def test_other_processes_find_the_same() -> None:
    told = {subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True).stdout for _ in range(3)}
    assert len(told) == 1
    assert told != {""}


def test_a_graph_that_is_not_whole_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = engine._ChromaCollection._found
    monkeypatch.setattr(engine._ChromaCollection, "_found", lambda *args: tuple(part[:-1] for part in whole(*args)))
    with pytest.raises(InputError, match=r"reaches 299 of 300 vectors"):
        engine._ChromaCollection(clustered(300, 0), "cosine", silent)
