"""Forged requests: other sites, missing and foreign tokens, other names of the host, other kinds of content."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from tests.web.judging.workbench import ORIGIN, Client, raw, signed_in, stranger, token_in

JUDGE = "/api/v1/projects/shop/judgments"
ACT = {"key": "k" * 32, "query_id": "q1", "doc_id": "d1", "grade": 1}
ELSEWHERE = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:9999"},
    {"Origin": "https://127.0.0.1:8080"},
    {"Origin": "http://127.0.0.1:8080.evil.example"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Origin": ORIGIN, "Sec-Fetch-Site": "cross-site"},
]


def test_a_form_without_its_token_or_with_another_is_refused(app: Starlette, admin: Client, judge: Client) -> None:
    form = {"person": "eve"}
    for token in (None, "", "x", judge.csrf, admin.csrf[:-1], admin.csrf + "x", "\udcff"):
        sent = form if token is None else {**form, "csrf": token.encode("utf-8", "replace").decode()}
        assert admin.post("/people/invite", data=sent).status_code == 403
    assert admin.post("/people/invite", data={**form, "csrf": admin.csrf}).status_code == 201
    assert len(app.state.context.store.invitations.all()) == 1


@pytest.mark.parametrize("headers", ELSEWHERE)
def test_what_another_site_sends_is_refused_although_the_token_is_right(admin: Client, headers: dict[str, str]) -> None:
    answer = admin.post("/people/invite", data={"role": "admin", "csrf": admin.csrf}, headers=headers)
    assert answer.status_code == 403
    assert "another site" in answer.text
    sent = admin.post(JUDGE, json=ACT, headers={**headers, "X-CSRF-Token": admin.csrf})
    assert sent.status_code == 403
    assert sent.json()["error"]["type"] == "not_allowed"


def test_what_our_own_pages_send_is_taken(judge: Client) -> None:
    headers = {"Origin": ORIGIN, "Sec-Fetch-Site": "same-origin", "X-CSRF-Token": judge.csrf}
    assert judge.post(JUDGE, json=ACT, headers=headers).status_code == 201


def test_the_api_needs_the_token_from_a_cookie_and_none_from_a_bearer(app: Starlette, judge: Client) -> None:
    assert judge.post(JUDGE, json=ACT).status_code == 403
    bearer = stranger(app)
    token = judge.cookies[app.state.context.settings.cookie]
    headers = {"Authorization": f"Bearer {token}"}
    assert bearer.post(JUDGE, json=ACT, headers=headers).status_code == 201
    assert (
        bearer.post(JUDGE, json={**ACT, "key": "n" * 32}, headers={"Authorization": f"Basic {token}"}).status_code
        == 401
    )


def test_signing_in_cannot_be_forged_either(app: Starlette, nobody: Client) -> None:
    form = {"name": "ada", "password": "a sentence that is long"}
    assert nobody.post("/sign-in", data=form).status_code == 403
    csrf = token_in(nobody.get("/sign-in").text)
    assert stranger(app).post("/sign-in", data={**form, "csrf": csrf}).status_code == 403  # the cookie is not there
    assert nobody.post("/sign-in", data={**form, "csrf": csrf}, headers={"Origin": "null"}).status_code == 403
    assert nobody.post("/sign-in", data={**form, "csrf": csrf}).status_code == 401


def test_the_api_takes_no_form_and_no_other_kind(judge: Client) -> None:
    """A form of another site could send these kinds without asking; none of them is JSON to us."""
    headers = {"X-CSRF-Token": judge.csrf}
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json", ""):
        sent = judge.post(JUDGE, content=b'{"key": "kkkkkkkk"}', headers={**headers, "Content-Type": kind})
        assert sent.status_code == 415, kind
        assert sent.json()["error"]["type"] == "wrong_media_type"
    plain = judge.post(JUDGE, content=b"{}", headers={**headers, "Content-Type": "application/json; charset=utf-8"})
    assert plain.status_code == 422


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "evil.example:8080", "", "localhost@evil.example", "[::2]", "0.0.0.0"],
)
def test_another_name_of_the_host_is_refused(app: Starlette, host: str) -> None:
    """DNS rebinding: the browser is told that evil.example is this machine, but still says whom it asks."""
    for path in ("/", "/sign-in", "/api/v1/session", "/api/openapi.json", "/static/base.css"):
        answer = stranger(app).get(path, headers={"Host": host})
        assert answer.status_code == 400
        assert "does not answer under that name" in answer.text


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8080", "127.0.0.1", "[::1]:8080"])
def test_the_names_of_the_loopback_are_answered(app: Starlette, host: str) -> None:
    assert stranger(app).get("/sign-in", headers={"Host": host}).status_code == 200


def test_two_hosts_or_none_are_refused(app: Starlette) -> None:
    good = (b"host", b"127.0.0.1:8080")
    assert raw(app, "GET", "/sign-in", [good]) == 200
    assert raw(app, "GET", "/sign-in", [good, (b"host", b"evil.example")]) == 400
    assert raw(app, "GET", "/sign-in") == 400


def test_a_session_of_one_is_not_of_another(app: Starlette, judge: Client) -> None:
    """Nobody can say who judges: the name is that of the session."""
    sent = judge.act(JUDGE, {**ACT, "judge": "ada"})
    assert sent.status_code == 422
    judge.act(JUDGE, ACT)
    assert [act.judge for act in app.state.context.store.judgments.current("shop")] == ["judy"]
    other = signed_in(app, "jim", "judge")
    undo = {"key": "u" * 32, "query_id": "q1", "doc_id": "d1", "reason": "withdrawn", "withdraws": ACT["key"]}
    assert other.act(JUDGE, undo).status_code == 409
    assert judge.act(JUDGE, undo).status_code == 201
