"""Schemas: the published JSON Schemas of every document that rankproof writes, one file for each version.

A document says which it is: "schema": "evaluation/1". The files refer to each other by name; `bundled` puts into one
what it refers to, so that it stands alone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from rankproof.errors import UnknownName

ENDING = ".schema.json"
_FOLDER = os.path.join(os.path.dirname(__file__), "schemas")


def names() -> tuple[str, ...]:
    """The names, as documents say them, in alphabetical order."""
    files = (file.removesuffix(ENDING) for file in os.listdir(_FOLDER) if file.endswith(ENDING))
    return tuple(sorted("/".join(name.rsplit("-", 1)) for name in files))


def schema(name: str) -> dict[str, Any]:
    """The schema as it lies in its file; a name without its number means the newest version."""
    known = names()
    if name not in known:
        versions = sorted((k for k in known if k.rpartition("/")[0] == name), key=lambda k: int(k.rpartition("/")[2]))
        if not versions:
            raise UnknownName("schema", name, known)
        name = versions[-1]
    return _read(name.replace("/", "-") + ENDING)


def bundled(name: str) -> dict[str, Any]:
    """The schema with every other one that it needs among its definitions, each under its own `$id`."""
    main = schema(name)
    pending, schemas = list(_others(main)), {}
    while pending:
        file = pending.pop()
        if file not in schemas and file != main["$id"]:
            schemas[file] = _read(file)
            pending += _others(schemas[file])
    if not schemas:
        return main
    beside = {file.removesuffix(ENDING): schemas[file] for file in sorted(schemas)}
    return {**main, "$defs": {**main.get("$defs", {}), **beside}}


def _read(file: str) -> dict[str, Any]:
    with open(os.path.join(_FOLDER, file), encoding="utf-8") as opened:
        read: dict[str, Any] = json.load(opened)
    return read


def _others(part: Any) -> Iterator[str]:
    """The files that a part of a schema refers to."""
    if isinstance(part, dict):
        target = part.get("$ref")
        if isinstance(target, str) and not target.startswith("#"):
            yield target.partition("#")[0]
        for value in part.values():
            yield from _others(value)
    elif isinstance(part, list):
        for value in part:
            yield from _others(value)
