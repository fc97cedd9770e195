"""Datasets on disk: what is written reads back to the same content; a folder is there whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.raising import raises
from tests.reading.datasets import made

from rankproof.errors import InputError, UsageError
from rankproof.reading.collect import read_qrels
from rankproof.reading.collection import Query
from rankproof.reading.datasets import store as datasets
from rankproof.reading.datasets.read import read_dataset
from rankproof.reading.datasets.records import Dataset
from rankproof.reading.datasets.split import split, with_splits
from rankproof.reading.datasets.store import write_dataset
from rankproof.reading.datasets.survey import survey


def written(dataset: Dataset, folder: Path) -> dict[str, Any]:
    return write_dataset(str(folder), dataset, survey(dataset))


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    queries = "query_id,text,topic\nq1,lamp,light\nq2,chair,seat\n"
    (tmp_path / "in").mkdir()
    folder = made.write(
        tmp_path / "in", {"corpus.jsonl": made.CORPUS, "queries.csv": queries, "qrels.trec": made.QRELS}
    )
    dataset = read_dataset(folder)
    manifest = written(dataset, tmp_path / "out")
    again = read_dataset(str(tmp_path / "out"))
    assert again.content_hash == dataset.content_hash == manifest["content_hash"]
    assert again.queries == dataset.queries
    assert sorted(os.listdir(tmp_path / "out")) == ["corpus.jsonl", "manifest.json", "qrels.trec", "queries.jsonl"]
    assert json.loads((tmp_path / "out" / "manifest.json").read_text()) == json.loads(json.dumps(manifest))


def test_the_same_dataset_gives_the_same_bytes(tmp_path: Path) -> None:
    dataset = read_dataset(made.splits(tmp_path / "in"), split="all")
    for name in ("one", "two"):
        written(dataset, tmp_path / name)
    for name in ("corpus.jsonl", "queries.jsonl", "qrels/dev.trec", "qrels/test.trec", "manifest.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_splits_go_into_files_and_hashes_into_the_manifest(tmp_path: Path) -> None:
    whole = read_dataset(made.beir(tmp_path / "in"))
    parts = split(whole, {"dev": 0.5, "test": 0.5})
    manifest = written(with_splits(whole, parts), tmp_path / "out")
    hashes = {name: part["content_hash"] for name, part in manifest["splits"].items()}
    assert hashes == {name: part.content_hash for name, part in parts.items()}
    for name, part in parts.items():
        assert read_dataset(str(tmp_path / "out"), split=name).content_hash == part.content_hash
    assert read_dataset(str(tmp_path / "out"), split="all").content_hash == manifest["content_hash"]


def test_ids_that_trec_cannot_hold_and_no_documents(tmp_path: Path) -> None:
    qrels = read_qrels({"a query": {"a doc": 1}})
    dataset = Dataset("odd", None, (Query("a query", "words\u2028and\nlines"),), qrels, "trec")
    written(dataset, tmp_path / "out")
    again = read_dataset(str(tmp_path / "out"))
    assert again.content_hash == dataset.content_hash
    assert (tmp_path / "out" / "qrels.jsonl").exists()
    assert again.corpus is None


def test_a_changed_file_is_found(tmp_path: Path) -> None:
    written(read_dataset(made.beir(tmp_path / "in")), tmp_path / "out")
    assert read_dataset(str(tmp_path / "out")).findings == ()
    path = tmp_path / "out" / "qrels.trec"
    path.write_text(path.read_text().replace("q2 0 d2 1", "q2 0 d2 0"))
    found = read_dataset(str(tmp_path / "out")).findings
    assert [(f.code, f.message) for f in found] == [
        ("changed_since_prepared", "qrels.trec is not what it was when the dataset was prepared.")
    ]


def test_an_error_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(dataset: Dataset) -> Any:
        raise OSError(28, "No space left on device")

    dataset = read_dataset(made.beir(tmp_path / "in"))
    monkeypatch.setattr(datasets, "_queries", full)  # the corpus is written by then
    with raises(InputError, tmp_path / "out", "No space left on device"):
        written(dataset, tmp_path / "out")
    assert os.listdir(tmp_path) == ["in"]


def test_a_folder_with_something_in_it_stays_as_it_is(tmp_path: Path) -> None:
    dataset = read_dataset(made.beir(tmp_path / "in"))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("kept")
    with raises(UsageError, tmp_path / "full", "folder"):
        written(dataset, tmp_path / "full")
    with raises(UsageError, tmp_path / "no" / "where", f"folder {tmp_path / 'no'}"):
        written(dataset, tmp_path / "no" / "where")
    (tmp_path / "file").write_text("")
    with raises(UsageError, tmp_path / "file", "folder"):
        written(dataset, tmp_path / "file")
    (tmp_path / "empty").mkdir()
    written(dataset, tmp_path / "empty")
    assert (tmp_path / "full" / "mine").read_text() == "kept"
