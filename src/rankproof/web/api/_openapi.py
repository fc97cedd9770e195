"""The OpenAPI document and its page, made from the operations and types that requests are checked by."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from rankproof.kernel.version import __version__
from rankproof.web.api._operations import JSON, ROOT, Operation, operations
from rankproof.web.problem_answers import TITLES
from rankproof.web.problems import TYPES
from rankproof.web.render import render
from rankproof.web.security.roles import open_to_anybody

# Class names are unique in the package; a component is published without this prefix: ApiProject as Project.
_PREFIX = "Api"
# JSON Schema and OpenAPI objects, by the types that they describe.
Schema = dict[str, Any]
ByType = dict[type[msgspec.Struct] | None, Schema]
_REF = "#/components/schemas/{name}"
# What stands in a path, as the store keeps it.
_PATH = {"slug": {"type": "string", "pattern": "^[A-Za-z0-9_-]+$", "maxLength": 80},
         "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"}}  # fmt: skip


class ApiFault(msgspec.Struct):
    """What went wrong: its kind, what came, and what to do."""

    type: str
    message: str
    remedy: str | msgspec.UnsetType = msgspec.UNSET


class Error(msgspec.Struct):
    """The shape of every refusal."""

    error: ApiFault


@cache
def document() -> Schema:
    """The whole document."""
    types: list[type[msgspec.Struct]] = [Error]
    for one in operations():
        replies = (shape for shape in one.replies.values() if one.media == JSON)
        types += [shape for shape in (one.body, one.query, *replies) if shape is not None and shape not in types]
    refs, components = msgspec.json.schema_components(types, ref_template=_REF)
    known: ByType = {shape: _published(ref) for shape, ref in zip(types, refs, strict=True)}
    schemas = {name.removeprefix(_PREFIX): _published(schema) for name, schema in components.items()}
    queries = {one.query for one in operations() if one.query is not None}
    # Query parameters stand beside their operations; nobody refers to them as a whole.
    shapes: ByType = {shape: schemas[known[shape]["$ref"].rpartition("/")[2]] for shape in queries}
    for shape in queries:
        del schemas[known[shape]["$ref"].rpartition("/")[2]]
    paths: Schema = {}
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


def _published(schema: Any) -> Any:
    """A schema whose references and titles name components as they are published."""
    if isinstance(schema, list):
        return [_published(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    named = {key: _published(value) for key, value in schema.items()}
    if "$ref" in schema:
        named["$ref"] = _REF.format(name=schema["$ref"].rpartition("/")[2].removeprefix(_PREFIX))
    if isinstance(schema.get("title"), str):
        named["title"] = schema["title"].removeprefix(_PREFIX)
    return named


def _operation(one: Operation, known: ByType, shapes: ByType) -> Schema:
    words = inspect.getdoc(one.work) or ""
    role = "Open to anybody." if one.role is None else f"Role: {one.role}."
    role += " Reviewer until the round is closed." if one.others else ""
    operation: Schema = {
        "operationId": one.name,
        "summary": one.summary,
        "description": f"{words} {role}",
        "parameters": [*_path_parameters(one.path), *_query_parameters(shapes.get(one.query))],
        "responses": _responses(one, known),
        "security": [] if one.role is None else [{"bearer": []}],
    }
    if one.body is not None:
        operation["requestBody"] = {"required": True, "content": {JSON: {"schema": known[one.body]}}}
    return operation


def _responses(one: Operation, known: ByType) -> Schema:
    responses: Schema = {}
    for status, shape in one.replies.items():
        answer: Schema = {"description": inspect.getdoc(shape) if shape is not None else "Done."}
        if shape is not None:
            schema = known[shape] if one.media == JSON else {"type": "string"}
            answer["content"] = {one.media: {"schema": schema}}
        responses[str(status)] = answer
    for status in one.statuses:
        responses[str(status)] = {
            "description": f"{TITLES[status]}: {TYPES[status]}.",
            "content": {JSON: {"schema": known[Error]}},
        }
    return dict(sorted(responses.items()))


def _path_parameters(path: str) -> list[Schema]:
    return [
        {"name": name, "in": "path", "required": True, "schema": _PATH[name]} for name in re.findall(r"{(\w+)}", path)
    ]


def _query_parameters(shape: Schema | None) -> list[Schema]:
    if shape is None:
        return []
    return [
        {"name": name, "in": "query", "required": name in shape["required"], "schema": _plain(schema)}
        for name, schema in shape["properties"].items()
    ]


def _plain(schema: Schema) -> Schema:
    """A parameter that may be left out cannot be null: an address has only texts."""
    choices = [choice for choice in schema.get("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) == 1:
        schema = {name: value for name, value in schema.items() if name not in ("anyOf", "default")} | choices[0]
    return schema


@open_to_anybody
async def openapi(request: Request) -> Response:
    """The document, for programs."""
    return Response(msgspec.json.encode(document()), media_type=JSON)


@dataclass(frozen=True, slots=True)
class OperationView:
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

    operations: tuple[OperationView, ...]
    shapes: tuple[tuple[str, str, tuple[tuple[str, str, str], ...]], ...]
    title: str = "API"


@open_to_anybody
def docs(request: Request) -> Response:
    """The page."""
    description = document()
    shown = tuple(
        _shown(method, path, one) for path, methods in description["paths"].items() for method, one in methods.items()
    )
    shapes = tuple(
        (name, schema.get("description", ""), _fields(schema))
        for name, schema in description["components"]["schemas"].items()
    )
    return render(request, "api.html", DocsPage(shown, shapes))


def _shown(method: str, path: str, one: Schema) -> OperationView:
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
    return OperationView(
        method.upper(), path, one["summary"], one["description"], parameters, _kind(body) if body else "", answers
    )


def _fields(schema: Schema) -> tuple[tuple[str, str, str], ...]:
    required = schema.get("required", ())
    return tuple(
        (name, f"{_kind(field)}{'' if name in required else ', optional'}", field.get("description", ""))
        for name, field in schema.get("properties", {}).items()
    )


def _kind(schema: Schema) -> str:
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
