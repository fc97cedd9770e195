"""Attributes of spans: OTLP's tagged values, and nested or dotted keys, as one flat mapping of plain values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rankproof.errors import InputError

# Kept as it is: its documents are objects of their own, and not attributes.
DOCUMENTS = "gen_ai.retrieval.documents"
# How deep values of attributes are followed: documents with metadata in a chunk in a list, and room above that.
DEEPEST = 40
_INDEXED = ("retrieval", "reranker", "document")
_WHOLE = re.compile(r"-?[0-9]{1,19}")


def attributes_of(span: Mapping[str, object], where: str) -> dict[str, object]:
    """The attributes of a span by dotted names: of OTLP, of the SDKs' `to_json`, or of columns `attributes.NAME`."""
    given = span.get("attributes")
    found: dict[str, object] = {}
    if isinstance(given, list):
        for pair in given:
            if not isinstance(pair, Mapping) or not isinstance(pair.get("key"), str):
                raise InputError(f"{where}: an attribute is {{key, value}}; got {pair!r:.60}.")
            found[pair["key"]] = tagged(pair.get("value"), where)
    elif isinstance(given, Mapping):
        found.update(given)
    elif given is not None:
        raise InputError(f"{where}: attributes are a list of {{key, value}}, or an object; got {given!r:.60}.")
    for key, value in span.items():
        if key.startswith("attributes."):
            found[key.removeprefix("attributes.")] = value
    return dotted(found, where)


def tagged(value: object, where: str, depth: int = 0) -> object:
    """The plain value of OTLP's AnyValue, such as {"intValue": "3"}; None for an empty one, and for bytes."""
    if value is None:
        return None
    if not isinstance(value, Mapping) or depth > DEEPEST:
        raise InputError(f'{where}: the value of an attribute is an object such as {{"stringValue": "a"}}; got '
                         f"{value!r:.60}.")  # fmt: skip
    for key, inner in value.items():
        kind = key.replace("_", "").lower()
        if kind in ("stringvalue", "boolvalue", "doublevalue"):
            return inner
        if kind == "intvalue":
            return _whole(inner)
        if kind == "arrayvalue":
            return [tagged(item, where, depth + 1) for item in _listed(inner)]
        if kind == "kvlistvalue":
            pairs = [pair for pair in _listed(inner) if isinstance(pair, Mapping)]
            return {str(pair.get("key")): tagged(pair.get("value"), where, depth + 1) for pair in pairs}
    return None


def _whole(value: object) -> object:
    """OTLP writes 64-bit numbers as text; what is no such text stays as it is."""
    return int(value) if isinstance(value, str) and _WHOLE.fullmatch(value) else value


def _listed(value: object) -> list[object]:
    values = value.get("values") if isinstance(value, Mapping) else None
    return values if isinstance(values, list) else []


def dotted(attributes: Mapping[str, object], where: str) -> dict[str, object]:
    """Nested attributes under dotted names: {"session": {"id": 1}} and {"session.id": 1} are the same."""
    if not any(isinstance(value, Mapping | list) for value in attributes.values()):
        return dict(attributes)
    flat: dict[str, object] = {}
    for key, value in attributes.items():
        flat.update(_leaves(key, value, where, 0))
    return flat


def _leaves(name: str, value: object, where: str, depth: int) -> Iterator[tuple[str, object]]:
    if name == DOCUMENTS or not isinstance(value, Mapping | list) or not value:
        yield name, value
        return
    if depth > DEEPEST:
        raise InputError(f"{where}: attributes are nested too deeply. Check that it is the right file.")
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(f"{name}.{key}", inner, where, depth + 1)
    elif any(isinstance(inner, Mapping) for inner in value) and name.startswith(_INDEXED):
        for at, inner in enumerate(value):
            yield from _leaves(f"{name}.{at}", inner, where, depth + 1)
    else:
        yield name, value
