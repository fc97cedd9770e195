"""The http engine: what is sent, what is read, and what is never shown."""

from __future__ import annotations

import json
import logging
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from tests.live.clients import opened
from tests.live.echo import Echo, Request, echo
from tests.raising import raises

from rankproof.errors import UnknownName, UsageError
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines.contract import AskFailed
from rankproof.stack.models.find import open_model
from rankproof.stack.pipeline import read_pipeline
from rankproof.stack.records import Ground

NASTY = 'red "shoes" & 50% off?\n{depth} ${HOME} \\ ü #1/2+3'
SHOP = json.dumps({"found": {"items": [{"sku": "b", "w": 2.5}, {"sku": 7, "w": 2.5}, {"sku": "a", "w": 1}]}}).encode()
READ = {"hits": "found.items", "id": "sku", "score": "w"}


def ask(server: Echo, query: Query, depth: int = 10, path: str = "/", **said: Any) -> Ranking:
    values = {"url": f"{server.url}{path}", **READ, **said}
    step = read_pipeline(f"http({', '.join(f'{name}={value!r}' for name, value in values.items())})")
    assert read_pipeline(step.text).key == step.key
    asker = opened(step)
    try:
        return asker.ask(query, depth, 5.0)
    finally:
        asker.close()


def test_ids_and_scores_are_read_where_the_expressions_say() -> None:
    with echo(SHOP) as server:
        ranking = ask(server, Query("q1", "shoes"))
        assert ask(server, Query("q1", "shoes"), depth=2).doc_ids == ("b", "7")
        assert ask(server, Query("q1", "shoes"), score="none_such").scores.tolist() == [3, 2, 1]
    assert ranking.doc_ids == ("b", "7", "a")
    assert ranking.scores.tolist() == [2.5, 2.5, 1]


def test_a_query_arrives_as_it_is_in_the_url_and_in_its_parameters() -> None:
    with echo(SHOP) as server:
        ask(
            server,
            Query("q1", NASTY),
            path="/in/{query}/x?fixed=1",
            params={"q": "{query}", "n": "{depth}", "w{depth}": "a b"},
        )
    split = urlsplit(server.requests[0].path)
    assert server.requests[0].method == "GET"
    assert dict(parse_qsl(split.query)) == {"fixed": "1", "q": NASTY, "n": "10", "w10": "a b"}
    assert split.path.count("/") == 3  # the slash of the query is no part of the path


def test_a_query_arrives_as_it_is_in_json_and_a_lone_placeholder_keeps_its_type() -> None:
    body = {
        "query": {"match": "{query}"},
        "size": "{depth}",
        "note": "top {depth} in {{de}}",
        "list": ["{kind}", 1, None],
    }
    with echo(SHOP) as server:
        ask(server, Query("q1", NASTY, {"kind": "brand"}), body=body, headers={"X-Kind": "{kind}"})
    (request,) = server.requests
    assert request.method == "POST"
    assert json.loads(request.body) == {
        "query": {"match": NASTY}, "size": 10, "note": "top 10 in {de}", "list": ["brand", 1, None],
    }  # fmt: skip
    assert request.headers["content-type"] == "application/json"
    assert request.headers["x-kind"] == "brand"


def test_a_body_may_be_written_as_json_text() -> None:
    with echo(SHOP) as server:
        ask(server, Query("q1", "shoes"), body='{"q": "{query}", "n": "{depth}"}')
    assert json.loads(server.requests[0].body) == {"q": "shoes", "n": 10}


def test_a_column_that_a_query_does_not_have() -> None:
    with (
        echo(SHOP) as server,
        raises(AskFailed, "{locale}", "depth", "kind", "query", "query_id") as failed,
    ):
        ask(server, Query("q1", "shoes", {"kind": "brand"}), params={"q": "{query}", "l": "{locale}"})
    assert (failed.value.kind, failed.value.again, server.requests) == ("missing column", False, [])


