"""Vespa: what is asked, that no query becomes a part of YQL, and which answers are believed. Answers are recorded ones.

The answers are those that the documentation of Vespa prints (its tutorial on text search, its page on degraded
answers, and an issue for the errors), shortened. The server here only plays its part.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.live.clients import opened
from tests.live.echo import Echo, Request, echo
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines.contract import AskFailed
from rankproof.stack.pipeline import read_pipeline

COVERAGE = {"coverage": 100, "documents": 3633, "full": True, "nodes": 1, "results": 1, "resultsFull": 1}
ROOT: dict[str, Any] = {
    "id": "toplevel",
    "relevance": 1.0,
    "fields": {"totalCount": 65},
    "coverage": COVERAGE,
    "children": [
        {
            "id": "id:doc:doc::MED-10",
            "relevance": 25.521817426330887,
            "source": "content",
            "fields": {"sddocname": "doc", "documentid": "id:doc:doc::MED-10", "doc_id": "M10"},
        },
        {
            "id": "index:content/0/f13697952a0d5eaeb2c43ffc",
            "relevance": 22.590392521579684,
            "source": "content",
            "fields": {"documentid": "id:doc:doc:g=a:x::y:z", "doc_id": "M11"},
        },
    ],
}


def vespa(status: int = 200, **root: Any) -> Any:
    """Answers as Vespa does: the recorded answer with these changes."""

    def reply(asked: Request) -> tuple[int, bytes]:
        if asked.path == "/state/v1/version":
            return 200, b'{"version": "8.323.45"}'
        return status, json.dumps({"root": {**ROOT, **root}}).encode()

    return echo(reply)


def engine(server: Echo, **said: Any) -> Any:
    values = {"schema": "doc", "url": server.url, **said}
    return opened(read_pipeline(f"vespa({', '.join(f'{key}={value!r}' for key, value in values.items())})"))


def ask(
    server: Echo, text: str = "statin", depth: int = 10, columns: dict[str, str] | None = None, **said: Any
) -> Ranking:
    asker = engine(server, **said)
    try:
        ranking: Ranking = asker.ask(Query("q1", text, columns or {}), depth, 5.0)
        return ranking
    finally:
        asker.close()


def sent(server: Echo) -> dict[str, Any]:
    (asked, *_) = server.requests
    assert (asked.method, asked.path) == ("POST", "/search/")
    body: dict[str, Any] = json.loads(asked.body)
    return body


def test_words() -> None:
    with vespa() as server:
        ranking = ask(server, profile="bm25", fieldset="title", depth=300)
    reading = '{targetHits: 300, defaultIndex: "title", grammar: "weakAnd"}'
    assert sent(server) == {
        "yql": f"select documentid from sources * where ({reading}userInput(@words))",
        "words": "statin",
        "hits": 300,
        "timeout": "5s",
        "model.restrict": "doc",
        "ranking.profile": "bm25",
    }
    assert ranking.doc_ids == ("MED-10", "x::y:z")
    assert ranking.scores.tolist() == [25.521817426330887, 22.590392521579684]


def test_vectors_and_both() -> None:
    with vespa() as server:
        ask(server, mode="vector", vector_field="place", tensor="e", columns={"vector": "[0.5, 1]"}, candidates=50)
    body = sent(server)
    assert body["yql"] == "select documentid from sources * where ({targetHits: 50}nearestNeighbor(place, e))"
    assert body["input.query(e)"] == "[0.5, 1.0]"
    assert "words" not in body
    with vespa() as server:
        ask(server, mode="hybrid", columns={"vector": "[1]"}, filter="price < 20", id="doc_id", grammar="all")
    reading = '{targetHits: 100, defaultIndex: "default", grammar: "all"}'
    assert sent(server)["yql"] == (
        f"select doc_id from sources * where (({reading}userInput(@words)) or ({{targetHits: 100}}"
        "nearestNeighbor(embedding, q))) and (price < 20)"
    )


@pytest.mark.parametrize("text", ['"', "\\", '") or true', "@words", "{depth}", "a\nb", "", "ü 🥾", "${HOME}"])
def test_no_query_is_a_part_of_yql(text: str) -> None:
    with vespa() as server:
        ask(server, text, params={"locale": "{locale}"}, columns={"locale": 'de") or true'})
        ask(server, "plain")
    odd, plain = (json.loads(asked.body) for asked in server.requests)
    assert odd["yql"] == plain["yql"]
    assert (odd["words"], odd["locale"]) == (text, 'de") or true')


def test_bytes_that_are_no_utf_8_are_sent_as_the_sign_for_them() -> None:
    with vespa() as server:
        ask(server, "caf\udce9")
    assert sent(server)["words"] == "caf\ufffd"


def test_ids_from_a_field() -> None:
    with vespa() as server:
        assert ask(server, id="doc_id").doc_ids == ("M10", "M11")
        with raises(AskFailed, 1) as failed:
            ask(server, id="sku")
    assert failed.value.kind == "missing ids"
    numbered = {"id": "index:content/0/f1", "relevance": 1.0, "fields": {}}
    with vespa(children=[numbered]) as server, raises(AskFailed, 1) as failed:
        ask(server)
    assert failed.value.kind == "missing ids"


def test_nothing_found_is_an_answer() -> None:
    root = {name: value for name, value in ROOT.items() if name != "children"}
    with echo(json.dumps({"root": {**root, "fields": {"totalCount": 0}}}).encode()) as server:
        assert ask(server).doc_ids == ()


DEGRADED = {"adaptive-timeout": False, "match-phase": False, "non-ideal-state": False, "timeout": False}


@pytest.mark.parametrize(
    ("coverage", "told"),
    [
        ({"coverage": 99, "full": False, "degraded": {**DEGRADED, "timeout": True}}, ("99", "timeout")),
        ({"coverage": 50, "full": False, "degraded": {**DEGRADED, "non-ideal-state": True}}, ("50", "non-ideal-state")),
        ({"coverage": 50, "full": False, "degraded": {**DEGRADED, "match-phase": True, "timeout": True}}, ("50",)),
        ({"coverage": 0, "full": False}, ("0",)),
    ],
)
def test_an_answer_of_a_part_is_none(coverage: dict[str, Any], told: tuple[str, ...]) -> None:
    with vespa(coverage={**COVERAGE, **coverage}) as server, raises(AskFailed, *told) as failed:
        ask(server)
    assert (failed.value.kind, failed.value.again) == ("partial answer", True)


def test_what_the_profile_leaves_out_is_its_own_choice() -> None:
    left_out = {**COVERAGE, "coverage": 40, "full": False, "degraded": {**DEGRADED, "match-phase": True}}
    with vespa(coverage=left_out) as server:
        assert ask(server).doc_ids == ("MED-10", "x::y:z")


ALBUMS = {
    "code": 4,
    "summary": "Invalid query parameter",
    "message": "Could not create query from YQL: Field 'albums' does not exist.",
    "stackTrace": "java.lang.IllegalArgumentException: Field 'albums' does not exist.",
}


@pytest.mark.parametrize(
    ("status", "errors", "kind", "again", "told"),
    [
        (400, [ALBUMS], "refused", False, "Field 'albums' does not exist."),
        (200, [ALBUMS], "refused", False, "Field 'albums' does not exist."),
        (200, [{"code": 12, "summary": "Timed out", "message": "No time left"}], "server error", True, "No time left"),
        (504, [{"code": 12, "summary": "Timed out"}], "server error", True, "Timed out"),
        (200, [{"code": 8}], "refused", False, "Vespa"),
        (200, "odd", "refused", False, "odd"),
    ],
)
def test_what_vespa_says_against_it_is_told(status: int, errors: object, kind: str, again: bool, told: str) -> None:
    with vespa(status, errors=errors) as server, raises(AskFailed, told) as failed:
        ask(server)
    assert (failed.value.kind, failed.value.again) == (kind, again)


@pytest.mark.parametrize(
    ("hits", "kind"),
    [
        ([ROOT["children"][0]] * 2, "repeated ids"),
        ([{**ROOT["children"][0], "relevance": "NaN"}], "unreadable answer"),
        ([{**ROOT["children"][0], "relevance": "-Infinity"}], "unreadable answer"),
        ([{**ROOT["children"][0], "relevance": float("nan")}], "unreadable answer"),
        (ROOT["children"][::-1], "scores out of order"),
        ([{"id": "group:root:0", "relevance": 1.0}], "missing ids"),
        (["x"], "unreadable answer"),
        ({"x": 1}, "unreadable answer"),
    ],
)
def test_what_is_no_ranking_is_none(hits: object, kind: str) -> None:
    with vespa(children=hits) as server, raises(AskFailed) as failed:
        ask(server)
    assert failed.value.kind == kind


@pytest.mark.parametrize("answer", [b"{}", b"[]", b'{"root": null}', b'{"root": {"id": "x"}}', b'"x"'])
def test_another_server_is_told(answer: bytes) -> None:
    with echo(answer) as server, raises(AskFailed, "Vespa") as failed:
        ask(server)
    assert failed.value.kind == "unreadable answer"


def test_what_it_is() -> None:
    with vespa() as server:
        asker = engine(server, params={"queryProfile": "shop", "locale": "{locale}"})
        assert dict(asker.identity) == {"vespa": "8.323.45", "documents": "65"}
        asker.close()
    body = sent(server)
    assert (body["yql"], body["hits"]) == ("select documentid from sources * where true", 0)
    assert (body["queryProfile"], "locale" in body) == ("shop", False)


def test_a_secret_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VESPA_TOKEN", "s3cr3t-token")
    headers = {"Authorization": "Bearer ${VESPA_TOKEN}"}
    for status in (200, 403):
        errors = [{"code": 1, "message": "not for Bearer s3cr3t-token"}]
        with vespa(status, errors=errors) as server, raises(AskFailed, "${VESPA_TOKEN}") as failed:
            ask(server, headers=headers)
        assert server.requests[0].headers["authorization"] == "Bearer s3cr3t-token"
        assert "s3cr3t" not in str(failed.value)


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ({"schema": "doc where true"}, ("schema", "letters")),
        ({"fieldset": 'x"}'}, ("fieldset", "letters")),
        ({"vector_field": "a, b"}, ("vector_field", "'a, b'")),
        ({"tensor": "q)"}, ("tensor", "'q)'")),
        ({"id": "sku from x"}, ("id", "letters")),
        ({"params": {"yql": "select * from sources * where true"}}, ("params", "'yql'")),
        ({"params": {"hits": 5}}, ("params", "'hits'")),
        ({"grammar": "any]"}, ("grammar", "weakAnd")),
        ({"headers": {"Authorization": "Bearer hunter2"}}, ("Authorization", "${SEARCH_KEY}")),
        ({"url": "localhost:8080"}, ("'localhost:8080'", "http://")),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_asked(said: dict[str, Any], values: tuple[str, ...]) -> None:
    options = {"schema": "doc", "url": "http://x", **said}
    with raises(UsageError, "vespa", *values):
        opened(read_pipeline(f"vespa({', '.join(f'{key}={value!r}' for key, value in options.items())})"))
