"""Milvus Lite: ties that its own scores would break, what is inserted in parts, and the folder of the collection."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankproof.kernel import shelf
from rankproof.kernel.progress import silent
from rankproof.stack.engines import milvus as engine
from rankproof.stack.models.encoder import unit
from rankproof.stack.records import Ground
from rankproof.testing.rankings import corpus_of, parameters_of, queries_of

pytest.importorskip("milvus_lite", reason="milvus-lite is not installed")
pytest.importorskip("wordllama", reason="wordllama is not installed")

TEXTS = {"a": "red tent", "b": "green tent", "c": "red lamp"}
SCRIPT = """
from rankproof.testing import searched
print(list(searched("milvus", {"a": "tent"}, "tent", model="wordllama")))
"""


def opened(texts: Any, **said: Any) -> Any:
    item = shelf.find("engines", "milvus")
    return item.open(parameters_of(item, model="wordllama", **said), Ground(corpus_of(texts)))


@pytest.mark.parametrize("similarity", ["cosine", "dot"])
def test_rows_that_are_alike_tie_wherever_they_stand(similarity: str) -> None:
    """Far from 1 the 32-bit products of one row and its copy differ: what the library gives would break the tie."""
    rng = np.random.default_rng(1)
    vectors = (rng.standard_normal((1_003, 256)) * 3).astype(np.float32)
    vectors[::2] = vectors[0]
    query = (vectors[0] + rng.standard_normal(256)).astype(np.float32)
    if similarity == "cosine":
        vectors, query = unit(vectors), unit(query)
    index = engine._MilvusCollection(vectors, similarity, silent)
    if similarity == "dot":
        assert len({score for number, score in zip(*index._found(query, 1_003), strict=True) if number % 2 == 0}) > 1
    for limit in (1, 7, 502):
        numbers, scores = index.nearest(query, limit)
        assert list(numbers) == list(range(0, 2 * limit, 2))
        assert len(set(scores)) == 1


@pytest.mark.parametrize("similarity", ["cosine", "dot"])
def test_a_thousand_documents_alike_are_cut_by_their_ids(similarity: str) -> None:
    texts = {**{f"d{i:04}": "a red tent" for i in range(1_000)}, "other": "tax law"}
    engine = opened(texts, similarity=similarity)
    for depth in (1, 10, 999):
        assert engine.search(queries_of("a red tent"), depth)[0].doc_ids == tuple(
            sorted(texts, reverse=True)[1:][:depth]
        )
    assert set(engine.search(queries_of("a red tent"), 5_000)[0].doc_ids) == set(texts)


@pytest.mark.parametrize("end", ["", "raise KeyError('stop')"])
def test_a_process_leaves_nothing_behind(end: str, tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT + end], env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "['a']\n"
    assert ("KeyError" in done.stderr) == ("KeyError" in end)
    assert os.listdir(tmp_path) == []


def test_a_build_that_is_broken_off_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def stop(what: str, done: int, total: int) -> None:
        if "indexing" in what:
            assert os.listdir(tmp_path)
            raise KeyboardInterrupt

    item = shelf.find("engines", "milvus")
    broken: Any = item.open(parameters_of(item, model="wordllama"), Ground(corpus_of(TEXTS), progress=stop))
    with pytest.raises(KeyboardInterrupt):
        broken.prepare()
    gc.collect()
    assert os.listdir(tmp_path) == []