class TestSecrets:
    KEY = "s3cr3t/key+1"

    @pytest.fixture(autouse=True)
    def environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SHOP_KEY", self.KEY)
        monkeypatch.setenv("SHOP_USER", "agnes")

    def test_they_are_sent(self) -> None:
        with echo(SHOP) as server:
            ask(
                server,
                Query("q1", "${SHOP_KEY}"),
                params={"key": "${SHOP_KEY}", "q": "{query}"},
                headers={"Authorization": "Bearer ${SHOP_KEY}"},
                body={"key": "${SHOP_KEY}", "deep": ["k=${SHOP_KEY}"]},
            )
            ask(server, Query("q1", "x"), auth="${SHOP_USER}:${SHOP_KEY}")
        first, second = server.requests
        assert dict(parse_qsl(urlsplit(first.path).query)) == {
            "key": self.KEY,
            "q": "${SHOP_KEY}",
        }  # a query is no template
        assert first.headers["authorization"] == f"Bearer {self.KEY}"
        assert json.loads(first.body) == {"key": self.KEY, "deep": [f"k={self.KEY}"]}
        assert second.headers["authorization"] == "Basic YWduZXM6czNjcjN0L2tleSsx"

    def test_they_are_never_shown(self, caplog: pytest.LogCaptureFixture) -> None:
        """Not in the step, the identity, logs, nor in errors, even where the server says them back."""
        caplog.set_level(logging.DEBUG)

        def parrot(request: Request) -> tuple[int, bytes]:
            said = f"{request.path} {request.headers.get('authorization')} {self.KEY}"
            return 403, json.dumps({"error": {"message": said}}).encode()

        with echo(parrot) as server:
            text = (
                f"http(url='{server.url}/${{SHOP_KEY}}', hits='hits', params={{'key': '${{SHOP_KEY}}'}}, "
                "auth='${SHOP_USER}:${SHOP_KEY}')"
            )
            step = read_pipeline(text)
            asker = opened(step)
            with pytest.raises(AskFailed) as failed:
                asker.ask(Query("q1", "x"), 10, 5.0)
            asker.close()
        shown = "\n".join(
            [step.text, repr(step), str(asker.identity), repr(vars(asker)), str(failed.value), caplog.text]
        )
        assert failed.value.__cause__ is None
        assert "answered 403" in shown
        assert "${SHOP_KEY}" in str(failed.value)
        for form in (self.KEY, "s3cr3t", "YWduZXM6czNjcjN0L2tleSsx"):
            assert form not in shown

    @pytest.mark.parametrize("filler", range(100, 161, 6))
    def test_no_part_of_one_is_shown_where_a_message_is_cut(self, filler: int) -> None:
        told = json.dumps({"error": {"message": f"{'x' * filler}{self.KEY}"}}).encode()
        with echo(lambda request: (400, told)) as server, pytest.raises(AskFailed) as failed:
            ask(server, Query("q1", "x"), params={"key": "${SHOP_KEY}"})
        assert "s3c" not in str(failed.value)

    @pytest.mark.parametrize(
        "answer",
        [
            '"{key}"',
            '{{"error": "wrong key {key}"}}',
            '{{"found": {{"items": [{{"sku": "{key}"}}, {{"sku": "{key}"}}]}}}}',
            '{{"found": {{"items": [{{"sku": ["{key}"]}}]}}}}',
            '{{"found": {{"items": [{{"sku": "a", "w": "{key}"}}]}}}}',
            '{{"found": {{"items": "{key}"}}}}',
            '{{"{key}": 1}}',
            "<p>{key}",
            "is {key}",
        ],
    )
    def test_they_are_not_shown_where_an_answer_of_200_says_them_back(self, answer: str) -> None:
        with echo(answer.format(key=self.KEY).encode()) as server, pytest.raises(AskFailed) as failed:
            ask(server, Query("q1", "x"), params={"key": "${SHOP_KEY}"})
        assert failed.value.__cause__ is None
        assert self.KEY not in str(failed.value)

    def test_another_server_behind_the_same_name_is_another_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Answers that were kept of the one are no answers of the other. Who asks changes nothing."""

        def identity(address: str, **said: Any) -> dict[str, str]:
            monkeypatch.setenv("SHOP", address)
            asker = opened(read_pipeline(f"http(hits='hits', {', '.join(f'{k}={v!r}' for k, v in said.items())})"))
            asker.close()
            return dict(asker.identity)

        live = identity("https://live.example", url="${SHOP}/search", auth="${SHOP_USER}:${SHOP_KEY}")
        new = identity("https://new.example", url="${SHOP}/search", auth="${SHOP_USER}:${SHOP_KEY}")
        assert live != new
        assert "example" not in str(live)
        monkeypatch.setenv("SHOP_USER", "brigitte")
        assert identity("https://live.example", url="${SHOP}/search", auth="${SHOP_USER}:${SHOP_KEY}") == live
        with_user = identity("https://live.example", url="https://${SHOP_USER}@live.example/")
        assert with_user == {"url": "https://${SHOP_USER}@live.example/"}
        assert identity("a", url="https://x.example/", body={"index": "${SHOP}"}) != identity(
            "b", url="https://x.example/", body={"index": "${SHOP}"}
        )

    def test_one_that_is_not_set_is_said_before_anything_is_asked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("SHOP_KEY")
        with echo(SHOP) as server, raises(UsageError, "http", "SHOP_KEY"):
            ask(server, Query("q1", "x"), headers={"key": "${SHOP_KEY}"})
        assert server.requests == []


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ("url='localhost:9200', hits='h'", ("'localhost:9200'", "http://", "https://")),
        ("url='http://u:p@x/', hits='h'", ("password", "auth='${SEARCH_USER}:${SEARCH_PASSWORD}'")),
        ("url='http://{query}.example/', hits='h'", ("'http://{query}.example/'", "placeholder")),
        ("url='http://x/', hits='h['", ("hits", "'h['", "JMESPath")),
        ("url='http://x/'", ("http", "hits", "JMESPath")),
        ("url='http://x/', hits='h', body='{\"n\": {depth}}'", ("body", "JSON", '{"size": "{depth}"}')),
        ("url='http://x/', hits='h', params={'a': [1]}", ("params", "[1]", "'a'")),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_asked(said: str, values: tuple[str, ...]) -> None:
    with raises(UsageError, *values):
        opened(read_pipeline(f"http({said})"))


GRAPHQL = "{{ Get {{ Shop(bm25: {{query: {query:graphql}}}, limit: {depth}) {{ sku }} }} }}"


def test_a_text_of_graphql_cannot_be_left_by_the_words_of_a_query() -> None:
    """The value between `query: ` and `}, limit` is one JSON string, whose content is the query, sign by sign."""
    words = [
        '"',
        "\\",
        '\\"',
        '"""',
        "}) { drop }",
        "a\nb\u2028",
        "{depth} {query:graphql} ${HOME}",
        "",
        "\0\x1b",
        NASTY,
        "🥾",
    ]
    for text in words:
        with echo(SHOP) as server:
            ask(server, Query("q1", text), body={"query": GRAPHQL})
        document = json.loads(server.requests[0].body)["query"]
        start, end = "{ Get { Shop(bm25: {query: ", "}, limit: 10) { sku } } }"
        assert document.startswith(start)
        assert document.endswith(end)
        literal = document[len(start) : -len(end)]
        assert json.loads(literal) == text
        assert "\n" not in literal


