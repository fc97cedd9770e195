"""Qdrant Edge: ties in plenty, what is sent in parts, and the folder of the collection."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.raising import raises

from rankproof.errors import InputError
from rankproof.kernel import shelf
from rankproof.kernel.progress import silent
from rankproof.stack.engines import qdrant_local as engine
from rankproof.stack.records import Ground
from rankproof.testing.rankings import corpus_of, parameters_of, queries_of

pytest.importorskip("qdrant_edge", reason="qdrant-edge-py is not installed")
pytest.importorskip("wordllama", reason="wordllama is not installed")

TEXTS = {"a": "red tent", "b": "green tent", "c": "red lamp"}
SCRIPT = """
from rankproof.kernel import shelf
from rankproof.stack.records import Ground
from rankproof.testing.rankings import corpus_of, parameters_of, queries_of
item = shelf.find("engines", "qdrant_local")
engine = item.open(parameters_of(item, model="wordllama"), Ground(corpus_of({"a": "tent"})))
print(engine.search(queries_of("tent"), 1)[0].doc_ids)
"""


def opened(texts: Any, **said: Any) -> Any:
    item = shelf.find("engines", "qdrant_local")
    return item.open(parameters_of(item, model="wordllama", **said), Ground(corpus_of(texts)))


@pytest.mark.parametrize("similarity", ["cosine", "dot"])
def test_a_thousand_documents_alike_are_cut_by_their_ids(similarity: str) -> None:
    texts = {**{f"d{i:04}": "a red tent" for i in range(1_000)}, "other": "tax law", "near": "a red tent, used"}
    engine = opened(texts, similarity=similarity)
    for depth in (1, 10, 999):
        assert engine.search(queries_of("a red tent"), depth)[0].doc_ids == tuple(
            sorted(texts, reverse=True)[2:][:depth]
        )
    assert set(engine.search(queries_of("a red tent"), 5_000)[0].doc_ids) == set(texts)


@pytest.mark.parametrize("end", ["", "raise KeyError('stop')", "import sys; sys.exit(3)"])
def test_a_process_leaves_nothing_behind(end: str, tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", SCRIPT + end], env=environment, capture_output=True, text=True)
    assert done.stdout == "('a',)\n"
    assert ("KeyError" in done.stderr) == ("KeyError" in end)
    assert os.listdir(tmp_path) == []


def test_a_build_that_is_broken_off_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def stop(what: str, done: int, total: int) -> None:
        if "indexing" in what:
            assert os.listdir(tmp_path)
            raise KeyboardInterrupt

    item = shelf.find("engines", "qdrant_local")
    broken: Any = item.open(parameters_of(item, model="wordllama"), Ground(corpus_of(TEXTS), progress=stop))
    with pytest.raises(KeyboardInterrupt):
        broken.prepare()
    gc.collect()
    assert os.listdir(tmp_path) == []


def test_a_disk_without_room_is_told_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the disk is full while Qdrant writes, the system ends the process."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(engine, "room", lambda size: size * 2**60)
    with raises(InputError, "qdrant_local", tmp_path, "TMPDIR"):
        opened(TEXTS).prepare()
    assert os.listdir(tmp_path) == []


def test_the_room_that_is_wanted_is_enough() -> None:
    vectors = np.random.default_rng(0).standard_normal((2_000, 256)).astype(np.float32)
    collection = engine._EdgeShard(vectors, "dot", silent)
    files = [Path(folder, name) for folder, _, names in os.walk(collection.folder) for name in names]
    assert 2_000 * 256 * 4 < sum(file.stat().st_blocks * 512 for file in files) < engine.room(vectors.nbytes)
