"""Datasets on disk in the plain layout: corpus.jsonl, queries.jsonl, qrels and a manifest that is checked again.

A dataset with splits has one file of judgments for each, in the folder `qrels`, as BEIR has them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256

from rankproof.errors import InputError
from rankproof.kernel import shelf
from rankproof.kernel.atomic import new_folder
from rankproof.kernel.jsontext import from_json, to_json
from rankproof.kernel.version import __version__
from rankproof.reading.collection import Corpus
from rankproof.reading.datasets.records import Dataset, Survey
from rankproof.reading.finding import Finding
from rankproof.reading.records import Qrels
from rankproof.reading.write import pieces

MANIFEST = "manifest.json"
SCHEMA = "dataset/1"


def file_hash(path: str) -> str:
    """SHA-256 of a file's bytes."""
    digest = sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def changed(folder: str) -> tuple[Finding, ...]:
    """A finding for each file that is not as the manifest beside it says; none where there is no such manifest."""
    path = os.path.join(folder, MANIFEST)
    if not os.path.isfile(path):
        return ()
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    try:
        document = from_json(text, path)
    except InputError:
        return ()  # another tool's file of that name
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        return ()
    findings = []
    for name, about in document.get("files", {}).items():
        file_path = os.path.join(folder, *name.split("/"))
        exists = os.path.isfile(file_path)
        if exists and file_hash(file_path) == about["sha256"]:
            continue
        change = "is not what it was when the dataset was prepared" if exists else "is gone"
        remedy = "Results will differ from those on the prepared dataset. Prepare it anew, or restore the file."
        findings.append(Finding("changed_since_prepared", "warning", path, f"{name} {change}.", remedy))
    return tuple(findings)


def write_dataset(
    folder: str, dataset: Dataset, surveyed: Survey, more: Mapping[str, object] | None = None
) -> dict[str, object]:
    """Writes the dataset and returns its manifest: the survey, `more`, and the files with their hashes."""
    files: dict[str, dict[str, object]] = {}
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


def _write(folder: str, name: str, content: Iterable[bytes]) -> dict[str, object]:
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