def test_graphql_takes_what_is_no_text_as_it_is() -> None:
    body = {"query": "query { f(n: {depth:graphql}, v: {vector:graphql}, w: {vector}, l: {l:graphql}) }"}
    with echo(SHOP) as server:
        ask(server, Query("q1", "x", {"v": "[0.5, 1]", "l": 'u"s'}), body=body, vector="v")
    sent = json.loads(server.requests[0].body)["query"]
    assert sent == 'query { f(n: 10, v: [0.5, 1.0], w: [0.5, 1.0], l: "u\\"s") }'


@pytest.mark.parametrize(
    ("query", "values"),
    [
        ('{ Get(query: "{query}") { id } }', ("{query}", "{query:graphql}", '"variables"')),
        ("query Q { Get(query: {locale}) { id } }", ("{locale}", "{locale:graphql}")),
        ('{ Get(query: "{query:graphql}") { id } }', ("{query:graphql}", "quotes")),
        ('{ Get(query: "all of {query:graphql} ") { id } }', ("{query:graphql}", "quotes")),
        ('{ Get(query: {query:graphql}"") { id } }', ("{query:graphql}", "quotes")),
        ("{ Get(query: {query:graphql}{locale:graphql}) { id } }", ("{query:graphql}", "quotes")),
    ],
)
def test_what_a_query_could_leave_is_refused(query: str, values: tuple[str, ...]) -> None:
    for body in ({"query": query}, {"deep": [{"query": query}]}):
        with raises(UsageError, "http", *values):
            opened(read_pipeline(f"http(url='http://x/', hits='h', body={body!r})"))
    with raises(UsageError, "http", *values):
        opened(read_pipeline(f"http(url='http://x/', hits='h', params={{'query': {query!r}}})"))


