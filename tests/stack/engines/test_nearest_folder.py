"""Engines in this process that keep vectors in a folder: parts, their identity, and the folder that goes with them."""

from __future__ import annotations

import gc
import os
from importlib import import_module
from typing import Any

import pytest

from rankproof.kernel import shelf
from rankproof.stack.records import Ground
from rankproof.testing.rankings import corpus_of, parameters_of, queries_of

pytest.importorskip("wordllama", reason="the package wordllama is not installed")
TEXTS = {"a": "a cat sleeps", "b": "tax law", "c": "the kitten naps"}
# Engine -> the library that is imported, and what its identity calls it.
ENGINES = {"milvus": ("milvus_lite", "milvus-lite"), "qdrant_local": ("qdrant_edge", "qdrant-edge-py")}


@pytest.fixture(params=list(ENGINES))
def name(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    pytest.importorskip(ENGINES[found][0], reason=f"{ENGINES[found][1]} is not installed")
    return found


def opened(name: str, texts: dict[str, str]) -> Any:
    item = shelf.find("engines", name)
    return item.open(parameters_of(item, model="wordllama"), Ground(corpus_of(texts)))


def test_documents_in_more_parts_than_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {f"d{i}": f"tent {i}" for i in range(25)}
    whole = opened(name, texts).search(queries_of("tent 7"), 30)[0]
    monkeypatch.setattr(import_module(f"rankproof.stack.engines.{name}"), "ROWS", 10)
    parts = opened(name, texts).search(queries_of("tent 7"), 30)[0]
    assert (whole.doc_ids, whole.scores.tolist()) == (parts.doc_ids, parts.scores.tolist())
    assert whole.doc_ids[0] == "d7"


def test_the_identity_names_the_version(name: str) -> None:
    assert set(opened(name, TEXTS).identity) == {"corpus", "model", "encoder", ENGINES[name][1]}


def test_the_folder_is_removed_with_the_engine(name: str) -> None:
    engine = opened(name, TEXTS)
    engine.prepare()
    folder = engine._once()[0].folder
    assert os.listdir(folder)
    del engine
    gc.collect()
    assert not os.path.exists(folder)
