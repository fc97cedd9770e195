"""What engines that are asked over a network share: answers too large, redirects, and errors in many shapes."""

from __future__ import annotations

import json

import pytest
from tests.live.echo import echo
from tests.raising import raises

from rankproof.kernel.secrets import Secrets
from rankproof.stack.engines import _wire
from rankproof.stack.engines._wire import Wire, said_against
from rankproof.stack.engines.contract import AskFailed

KEY = "s3cr3t/key"


def ask(url: str, secrets: Secrets) -> object:
    wire = Wire("http", secrets, {})
    try:
        answer: object = wire.json("GET", url, 5.0)
        return answer
    finally:
        wire.close()


@pytest.fixture
def secrets() -> Secrets:
    return Secrets("http", "${SHOP_KEY}", environment={"SHOP_KEY": KEY})


def test_an_answer_too_large_is_not_held(secrets: Secrets, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_wire, "MOST_BYTES", 2**20)
    with echo(json.dumps("x" * (2**20 - 2)).encode()) as server:
        assert len(str(ask(server.url, secrets))) == 2**20 - 2
    with echo(json.dumps("x" * 2**20).encode()) as server, raises(AskFailed, "1 MiB") as failed:
        ask(server.url, secrets)
    assert (failed.value.kind, failed.value.again) == ("unreadable answer", False)


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ({"error": {"root_cause": [{"reason": "no such index"}], "reason": "all shards failed"}}, "no such index"),
        ({"error": {"root_cause": [], "reason": "all shards failed"}}, "all shards failed"),
        ({"error": {"msg": "undefined field"}}, "undefined field"),
        ({"error": "bad key"}, "bad key"),
        ({"error": [{"message": "no schema"}]}, "no schema"),
        ({"errors": [{"message": "first"}, {"message": "second"}], "data": None}, "first"),
        ({"root": {"errors": [{"code": 12, "summary": "Timed out"}]}}, "Timed out"),
        ({"message": "rate limit"}, "rate limit"),
        ({"detail": [{"loc": 1}], "title": "Unprocessable"}, "Unprocessable"),
        (["a", "b"], "a"),
        ({"error": {}}, ""),
        ({"errors": []}, ""),
        ({"root": None}, ""),
        ({"error": {"reason": 5}}, ""),
        ([], ""),
        (5, ""),
        (None, ""),
    ],
)
def test_the_reason_is_found_where_servers_write_it(document: object, why: str, secrets: Secrets) -> None:
    assert said_against(document, secrets.redact) == why


@pytest.mark.parametrize("body", [b"", b"[]", b"5", b"null", b"\xff\xfe", b"[" * 100_000, b'{"error": {"reason": 5}}'])
@pytest.mark.parametrize("status", [400, 500])
def test_an_error_without_a_reason_is_an_error_all_the_same(status: int, body: bytes, secrets: Secrets) -> None:
    with echo(lambda asked: (status, body)) as server, raises(AskFailed, str(status)) as failed:
        ask(server.url, secrets)
    assert failed.value.again == (status == 500)
    assert len(str(failed.value)) < 300


@pytest.mark.parametrize(
    "body", [json.dumps({"why": f"no {KEY}"}).encode(), f"<p>{KEY}".encode(), f'{{"k": "{KEY}", "rest": '.encode()]
)
def test_no_error_says_a_secret_back(body: bytes, secrets: Secrets) -> None:
    for status in (200, 302, 400, 503):
        with echo(lambda asked, status=status: (status, body)) as server:  # type: ignore[misc]
            if status == 200 and body.startswith(b'{"why'):
                continue
            with raises(AskFailed) as failed:
                ask(f"{server.url}/{KEY}?k={KEY}", secrets)
        assert KEY not in str(failed.value)
        assert "s3cr3t" not in str(failed.value)