def test_a_form_of_a_placeholder_that_there_is_not() -> None:
    with raises(UnknownName, "http", "'grapql'", "'graphql'"):
        opened(read_pipeline("http(url='http://x/', hits='h', body={'q': '{query:grapql}'})"))


@pytest.mark.parametrize(
    "body",
    [
        {"query": "{!edismax qf=title}{query}"},  # Solr's local parameters
        {"query": "query($q: String) { f(q: $q) { id } }", "variables": {"q": "{query}"}},
        {"query": "{query}"},
        {"q": "title:{query} {{de}}"},
    ],
)
def test_what_is_no_graphql_needs_no_quotes(body: dict[str, Any]) -> None:
    with echo(SHOP) as server:
        ask(server, Query("q1", 'x"y'), body=body)
    assert 'x"y' in str(json.loads(server.requests[0].body))


class TestVectors:
    def test_from_a_column(self) -> None:
        body = {"near": "{vector}", "text": "v={vector}", "k": "{depth}"}
        with echo(SHOP) as server:
            ask(
                server,
                Query("q1", "x", {"place": "[0.5, -1]"}),
                body=body,
                params={"v": "{vector}"},
                headers={"X-V": "{vector}"},
                vector="place",
            )
        (asked,) = server.requests
        assert json.loads(asked.body) == {"near": [0.5, -1.0], "text": "v=[0.5, -1.0]", "k": 10}
        assert dict(parse_qsl(urlsplit(asked.path).query)) == {"v": "[0.5, -1.0]"}
        assert asked.headers["x-v"] == "[0.5, -1.0]"

    def test_from_a_model(self) -> None:
        """The vector that is sent is the model's own, and the model is part of what the answers depend on."""
        pytest.importorskip("wordllama")
        text = "http(url={url!r}, hits='found.items', id='sku', body={{'v': '{{vector}}'}}, model='wordllama')"
        with echo(SHOP) as server:
            step = read_pipeline(text.format(url=server.url))
            asker = opened(step)
            asker.ask(Query("q1", "red shoes"), 10, 30.0)
            identity = dict(asker.identity)
            asker.close()
        sent = json.loads(server.requests[0].body)["v"]
        own = open_model(dict(step.values), Ground()).vectors(["red shoes"])[0].tolist()
        assert sent == own
        assert identity["url"] == server.url
        assert "model" in identity

    @pytest.mark.parametrize("vector", ["[]", "[0, 0]", "[NaN]", '["a"]', "1", "null", "[1, [2]]", "[1"])
    def test_what_is_no_vector_is_not_sent(self, vector: str) -> None:
        with echo(SHOP) as server, raises(AskFailed, "'place'") as failed:
            ask(server, Query("q1", "x", {"place": vector}), body={"v": "{vector}"}, vector="place")
        assert (failed.value.kind, failed.value.again, server.requests) == ("bad vector", False, [])

    @pytest.mark.parametrize(
        ("said", "values"),
        [
            ({"body": {"v": "{vector}"}}, ("{vector}", "model='minilm'", "vector='embedding'")),
            ({"model": "minilm"}, ("model = 'minilm'", "{vector}")),
            ({"vector": "place", "body": {"q": "{query}"}}, ("vector = 'place'", "{vector}")),
            ({"model": "minilm", "vector": "place", "body": {"v": "{vector}"}}, ("model", "column")),
            ({"body": {"v": "{vector}"}, "model": "no-such-model"}, ("no-such-model",)),
        ],
    )
    def test_one_is_not_named_without_the_other(self, said: dict[str, Any], values: tuple[str, ...]) -> None:
        with echo(SHOP) as server, raises(UsageError, *values):
            ask(server, Query("q1", "x"), **said)
        assert server.requests == []


