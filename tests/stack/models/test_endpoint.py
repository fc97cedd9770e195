"""An embeddings endpoint on this machine: batches, order, retries, and what is not an answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from tests.raising import raises

from rankproof.errors import InputError, UsageError
from rankproof.stack.models.endpoint import BATCH, EndpointEncoder

pytest.importorskip("httpx")

KEY = "secret-123456"


class Server(ThreadingHTTPServer):
    """`answer` makes status, headers and body of each request; `seen` has what came."""

    answer: Callable[[dict[str, Any]], tuple[int, dict[str, str], Any]]

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: list[tuple[str, str | None, dict[str, Any]]] = []
        self.answer = right

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.seen.append((self.path, self.headers.get("authorization"), body))
        status, headers, given = self.server.answer(body)
        data = given if isinstance(given, bytes) else json.dumps(given).encode()
        self.send_response(status)
        for name, value in {"content-length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: Any) -> None:
        """Says nothing."""


def right(body: dict[str, Any]) -> tuple[int, dict[str, str], Any]:
    """A vector for a text is its length and 1, sent last first."""
    rows = [{"index": i, "embedding": [len(text), 1]} for i, text in enumerate(body["input"])]
    return 200, {}, {"data": rows[::-1], "model": body["model"]}


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def encoder(server: Server, waits: list[float] | None = None, key_env: str | None = None) -> EndpointEncoder:
    return EndpointEncoder(server.url, "small", key_env, wait=(waits if waits is not None else []).append)


def test_vectors_come_in_the_order_of_the_texts_in_batches(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    texts = ["a" * (i % 9 + 1) for i in range(BATCH + 3)]
    vectors = encoder(server, key_env="MY_KEY").vectors(texts)
    assert vectors.tolist() == [[len(text), 1] for text in texts]
    assert [len(body["input"]) for _, _, body in server.seen] == [BATCH, 3]
    path, key, body = server.seen[0]
    assert (path, key, body["model"]) == ("/v1/embeddings", f"Bearer {KEY}", "small")


def test_no_key_is_sent_where_none_is_named(server: Server) -> None:
    EndpointEncoder(server.url + "/embeddings", "small").vectors(["a"])
    assert server.seen[0][:2] == ("/v1/embeddings", None)


def test_an_empty_text_is_sent_as_a_blank(server: Server) -> None:
    encoder(server).vectors([""])
    assert server.seen[0][2]["input"] == [" "]


def test_bytes_that_are_no_text_are_sent_as_marks(server: Server) -> None:
    encoder(server).vectors(["caf\udce9"])
    assert server.seen[0][2]["input"] == ["caf?"]


def test_an_answer_that_cannot_be_unpacked_is_asked_again(server: Server) -> None:
    answers = iter([(200, {"content-encoding": "gzip"}, b"this is not gzip")])
    server.answer = lambda body: next(answers, None) or right(body)
    assert encoder(server).vectors(["abc"]).tolist() == [[3, 1]]


def test_busy_servers_are_asked_again_after_a_while(server: Server) -> None:
    answers = iter([(429, {"retry-after": "3"}, b"later"), (503, {}, b"down")])
    server.answer = lambda body: next(answers, None) or right(body)
    waits: list[float] = []
    assert encoder(server, waits).vectors(["abc"]).tolist() == [[3, 1]]
    assert waits == [3.0, 1.0]  # what the server asked for; then the second pause of 0.5, 1, 2


def test_patience_ends_with_the_reason(server: Server) -> None:
    server.answer = lambda body: (503, {}, b"down for repair")
    waits: list[float] = []
    with raises(InputError, server.url, 4, 503, "down for repair"):
        encoder(server, waits).vectors(["a"])
    assert waits == [0.5, 1.0, 2.0]


def test_a_refusal_is_not_repeated_and_hides_the_key(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    server.answer = lambda body: (401, {}, f"the key {KEY} is wrong".encode())
    made = encoder(server, key_env="MY_KEY")
    with raises(InputError, server.url, 1, 401, "the key *** is wrong") as caught:
        made.vectors(["a"])
    assert len(server.seen) == 1
    assert KEY not in str(caught.value) + made.identity


@pytest.mark.parametrize(
    "given",
    [
        b"<html>",
        {"error": "no"},
        {"data": []},
        {"data": [{"index": 0, "embedding": [1, 2]}]},
        {"data": [{"index": 0, "embedding": [1, 2]}, {"index": 0, "embedding": [1, 2]}]},
        {"data": [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [1]}]},
        {"data": [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [1, float("nan")]}]},
        {"data": [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": None}]},
        [1, 2],
    ],
    ids=["page", "error", "none", "too few", "repeated", "ragged", "nan", "null", "list"],
)
def test_anything_but_a_vector_for_each_text_is_an_error(server: Server, given: Any) -> None:
    server.answer = lambda body: (200, {}, given)
    with raises(InputError, server.url, 2, "vectors"):
        encoder(server).vectors(["a", "b"])


def test_nobody_there(server: Server) -> None:
    with Server() as gone:
        url = gone.url
    with raises(InputError, url, 4, "ConnectError"):
        EndpointEncoder(url, "small", wait=lambda seconds: None).vectors(["a"])


def test_a_key_that_is_not_set_is_said_before_anything_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with raises(UsageError, "http://localhost:1/v1/embeddings", "MY_KEY"):
        EndpointEncoder("http://localhost:1/v1", "small", "MY_KEY")


@pytest.mark.parametrize("url", ["localhost:80", "ftp://host/v1", "http://"])
def test_an_address_must_be_one(url: str) -> None:
    with raises(UsageError, "http://host:8080/v1", repr(url)):
        EndpointEncoder(url, "small")


def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    with raises(UsageError, "password", "key_env") as caught:
        EndpointEncoder("http://me:hunter2@host/v1", "small")
    assert "hunter2" not in str(caught.value)


def test_no_vectors_of_tokens(server: Server) -> None:
    with raises(UsageError, server.url, "tokens"):
        encoder(server).token_vectors(["a"])
