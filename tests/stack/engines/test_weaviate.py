"""Weaviate: what is asked, that no query leaves its text, and which answers are believed. Answers are recorded ones.

The answers to "food" are those that the documentation of Weaviate prints for its data set JeopardyQuestion, asked as
here; errors are those that its issues show. The server here only plays its part.
"""

from __future__ import annotations

import json
import re
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

FOOD = {
    "data": {
        "Get": {
            "JeopardyQuestion": [
                {"_additional": {"id": "u1", "score": "4.0038033"}, "answer": "cake"},
                {"_additional": {"id": "u2", "score": "3.8706005"}, "answer": "a closer grocer"},
                {"_additional": {"id": "u3", "score": "3.2457707"}, "answer": "food stores (supermarkets)"},
            ]
        }
    }
}
SCHEMA = {
    "classes": [
        {"class": "JeopardyQuestion", "properties": [{"name": "question"}, {"name": "answer"}, {"name": "round"}]},
        {"class": "JeopardyCategory", "properties": [{"name": "title"}]},
    ]
}
COUNT = {"data": {"Aggregate": {"JeopardyQuestion": [{"meta": {"count": 1000}}]}}}


def weaviate(search: object = FOOD, *, status: int = 200, looks: bool = True) -> Any:
    """Answers as Weaviate does."""

    def reply(asked: Request) -> tuple[int, bytes]:
        if asked.path == "/v1/graphql":
            document = json.loads(asked.body)["query"]
            return (
                (200, json.dumps(COUNT).encode()) if "Aggregate" in document else (status, json.dumps(search).encode())
            )
        told = {"/v1/schema": SCHEMA, "/v1/meta": {"version": "1.24.10"}}[asked.path]
        return (200, json.dumps(told).encode()) if looks else (403, b'{"error": [{"message": "forbidden"}]}')

    return echo(reply)


def engine(server: Echo, **said: Any) -> Any:
    values = {"collection": "JeopardyQuestion", "url": server.url, **said}
    return opened(read_pipeline(f"weaviate({', '.join(f'{key}={value!r}' for key, value in values.items())})"))


def ask(
    server: Echo, text: str = "food", depth: int = 3, columns: dict[str, str] | None = None, **said: Any
) -> Ranking:
    asker = engine(server, **said)
    try:
        ranking: Ranking = asker.ask(Query("q1", text, columns or {}), depth, 5.0)
        return ranking
    finally:
        asker.close()


TOKEN = re.compile(
    r"""[\s,]+|(?P<text>"(?:[^"\\\n\r\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*")"""
    r"""|(?P<sign>[{}()\[\]:])|(?P<name>[_A-Za-z]\w*)|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"""
)


def tokens(document: str) -> list[object]:
    """The tokens of a document of GraphQL, texts as ("text", value); whatever is none fails the test."""
    found: list[object] = []
    at = 0
    while at < len(document):
        token = TOKEN.match(document, at)
        assert token is not None, f"no GraphQL: {document[at : at + 30]!r}"
        at = token.end()
        if token["text"] is not None:
            found.append(("text", json.loads(token["text"])))
        elif token[0].strip(" ,"):
            found.append(token[0])
    return found


def sent(server: Echo) -> list[object]:
    body = json.loads(server.requests[0].body)
    assert list(body) == ["query"]
    return tokens(body["query"])


def test_words() -> None:
    with weaviate() as server:
        ranking = ask(server, fields="question^2 answer", id="answer")
    assert server.requests[0].method == "POST"
    expected = (
        '{ Get { JeopardyQuestion(limit: 3, bm25: { query: "food", properties: ["question^2", "answer"] })'
        " { answer _additional { id score } } } }"
    )
    assert sent(server) == tokens(expected)
    assert ranking.doc_ids == ("cake", "a closer grocer", "food stores (supermarkets)")
    assert ranking.scores.tolist() == [4.0038033, 3.8706005, 3.2457707]


def test_without_a_property_the_uuid_is_the_id() -> None:
    with weaviate() as server:
        assert ask(server).doc_ids == ("u1", "u2", "u3")
    assert sent(server) == tokens(
        '{ Get { JeopardyQuestion(limit: 3, bm25: { query: "food" }) { _additional { id score } } } }'
    )


