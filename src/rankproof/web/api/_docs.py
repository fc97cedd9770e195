"""The page of the API: every operation with what it takes and gives, from the OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from rankproof.web.api._openapi import document
from rankproof.web.render import render
from rankproof.web.security.roles import open_to_anybody


@dataclass(frozen=True, slots=True)
class Shown:
    """An operation: its words, parameters, body, and answers by status."""

    method: str
    path: str
    summary: str
    words: str
    parameters: tuple[tuple[str, str, str], ...]
    body: str
    answers: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class DocsPage:
    """Every operation and every shape."""

    operations: tuple[Shown, ...]
    shapes: tuple[tuple[str, str, tuple[tuple[str, str, str], ...]], ...]
    title: str = "API"


@open_to_anybody
def docs(request: Request) -> Response:
    """The page."""
    told = document()
    shown = tuple(
        _shown(method, path, one) for path, methods in told["paths"].items() for method, one in methods.items()
    )
    shapes = tuple(
        (name, schema.get("description", ""), _fields(schema)) for name, schema in told["components"]["schemas"].items()
    )
    return render(request, "api.html", DocsPage(shown, shapes))


def _shown(method: str, path: str, one: Mapping[str, Any]) -> Shown:
    parameters = tuple(
        (p["name"], f"{_kind(p['schema'])}{'' if p['required'] else ', optional'}", p["schema"].get("description", ""))
        for p in one["parameters"]
    )
    body = one["requestBody"]["content"]["application/json"]["schema"] if "requestBody" in one else None
    answers = tuple(
        (
            status,
            _kind(next(iter(answer["content"].values()))["schema"]) if "content" in answer else "",
            answer["description"],
        )
        for status, answer in one["responses"].items()
    )
    return Shown(
        method.upper(), path, one["summary"], one["description"], parameters, _kind(body) if body else "", answers
    )


def _fields(schema: Mapping[str, Any]) -> tuple[tuple[str, str, str], ...]:
    wanted = schema.get("required", ())
    return tuple(
        (name, f"{_kind(field)}{'' if name in wanted else ', optional'}", field.get("description", ""))
        for name, field in schema.get("properties", {}).items()
    )


def _kind(schema: Mapping[str, Any]) -> str:
    """A type in words: `list of Level`, `integer from 1 to 1000`."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(_kind(choice) for choice in schema["anyOf"])
    if "enum" in schema:
        return "one of " + ", ".join(repr(choice) for choice in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    if schema.get("type") == "integer" and "minimum" in schema:
        return f"integer from {schema['minimum']} to {schema['maximum']}"
    if schema.get("type") == "string" and "maxLength" in schema:
        return f"string of {schema['maxLength']:,} characters at most"
    return str(schema.get("type", "anything"))
