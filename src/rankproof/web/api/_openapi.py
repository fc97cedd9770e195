"""The OpenAPI document, made from the same operations and types that requests are checked by."""

from __future__ import annotations

import inspect
import re
from functools import cache
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from rankproof import __version__
from rankproof.web.api._every import ROOT, operations
from rankproof.web.api._operation import JSON, Operation
from rankproof.web.problems import TITLES, TYPES
from rankproof.web.security.roles import open_to_anybody

_REF = "#/components/schemas/{name}"
# What stands in a path, as the store keeps it.
_PATH = {"slug": {"type": "string", "pattern": "^[A-Za-z0-9_-]+$", "maxLength": 80},
         "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"}}  # fmt: skip


class Fault(msgspec.Struct):
    """What went wrong: its kind, what came, and what to do."""

    type: str
    message: str
    remedy: str | msgspec.UnsetType = msgspec.UNSET


class Error(msgspec.Struct):
    """The shape of every refusal."""

    error: Fault


@cache
def document() -> dict[str, Any]:
    """The whole document."""
    types: list[Any] = [Error]
    for one in operations():
        replies = (shape for shape in one.replies.values() if one.media == JSON)
        types += [shape for shape in (one.body, one.query, *replies) if shape is not None and shape not in types]
    refs, schemas = msgspec.json.schema_components(types, ref_template=_REF)
    known = dict(zip(types, refs, strict=True))
    queries = {one.query for one in operations() if one.query is not None}
    # Query parameters stand beside their operations; nobody refers to them as a whole.
    shapes = {shape: schemas[known[shape]["$ref"].rpartition("/")[2]] for shape in queries}
    for shape in queries:
        del schemas[known[shape]["$ref"].rpartition("/")[2]]
    paths: dict[str, Any] = {}
    for one in operations():
        paths.setdefault(ROOT + one.path, {})[one.method.lower()] = _operation(one, known, shapes)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "rankproof",
            "version": __version__,
            "description": "Projects, judgments, flags, picks and preferences of a judging store.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(one: Operation, known: dict[Any, Any], shapes: dict[Any, Any]) -> dict[str, Any]:
    words = inspect.getdoc(one.work) or ""
    role = "Open to anybody." if one.role is None else f"Role: {one.role}."
    told: dict[str, Any] = {
        "operationId": one.name,
        "summary": one.summary,
        "description": f"{words} {role}",
        "parameters": [*_path_parameters(one.path), *_query_parameters(shapes.get(one.query))],
        "responses": _responses(one, known),
        "security": [] if one.role is None else [{"bearer": []}],
    }
    if one.body is not None:
        told["requestBody"] = {"required": True, "content": {JSON: {"schema": known[one.body]}}}
    return told


def _responses(one: Operation, known: dict[Any, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for status, shape in one.replies.items():
        answer: dict[str, Any] = {"description": inspect.getdoc(shape) if shape is not None else "Done."}
        if shape is not None:
            schema = known[shape] if one.media == JSON else {"type": "string"}
            answer["content"] = {one.media: {"schema": schema}}
        found[str(status)] = answer
    for status in one.statuses:
        found[str(status)] = {
            "description": f"{TITLES[status]}: {TYPES[status]}.",
            "content": {JSON: {"schema": known[Error]}},
        }
    return dict(sorted(found.items()))


def _path_parameters(path: str) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": _PATH[name]} for name in re.findall(r"{(\w+)}", path)
    ]


def _query_parameters(shape: dict[str, Any] | None) -> list[dict[str, Any]]:
    if shape is None:
        return []
    return [
        {"name": name, "in": "query", "required": name in shape["required"], "schema": _plain(schema)}
        for name, schema in shape["properties"].items()
    ]


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """A parameter that may be left out cannot be null: an address has only texts."""
    choices = [choice for choice in schema.get("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) == 1:
        schema = {name: value for name, value in schema.items() if name not in ("anyOf", "default")} | choices[0]
    return schema


@open_to_anybody
async def openapi(request: Request) -> Response:
    """The document, for programs."""
    return Response(msgspec.json.encode(document()), media_type=JSON)
