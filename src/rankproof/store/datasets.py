"""Datasets on disk, in the project's plain layout: corpus.jsonl, queries.jsonl, qrels and a manifest, all or nothing.

A dataset with splits has one file of judgments for each, in the folder `qrels`, as BEIR has them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any

from rankproof import __version__, shelf
from rankproof.errors import InputError
from rankproof.flow.datasets.prepared import MANIFEST, SCHEMA
from rankproof.records.collection import Corpus
from rankproof.records.dataset import Dataset
from rankproof.records.jsontext import to_json
from rankproof.records.qrels import Qrels
from rankproof.records.survey import Survey
from rankproof.store.files import pieces
from rankproof.store.folders import new_folder


def write_dataset(
    folder: str, dataset: Dataset, surveyed: Survey, more: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Writes the dataset and gives its manifest: what the survey says, `more`, and the files with their hashes."""
    files: dict[str, dict[str, Any]] = {}
    with new_folder(folder) as beside:
        if dataset.corpus is not None:
            files["corpus.jsonl"] = _write(beside, "corpus.jsonl", _documents(dataset.corpus))
        files["queries.jsonl"] = _write(beside, "queries.jsonl", _queries(dataset))
        parts = {f"qrels/{name}": dataset.qrels.filter(ids) for name, ids in dataset.splits.items()}
        for stem, qrels in (parts or {"qrels": dataset.qrels}).items():
            form = "trec" if _fits_trec(qrels) else "jsonl"
            files[f"{stem}.{form}"] = _write(beside, f"{stem}.{form}", pieces(qrels, shelf.find("formats", form)))
        manifest = {"rankproof": __version__, "schema": SCHEMA, **surveyed.to_dict(), **(more or {}), "files": files}
        _write(beside, MANIFEST, [f"{to_json(manifest, indent=2)}\n".encode()])
    return manifest


def _write(folder: str, name: str, content: Iterable[bytes]) -> dict[str, Any]:
    path = os.path.join(folder, *name.split("/"))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    digest, size = sha256(), 0
    with open(path, "xb") as file:
        for piece in content:
            digest.update(piece)
            size += file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    return {"bytes": size, "sha256": digest.hexdigest()}


def _documents(corpus: Corpus) -> Iterator[bytes]:
    for doc_id, *texts in zip(corpus.doc_ids, *corpus.fields.values(), strict=True):
        yield _line({"_id": doc_id, **dict(zip(corpus.fields, texts, strict=True))})


def _queries(dataset: Dataset) -> Iterator[bytes]:
    for query in dataset.queries:
        yield _line({"_id": query.query_id, "text": query.text, **query.columns})


def _line(record: dict[str, str]) -> bytes:
    return f"{to_json(record)}\n".encode()


def _fits_trec(qrels: Qrels) -> bool:
    """Whether TREC text can hold the ids: it cannot where one has a blank in it."""
    try:
        for _ in pieces(qrels, shelf.find("formats", "trec")):
            pass
    except InputError:
        return False
    return True
