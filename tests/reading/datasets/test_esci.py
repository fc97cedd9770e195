"""ESCI's Parquet files as a dataset: one locale, a version, a split; product texts by field."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.raising import raises
from tests.reading.datasets import made

from rankproof.errors import UsageError
from rankproof.reading.datasets.read import read_dataset

pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra: arrow)")


def test_one_locale_and_split(tmp_path: Path) -> None:
    found = read_dataset(made.esci(tmp_path), locale="us", split="test")
    assert found.kind == "esci"
    assert found.texts == {"1": "lamp", "2": "chair"}
    assert found.qrels.to_dict() == {"1": {"p1": 3, "p2": 0}, "2": {"p2": 2}}
    assert found.corpus is not None
    assert found.corpus.doc_ids == ("p1", "p2", "p3")
    assert dict(found.corpus.fields) == {
        "title": ("Lamp", "Chair", "Desk"),
        "brand": ("Lux", "Sit", "Work"),
        "bullets": ("bright\nsmall", "", ""),
        "description": ("", "<b>oak</b>", "pine"),
        "color": ("red", "", "green"),
    }


def test_the_small_version_and_judged_products_only(tmp_path: Path) -> None:
    found = read_dataset(made.esci(tmp_path), locale="us", version="small", split="train", documents="judged")
    assert found.qrels.to_dict() == {"4": {"p3": 1}}
    assert found.corpus is not None
    assert found.corpus.doc_ids == ("p3",)
    assert any("finding is easier" in note for note in found.notes)


def test_all_splits_are_kept_apart(tmp_path: Path) -> None:
    found = read_dataset(made.esci(tmp_path), locale="us", split="all", version="small")
    assert found.splits == {"test": ("1",), "train": ("4",)}
    assert found.qrels.to_dict() == {"1": {"p1": 3, "p2": 0}, "4": {"p3": 1}}


def test_choices_that_are_not_made_are_asked_for(tmp_path: Path) -> None:
    folder = made.esci(tmp_path)
    with raises(UsageError, "shopping_queries_dataset_examples.parquet", "several", "locale", "es, us"):
        read_dataset(folder, split="test")
    with raises(UsageError, "shopping_queries_dataset_examples.parquet", "locale", "'fr'", "es, us"):
        read_dataset(folder, split="test", locale="fr")
    with raises(UsageError, folder, "split", "test, train", "'all'"):
        read_dataset(folder, locale="us")