def test_vectors() -> None:
    """The nearer the better: the score is the distance with its sign turned; ties by id, last first."""
    near = [("u1", 0.15422344), ("u2", 0.25), ("u3", 0.25)]
    hits = [{"_additional": {"id": doc, "distance": distance}} for doc, distance in near]
    with weaviate({"data": {"Get": {"JeopardyQuestion": hits}}}) as server:
        ranking = ask(server, mode="vector", target="title", tenant='t"x', columns={"vector": "[0.5, -1e-7]"})
    expected = (
        '{ Get { JeopardyQuestion(limit: 3, tenant: "t\\"x", nearVector: { vector: [0.5, -1e-07], targetVectors: '
        '["title"] }) { _additional { id distance } } } }'
    )
    assert sent(server) == tokens(expected)
    assert (ranking.doc_ids, ranking.scores.tolist()) == (("u1", "u3", "u2"), [-0.15422344, -0.25, -0.25])


def test_both() -> None:
    with weaviate() as server:
        ask(server, mode="hybrid", alpha=0.5, fusion="rankedFusion", fields="question", columns={"vector": "[1, 2]"})
    expected = (
        '{ Get { JeopardyQuestion(limit: 3, hybrid: { query: "food", properties: ["question"], vector: [1.0, 2.0], '
        "alpha: 0.5, fusionType: rankedFusion }) { _additional { id score } } } }"
    )
    assert sent(server) == tokens(expected)


@pytest.mark.parametrize(
    "text",
    [
        'a"b', "\\", '\\"', '"""', '"}) { answer } } }', "a\nb\rc\td", "{depth} {query}", "", "\0\x07", "\u2028 ü 🥾",
        "\\u0022", "#", "a\x7f", '"' * 9,
    ],
)  # fmt: skip
@pytest.mark.parametrize("mode", ["text", "hybrid"])
def test_no_query_leaves_its_text(text: str, mode: str) -> None:
    with weaviate() as server:
        ask(server, text, mode=mode, columns={"vector": "[1]"})
        ask(server, "food", mode=mode, columns={"vector": "[1]"})
    odd, plain = (tokens(json.loads(asked.body)["query"]) for asked in server.requests)
    assert [("text", text) if token == ("text", "food") else token for token in plain] == odd


def test_bytes_that_are_no_utf_8_are_sent_as_the_sign_for_them() -> None:
    with weaviate() as server:
        ask(server, "caf\udce9")
    assert ("text", "caf\ufffd") in sent(server)


@pytest.mark.parametrize(
    ("answer", "kind", "again", "told"),
    [
        (
            {
                "data": {"Get": {"JeopardyQuestion": None}},
                "errors": [
                    {
                        "locations": [{"column": 6, "line": 1}],
                        "message": "explorer: get class: vector search: object vector search at index wiki: shard mj: "
                        "vector search: knn search: distance between entrypoint and query node: 768 vs 384: vector "
                        "lengths don't match",
                        "path": ["Get", "JeopardyQuestion"],
                    }
                ],
            },
            "refused", False, "explorer: get class",
        ),
        ({"errors": [{"message": "context deadline exceeded"}], "data": None}, "server error", True, "deadline"),
        ({**FOOD, "errors": [{"message": "shard 2: connection refused"}]}, "server error", True, "shard 2"),
        ({**FOOD, "errors": [{"no": "message"}]}, "refused", False, "Weaviate"),
        ({**FOOD, "errors": "odd"}, "refused", False, "odd"),
        ({"data": None}, "unreadable answer", False, "JeopardyQuestion"),
        ({"data": {"Get": {"JeopardyQuestion": None}}}, "unreadable answer", False, "JeopardyQuestion"),
        ({"data": {"Get": {"JeopardyQuestion": ["x"]}}}, "unreadable answer", False, "JeopardyQuestion"),
        ({"data": {"Get": {"JeopardyQuestion": [{}]}}}, "missing ids", False, 1),
        ({"hits": []}, "unreadable answer", False, "Weaviate"),
        ([], "unreadable answer", False, "Weaviate"),
    ],
)  # fmt: skip
def test_what_is_no_whole_answer_is_none(answer: object, kind: str, again: bool, told: object) -> None:
    with weaviate(answer) as server, raises(AskFailed, told) as failed:
        ask(server)
    assert (failed.value.kind, failed.value.again) == (kind, again)


@pytest.mark.parametrize(
    ("scores", "kind"),
    [
        (["NaN"], "unreadable answer"), (["-Inf"], "unreadable answer"), (["much"], "unreadable answer"),
        (["1", "2"], "scores out of order"), ([True], "unreadable answer"), (["1", None], "unreadable answer"),
    ],
)  # fmt: skip
def test_scores_that_are_none(scores: list[object], kind: str) -> None:
    hits = [{"_additional": {"id": f"u{i}", "score": score}} for i, score in enumerate(scores)]
    with weaviate({"data": {"Get": {"JeopardyQuestion": hits}}}) as server, raises(AskFailed) as failed:
        ask(server)
    assert failed.value.kind == kind
    distances = [{"_additional": {"id": "u1", "distance": "0.5"}}]
    with weaviate({"data": {"Get": {"JeopardyQuestion": distances}}}) as server, raises(AskFailed):
        ask(server, mode="vector", columns={"vector": "[1]"})


