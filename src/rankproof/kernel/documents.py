"""Versioned documents: records written to files and read back years later, and the versions they were made with.

A document names its schema and version, such as "manifest/1". The number grows when a field goes or changes its
meaning, and then the older form gets a step in the record's `UPGRADES`, so that every document ever written keeps
reading. What is newer than the program, unknown to it or of the wrong type is refused by name: a record that was
read in part would be another record.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from rankproof.errors import InputError
from rankproof.kernel.version import __version__

T = TypeVar("T")
Document = dict[str, Any]
# From the document of version n to that of version n + 1; the first step is the first of the tuple.
Upgrades = Sequence[Callable[[Document], Document]]

_SHA256 = re.compile(r"[0-9a-f]{64}")
_SCHEMA = re.compile(r"([a-z][a-z-]*)/([1-9][0-9]*)")


def plain(value: Any) -> Any:
    """A record as plain dicts, lists, numbers and texts, ready for JSON."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def require_sha256(name: str, value: str | None) -> None:
    """Refuses what is no SHA-256 in hexadecimal digits; None is allowed: there is no hash."""
    if value is not None and not _SHA256.fullmatch(value):
        raise ValueError(f"{name} is no SHA-256: {value!r:.80}")


def read(document: Any, kind: type[T], schema: str, upgrades: Upgrades = (), source: str = "the document") -> T:
    """The record in a document; `schema` is the newest that is known, `source` what messages call the document."""
    body = _of_version(document, schema, upgrades, source)
    # Importing msgspec takes longer than a small evaluation: it is loaded only where a record is read.
    import msgspec

    try:
        record = msgspec.convert(body, kind)
    except msgspec.ValidationError as error:
        raise InputError(f"{source}: {_validation_message(str(error))} Correct it, or write the file anew.") from None
    for name in _unknown(body, plain(record), ""):
        raise InputError(
            f"{source} has a field {name!r} that {schema} does not have; it was written by rankproof "
            f"{_writer(document)}. Correct the name, or use that version of rankproof or a newer one."
        )
    return record


def _of_version(document: Any, schema: str, upgrades: Upgrades, source: str) -> Document:
    noun, newest = schema.split("/")
    if not isinstance(document, dict):
        raise InputError(f"{source} is no JSON object, so it holds no {noun}. Give a file with the schema {schema}.")
    named = document.get("schema")
    match = _SCHEMA.fullmatch(named) if isinstance(named, str) else None
    if match is None:
        fault = "has no field 'schema'" if named is None else f"names the schema {named!r:.40}"
        raise InputError(f"{source} {fault}, so it holds no {noun}. Give a file with the schema {schema}.")
    if match[1] != noun:
        raise InputError(f"{source} has the schema {named}, so it holds no {noun}. Give a file with {schema}.")
    version = int(match[2])
    if version > int(newest):
        from rankproof.kernel.version import __version__

        raise InputError(
            f"{source} is {named}, written by rankproof {_writer(document)}; this is rankproof {__version__}, which "
            f"reads up to {schema}. Update rankproof to read it."
        )
    for step in upgrades[version - 1 :]:
        document = step(document)
    return {key: value for key, value in document.items() if key != "schema"}


def _writer(document: Mapping[str, Any]) -> str:
    return f"{document.get('rankproof', 'of an unknown version')!s:.40}"


def _validation_message(error: str) -> str:
    """msgspec's message with the field first: "runs[0].name: Expected `str`, got `int`."."""
    message, _, place = error.partition(" - at ")
    missing = re.fullmatch(r"Object missing required field `(.*)`", message)
    field = place.strip("`").removeprefix("$").removeprefix(".")
    if missing is not None:
        return f"the field {f'{field}.{missing[1]}'.lstrip('.')!r} is missing."
    where = f"the field {field!r} is wrong: " if field else ""
    return f"{where}{message[:1].lower()}{message[1:].replace('`', '')}."


def _unknown(given: Any, known: Any, place: str) -> list[str]:
    """The names that stand in a document and in no field of the record read from it."""
    if isinstance(given, dict) and isinstance(known, dict):
        lost = [f"{place}{name}" for name in given if name not in known]
        return lost + [
            n for name in given if name in known for n in _unknown(given[name], known[name], f"{place}{name}.")
        ]
    if isinstance(given, list) and isinstance(known, list):
        return [n for i, (g, k) in enumerate(zip(given, known, strict=True)) for n in _unknown(g, k, f"{place}{i}.")]
    return []


LIBRARIES = ("numpy", "scipy")


def versions() -> dict[str, str]:
    """Of rankproof, Python and the libraries that compute."""
    return {"rankproof": __version__, "python": platform.python_version(), **{name: _of(name) for name in LIBRARIES}}


def _of(library: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # slow to load, and seldom needed

    try:
        return version(library)
    except PackageNotFoundError:
        return "not installed"


def now() -> str:
    """The time in UTC, to the second. It goes under `observed`, where everything stands that differs each time."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
