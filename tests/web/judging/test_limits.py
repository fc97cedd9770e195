"""Too much, too odd, and places that are not there: refused in one shape, without a trace of the inside."""

from __future__ import annotations

import logging
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from tests.web.judging.workbench import Client, raw, signed_in

from rankproof.judging.store.store import Store
from rankproof.web.app import make_app
from rankproof.web.settings import ServeSettings

JUDGE = "/api/v1/projects/shop/judgments"
FORM = (b"content-type", b"application/x-www-form-urlencoded")
ACT = {"key": "k" * 32, "query_id": "q1", "doc_id": "d1", "grade": 1}


def test_a_body_that_is_too_large_is_refused_before_it_is_read(judge: Client, nobody: Client) -> None:
    big = judge.act(JUDGE, {**ACT, "note": "x" * (5 << 20)})
    assert big.status_code == 413
    assert big.json()["error"]["type"] == "too_large"
    assert big.headers["connection"] == "close"
    # Somebody unknown may send far less.
    assert nobody.post("/api/v1/session", json={"name": "a", "password": "x" * 20_000}).status_code == 413
    assert nobody.post("/sign-in", data={"name": "x" * 20_000}).status_code == 413


def test_a_body_that_does_not_say_its_size_is_cut_off(app: Starlette, judge: Client) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(10):
            yield b"x" * (1 << 20)
        raise AssertionError("everything was read")

    token = judge.cookies[app.state.context.settings.cookie].encode()
    headers = [(b"host", b"localhost"), (b"authorization", b"Bearer " + token), (b"content-type", b"application/json")]
    assert raw(app, "POST", JUDGE, headers, endless()) == 413
    assert raw(app, "POST", "/sign-in", [(b"host", b"localhost"), FORM], endless()) == 413


def test_uploads_have_a_limit_of_their_own(shop: Store) -> None:
    app = make_app(shop, ServeSettings(largest_upload=10_000, largest_body=1000))
    admin = signed_in(app, "ada", "admin")
    token = {"csrf": admin.csrf, "person": "eve"}
    small = admin.post("/people/invite", data=token, files={"f": b"x" * 5000})
    assert small.status_code == 201
    assert admin.post("/people/invite", data=token, files={"f": b"x" * 20_000}).status_code == 413
    assert admin.post("/people/invite", data={**token, "more": "x" * 2000}).status_code == 413


@pytest.mark.parametrize("said", [b"-1", b"x", b"1e3", b"\xb2", b"", b"1, 2"])
def test_a_length_that_is_no_number_is_refused(app: Starlette, said: bytes) -> None:
    assert raw(app, "POST", "/sign-in", [(b"host", b"localhost"), (b"content-length", said), FORM]) == 400


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static/%2e%2e%2fapp.py",
        "/static//etc/passwd", "/static/%2fetc%2fpasswd", "/static/..\\app.py", "/static/base.css/", "/static/",
        "/static/base.css%00.js", "/p/%2e%2e/settings", "/p/shop%2f..%2fx/settings", "/p/shop%00/settings",
        "/p//settings", "/api/v1/projects/..%2f..", "/api/v1/projects/shop/experiments/..%2f",
    ],
)  # fmt: skip
def test_no_path_leads_out(admin: Client, path: str) -> None:
    answer = admin.get(path)
    assert answer.status_code in (400, 404), answer.text
    assert "import annotations" not in answer.text
    assert "root:" not in answer.text


@pytest.mark.parametrize("path", ["/p/../people", "/static/../../app.py", "/invitation/../people", "//people", "*"])
def test_no_path_that_is_sent_as_it_is_leads_out(app: Starlette, admin: Client, path: str) -> None:
    token = admin.cookies[app.state.context.settings.cookie].encode()
    assert raw(app, "GET", path, [(b"host", b"localhost"), (b"authorization", b"Bearer " + token)]) == 404


