"""Collections of ir_datasets with documents, through the library itself, with a collection made for the test."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from tests.raising import raises

from rankproof.errors import Unreadable
from rankproof.reading.datasets.read import read_dataset

# The library makes folders in the home folder as soon as it is imported: give it another home.
HOME = tempfile.TemporaryDirectory()
os.environ.setdefault("IR_DATASETS_HOME", HOME.name)
ir_datasets = pytest.importorskip("ir_datasets", reason="ir_datasets is not installed (extra: irds)")
NAME = "rankproof-made-with-documents"


class Doc(NamedTuple):
    doc_id: str
    title: str
    keywords: tuple[str, ...]
    year: int


class Query(NamedTuple):
    query_id: str
    text: str


class Qrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str


class Collection:
    """What the library asks of a collection."""

    def __init__(self, fails: bool = False) -> None:
        self.fails = fails

    def has_docs(self) -> bool:
        return True

    has_queries = has_qrels = has_docs

    def docs_iter(self) -> Iterator[Doc]:
        yield Doc("d1", "red lamp", ("lamp", "light"), 1999)
        if self.fails:
            raise OSError("the download broke")

    def queries_iter(self) -> Iterator[Query]:
        yield Query("q1", "lamp")

    def qrels_iter(self) -> Iterator[Qrel]:
        yield Qrel("q1", "d1", 2, "0")


@pytest.fixture(autouse=True)
def collection(monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, Any] = {NAME: Collection(), f"{NAME}/broken": Collection(fails=True)}
    monkeypatch.setattr(ir_datasets, "load", made.__getitem__)


def test_documents_queries_and_judgments() -> None:
    found = read_dataset(f"irds:{NAME}")
    assert (found.kind, found.name) == ("irds", NAME)
    assert found.corpus is not None
    assert dict(found.corpus.fields) == {"title": ("red lamp",), "keywords": ("lamp\nlight",)}
    assert "field 'year' left out of 1 document: no text there" in found.notes
    assert found.texts == {"q1": "lamp"}
    assert found.qrels.to_dict() == {"q1": {"d1": 2}}


def test_a_broken_download_is_said() -> None:
    with raises(Unreadable, f"irds:{NAME}/broken", "OSError", "download"):
        read_dataset(f"irds:{NAME}/broken")
