"""Prepared: whether a folder that rankproof wrote still holds what its manifest says."""

from __future__ import annotations

import os
from hashlib import sha256

from rankproof.errors import InputError
from rankproof.records.finding import Finding
from rankproof.records.jsontext import from_json

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
    found = []
    for name, about in document.get("files", {}).items():
        file_path = os.path.join(folder, *name.split("/"))
        there = os.path.isfile(file_path)
        if there and file_hash(file_path) == about["sha256"]:
            continue
        said = "is not what it was when the dataset was prepared" if there else "is gone"
        remedy = "Results will differ from those on the prepared dataset. Prepare it anew, or restore the file."
        found.append(Finding("changed_since_prepared", "warning", path, f"{name} {said}.", remedy))
    return tuple(found)
