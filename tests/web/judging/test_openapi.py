"""The OpenAPI document and its page: made from the operations themselves, and valid."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from starlette.routing import Route
from tests.web.judging.workbench import Client

from rankproof.web.api._openapi import document
from rankproof.web.api._operations import ROOT, operations, routes
from rankproof.web.problem_answers import TITLES
from rankproof.web.problems import TYPES


def test_every_route_is_documented_and_nothing_else() -> None:
    served = {(route.path, method) for route in routes() for method in route.methods or () if method != "HEAD"}
    told = {(path, method.upper()) for path, methods in document()["paths"].items() for method in methods}
    assert told == served
    assert all(isinstance(route, Route) for route in routes())


def test_names_of_operations_are_unique_and_all_are_explained() -> None:
    told = [one for methods in document()["paths"].values() for one in methods.values()]
    assert len({one["operationId"] for one in told}) == len(told) == len(operations())
    assert all(one["summary"] and one["description"].count(".") >= 2 for one in told)


def test_every_refusal_has_the_one_shape() -> None:
    for methods in document()["paths"].values():
        for one in methods.values():
            for status, answer in one["responses"].items():
                if int(status) >= 400:
                    assert answer["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Error"}
    assert TYPES.keys() == TITLES.keys()


def test_components_keep_their_published_names() -> None:
    schemas = document()["components"]["schemas"]
    assert {"Judgment", "Judgments", "Project", "Scale", "Level", "Session", "Fault", "Error"} <= schemas.keys()
    assert not [name for name in schemas if name.startswith("Api")]
    assert all(schema["title"] == name for name, schema in schemas.items())


def test_references_resolve_and_schemas_are_schemas() -> None:
    told = document()
    known = told["components"]["schemas"]
    for schema in known.values():
        Draft202012Validator.check_schema(schema)
        assert schema["description"]

    def look(value: Any) -> None:
        if isinstance(value, dict):
            if "$ref" in value:
                assert value["$ref"].rpartition("/")[2] in known
            for part in value.values():
                look(part)
        elif isinstance(value, list):
            for part in value:
                look(part)

    look(told)


def test_what_is_refused_is_what_the_document_forbids(judge: Client) -> None:
    """The same bodies, by the published schema and by the server: they agree. What depends on the store is left out."""
    told = document()
    schema = {**told["components"]["schemas"]["NewJudgment"], "components": told["components"]}
    good = {"key": "k" * 8, "query_id": "q1", "doc_id": "d1", "grade": 1}
    changes: list[dict[str, Any]] = [
        {}, {"grade": "1"}, {"grade": True}, {"grade": 1001}, {"key": "x"}, {"key": "k" * 65}, {"key": "a b c d e"},
        {"note": "a\u0000"}, {"note": "x" * 10_001}, {"note": None}, {"more": 1}, {"doc_id": ""}, {"doc_id": "x" * 251},
        {"withdraws": "!"}, {"reason": "other", "grade": None},
    ]  # fmt: skip
    for change in changes:
        body = {**good, **change}
        valid = Draft202012Validator(schema).is_valid(body)
        answer = judge.act("/api/v1/projects/shop/judgments", body)
        assert (answer.status_code in (200, 201)) == valid, (change, answer.text)


def test_anybody_reads_the_document_and_the_page(nobody: Client, judge: Client) -> None:
    answer = nobody.get("/api/openapi.json")
    assert answer.json() == json.loads(json.dumps(document()))
    page = judge.get("/api/docs")
    assert page.status_code == 200
    for one in operations():
        assert one.summary in page.text
        assert ROOT + one.path in page.text


@pytest.mark.parametrize("one", operations(), ids=lambda one: one.name)
def test_success_is_documented_with_its_shape(one: Any) -> None:
    assert one.replies
    assert all(200 <= status < 300 for status in one.replies)
    assert not set(one.replies) & set(one.statuses)