@pytest.mark.parametrize("name", ["query_id", "doc_id", "note", "key"])
@pytest.mark.parametrize("odd", ["a\\u0000b", "\\ud800", "\\udc80x", "a\\u0000"])
def test_characters_that_no_database_keeps_are_refused(judge: Client, name: str, odd: str) -> None:
    import json

    body = json.dumps({**ACT, name: "ODD"}).replace("ODD", odd).encode()
    headers = {"X-CSRF-Token": judge.csrf, "Content-Type": "application/json"}
    assert judge.post(JUDGE, content=body, headers=headers).status_code in (400, 422)
    assert judge.get(JUDGE, params={"query_id": "a\0b"}).status_code == 400
    assert judge.post("/sign-out", data={"csrf": judge.csrf, "x": "a\0"}).status_code == 400


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"key": NaN}', b"[" * 200_000, b'{"key": 1e999}', b'"x"']
)
def test_what_is_not_json_or_not_the_right_json_is_refused(judge: Client, body: bytes) -> None:
    headers = {"X-CSRF-Token": judge.csrf, "Content-Type": "application/json"}
    answer = judge.post(JUDGE, content=body, headers=headers)
    assert answer.status_code in (400, 422)
    assert set(answer.json()["error"]) <= {"type", "message", "remedy"}


def test_headers_cannot_be_injected(app: Starlette, nobody: Client, admin: Client) -> None:
    """What somebody sends comes back in no header but as an address, in which line ends are written out."""
    answer = nobody.get("/p/shop/settings?x=%0d%0aSet-Cookie:%20a=b")
    assert "set-cookie" not in answer.headers
    assert "\r" not in answer.headers["location"]
    assert "\n" not in answer.headers["location"]
    made = admin.submit("/projects", slug="x\r\nSet-Cookie: a=b", name="x", scale="graded")
    assert made.status_code == 422


@pytest.mark.parametrize("path", ["/", "/sign-in", "/nowhere", "/api/nowhere", "/api/v1/session", "/static/base.css"])
def test_every_answer_has_the_headers_that_guard(nobody: Client, path: str) -> None:
    headers = nobody.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cache-control"] == ("no-store" if "static" not in path else "public, max-age=31536000, immutable")
    assert "server" not in headers


def test_a_fault_shows_its_id_and_nothing_else(
    app: Starlette, judge: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*args: Any, **more: Any) -> None:
        raise ZeroDivisionError("secret of the inside")

    monkeypatch.setattr(app.state.context.store.judgments, "add", broken)
    with caplog.at_level(logging.ERROR, logger="rankproof.web"):
        answer = judge.act(JUDGE, ACT)
    assert answer.status_code == 500
    error = answer.json()["error"]
    assert error["type"] == "fault"
    number = re.search(r"under ([0-9a-f]{12})\.", error["remedy"])
    assert number is not None
    assert number[1] in caplog.text
    assert "secret of the inside" in caplog.text
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text
    monkeypatch.setattr(app.state.context.store.projects, "all", broken)
    page = judge.get("/")
    assert page.status_code == 500
    assert "Something broke" in page.text
    assert "secret" not in page.text
    assert "content-security-policy" in page.headers


def test_a_broken_store_is_a_fault_of_ours_and_not_of_who_asks(
    judge: Client, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with sqlite3.connect(tmp_path / "judging.db") as other:
        other.execute("alter table judgments rename to elsewhere")
    for answer in (judge.act(JUDGE, ACT), judge.get(JUDGE)):
        assert answer.status_code == 500
        assert str(tmp_path) not in answer.text
    assert "no such table" in caplog.text


def test_wrong_methods_are_told_what_is_possible(judge: Client) -> None:
    for method, path, allowed in (
        ("DELETE", JUDGE, "GET, HEAD, POST"), ("PATCH", "/api/v1/session", "DELETE, GET, HEAD, POST"),
        ("PUT", "/sign-in", "GET, HEAD, POST"), ("POST", "/", "GET, HEAD"), ("OPTIONS", "/people", "GET, HEAD"),
    ):  # fmt: skip
        answer = judge.request(method, path, headers={"X-CSRF-Token": judge.csrf})
        assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
    assert judge.head("/").status_code == 200