def test_errors_in_an_answer_that_says_200_are_told() -> None:
    refused = {"data": {"Get": {"Shop": None}}, "errors": [{"message": "explorer: no such class Shop"}]}
    with echo(json.dumps(refused).encode()) as server, raises(AskFailed, "no such class Shop") as failed:
        ask(server, Query("q1", "x"), hits="data.Get.Shop")
    assert (failed.value.kind, failed.value.again) == ("unreadable answer", False)
    half = {"data": {"hits": [{"sku": "a"}]}, "errors": [{"message": "shard 2 is away"}]}
    with echo(json.dumps(half).encode()) as server, raises(AskFailed, "shard 2 is away") as failed:
        ask(server, Query("q1", "x"), hits="data.hits")
    assert (failed.value.kind, failed.value.again) == ("partial answer", True)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (b'{"found": {"items": [{"sku": "a", "w": NaN}]}}', "unreadable answer"),
        (b'{"found": {"items": [{"sku": "a", "w": 1e999}]}}', "unreadable answer"),
        (b'{"found": {"items": [{"sku": "a", "w": "2"}]}}', "unreadable answer"),
        (b'{"found": {"items": [{"sku": "a"}, {"sku": "a"}]}}', "repeated ids"),
        (b'{"found": {"items": [{"sku": 1}, {"sku": "1"}]}}', "repeated ids"),
        (b'{"found": {"items": [{"sku": ""}]}}', "missing ids"),
        (b'{"found": {"items": [{"sku": 1.5}]}}', "missing ids"),
        (b'{"found": {"items": [null]}}', "missing ids"),
        (b'{"found": {"items": {"a": 1}}}', "unreadable answer"),
        (b'[{"sku": "a"}]', "unreadable answer"),
        (b'"s"', "unreadable answer"),
        (b"", "unreadable answer"),
        (b'{"found": {"items": [', "cut off"),
    ],
)
def test_what_is_no_ranking_is_none(answer: bytes, kind: str) -> None:
    with echo(answer) as server, raises(AskFailed) as failed:
        ask(server, Query("q1", "x"))
    assert failed.value.kind == kind


def test_an_expression_that_does_not_fit_the_answer() -> None:
    with echo(SHOP) as server, raises(AskFailed, "'keys(sku)[0]'"):
        ask(server, Query("q1", "x"), id="keys(sku)[0]")


def test_what_is_there_instead_of_hits_is_said() -> None:
    with echo(b'{"results": [], "took": 3}') as server, pytest.raises(AskFailed) as failed:
        ask(server, Query("q1", "x"), hits="hits.hits")
    assert (
        str(failed.value) == "hits = 'hits.hits' gives no list but nothing; the answer is an object with results, took."
    )