def test_one_document_in_two_objects_is_told() -> None:
    hits = [{"_additional": {"id": f"u{i}", "score": "1"}, "answer": "cake"} for i in (1, 2)]
    with weaviate({"data": {"Get": {"JeopardyQuestion": hits}}}) as server, raises(AskFailed, "'cake'") as failed:
        ask(server, id="answer")
    assert failed.value.kind == "repeated ids"


NO_SUCH = {"data": None, "errors": [{"message": 'Cannot query field "x" on type "GetObjectsObj".', "path": None}]}
EMPTY = {"data": {"Get": {"JeopardyQuestion": []}}}


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ({"fields": "question^2 anwser"}, ("'JeopardyQuestion'", "'anwser'", "'answer'", "round")),
        ({"id": "sku"}, ("'JeopardyQuestion'", "'sku'", "question", "answer")),
        ({"collection": "JeopardyQuestions"}, ("'JeopardyQuestions'", "'JeopardyQuestion'", "JeopardyCategory")),
    ],
)
def test_a_name_that_is_not_there(said: dict[str, Any], values: tuple[str, ...]) -> None:
    with weaviate(NO_SUCH) as server:
        with raises(AskFailed, *values) as failed:
            ask(server, **said)
        asker = engine(server, **said)
        with raises(UsageError, "weaviate", *values):
            _ = asker.identity
        asker.close()
    assert (failed.value.kind, failed.value.again) == ("no such field", False)


def test_a_wrong_property_that_finds_nothing_is_told() -> None:
    with weaviate(EMPTY) as server:
        assert ask(server, fields="answer").doc_ids == ()
        with raises(AskFailed, "'anwser'", "'answer'"):
            ask(server, fields="anwser")


def test_what_it_is() -> None:
    with weaviate() as server:
        asker = engine(server)
        told = dict(asker.identity)
        asker.close()
        tenant = engine(server, tenant="a")
        assert tenant.identity["documents"] == "1000"
        tenant.close()
    assert (told["weaviate"], told["documents"], len(told["schema"])) == ("1.24.10", "1000", 32)
    counts = [json.loads(r.body)["query"] for r in server.requests if r.path == "/v1/graphql"]
    assert counts == [
        "{ Aggregate { JeopardyQuestion { meta { count } } } }",
        '{ Aggregate { JeopardyQuestion(tenant: "a") { meta { count } } } }',
    ]


def test_whoever_may_not_look_is_not_told() -> None:
    with weaviate(looks=False) as server:
        asker = engine(server, fields="anwser")
        assert (asker.identity["weaviate"], asker.identity["schema"]) == ("not told", "not told")
        asker.close()


def test_a_key_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEAVIATE_KEY", "s3cr3t-key")
    headers = {"Authorization": "Bearer ${WEAVIATE_KEY}"}
    parrot = {"error": [{"message": "anonymous access not enabled: Bearer s3cr3t-key"}]}
    with weaviate(parrot, status=401) as server, raises(AskFailed, "401", "${WEAVIATE_KEY}") as failed:
        ask(server, headers=headers)
    assert server.requests[0].headers["authorization"] == "Bearer s3cr3t-key"
    assert "s3cr3t" not in str(failed.value)
    twice = [{"_additional": {"id": "s3cr3t-key", "score": "1"}}] * 2
    with weaviate({"data": {"Get": {"JeopardyQuestion": twice}}}) as server, raises(AskFailed) as failed:
        ask(server, headers=headers)
    assert "s3cr3t" not in str(failed.value)
    with raises(UsageError, "weaviate", "${SEARCH_KEY}"):
        opened(read_pipeline("weaviate(collection='X', url='http://x', headers={'Authorization': 'Bearer hunter2'})"))


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ({"collection": "Shop) { x } }"}, ("collection", "letters")),
        ({"collection": "My-Shop"}, ("collection", "'My-Shop'")),
        ({"id": "sku } x {"}, ("id", "letters")),
        ({"mode": "vector", "fields": "title"}, ("fields", "mode='vector'")),
        ({"alpha": 2}, ("alpha", 2)),
        ({"fusion": "x"}, ("fusion", "rankedFusion")),
        ({"url": "localhost:8080"}, ("'localhost:8080'", "http://")),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_asked(said: dict[str, Any], values: tuple[object, ...]) -> None:
    options = {"collection": "Shop", "url": "http://x", **said}
    with raises(UsageError, "weaviate", *values):
        opened(read_pipeline(f"weaviate({', '.join(f'{key}={value!r}' for key, value in options.items())})"))
