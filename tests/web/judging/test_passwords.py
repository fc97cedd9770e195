"""Passwords: changed, reset by a link, common ones refused. Sessions: listed, and ended everywhere at once."""

from __future__ import annotations

import re
from typing import Any

import pytest
from starlette.applications import Starlette
from tests.web.judging.test_sign_in import sign_in
from tests.web.judging.workbench import ORIGIN, Client, enlist, signed_in, stranger, token_in

from rankproof.judging.store.store import Store
from rankproof.web.app import make_app
from rankproof.web.problems import Problem
from rankproof.web.security.common_passwords import refuse_common

OLD, NEW = "my cat sleeps on maps", "forty owls count rivets"


@pytest.fixture
def ann(app: Starlette) -> Client:
    context = app.state.context
    enlist(context.store, "ann", "judge", context.passwords.hash(OLD))
    client = stranger(app)
    assert sign_in(client, "ann", OLD).status_code == 303
    client.csrf = token_in(client.get("/").text)
    return client


def change(client: Client, old: str, new: str) -> Any:
    return client.submit("/account/password", old=old, new=new)


def inside(client: Client) -> bool:
    return bool(client.get("/").status_code == 200)


def test_a_password_is_changed_by_who_knows_it(app: Starlette, ann: Client) -> None:
    other = stranger(app)
    sign_in(other, "ann", OLD)
    assert change(ann, "another one entirely", NEW).status_code == 422
    assert change(ann, OLD, "short").status_code == 422
    assert change(ann, OLD, "passwordpassword").status_code == 422
    assert inside(other)
    assert change(ann, OLD, NEW).status_code == 303
    assert inside(ann)
    assert not inside(other)  # every other session is over
    assert sign_in(stranger(app), "ann", OLD).status_code == 401
    assert sign_in(stranger(app), "ann", NEW).status_code == 303
    assert "password changed" in [entry.action for entry in app.state.context.store.audit.all()]


def test_guessing_at_the_change_waits_too(app: Starlette, ann: Client) -> None:
    app.state.context.throttle._clock = lambda: 1.0
    assert [change(ann, "a wrong sentence", NEW).status_code for _ in range(6)] == [422] * 5 + [429]


def test_a_link_gives_a_new_password_once_and_ends_the_sessions(app: Starlette, ann: Client, admin: Client) -> None:
    def made() -> str:
        page = admin.submit("/people/password", name="ann")
        found = re.search(rf'value="{ORIGIN}(/password/[^"]+)"', page.text)
        assert page.status_code == 201
        assert found is not None
        assert found[1] not in admin.get("/people").text
        return found[1]

    first, second = made(), made()
    assert stranger(app).get(first).status_code == 404  # the newer link is the one that holds
    client = stranger(app)
    client.csrf = token_in(client.get(second).text)
    assert client.submit(second, password="ann ann ann ann").status_code == 422
    assert inside(ann)
    assert client.submit(second, password=NEW).status_code == 303
    assert not inside(ann)
    assert client.submit(second, password=OLD).status_code == 404
    assert sign_in(stranger(app), "ann", NEW).status_code == 303
    assert stranger(app).get("/password/" + "x" * 43).status_code == 404


COMMON = (
    "password1234", "Password2024!", "passwordpassword", "123456789012", "qwertyuiop12", "qwertyuiopas",
    "abcdefghijkl", "aaaaaaaaaaaa", "abcabcabcabc", "letmeinletmein", "iloveyou1234", "P@ssw0rd1234",
    "adminadmin123", "welcome12345", "sunshine2023!", "dragonmonkey1", "qwerty123456", "iloveyouforever",
    "111222333444", "trustnoone123", "correcthorsebatterystaple", "changeme1234", "987654321098", "asdfghjkl;'123",
    "footballbaseball", "superman!!!!!", "  password   ", "!!!!!!!!!!!!", "annannannann", "ann-the-shop-1",
    "shopshop2031", "judge.judge.judge", "rankproof12345",
)  # fmt: skip


@pytest.mark.parametrize("password", COMMON)
def test_what_is_guessed_first_is_refused(password: str) -> None:
    with pytest.raises(Problem, match="guessed first"):
        refuse_common(password, ("ann", "shop", "The shop"))


@pytest.mark.parametrize(
    "password",
    ["a sentence that is long", "the right sentence", OLD, NEW, "Der Mond ist aufgegangen", "xK9#vQz2!mRt",
     "7f3a9c1be2d4", "the password is a gnu"],
)  # fmt: skip
def test_what_is_not_is_taken(password: str) -> None:
    refuse_common(password, ("ann", "shop", "The shop"))


def test_sessions_are_listed_and_ended(app: Starlette, ann: Client) -> None:
    other = stranger(app, headers={"User-Agent": "<b>phone</b>"})
    sign_in(other, "ann", OLD)
    page = ann.get("/account").text
    assert "&lt;b&gt;phone&lt;/b&gt;" in page
    assert page.count(">this one<") == 1
    handles = re.findall(r'name="handle" value="([0-9a-f]{16})"', page)
    assert len(handles) == 2
    stranger_ann = signed_in(app, "eve", "judge")
    for handle in (*handles, "", "%", "_" * 16):
        stranger_ann.submit("/account/sessions", handle=handle)  # ends nothing of others
    assert inside(other)
    assert ann.submit("/account/sessions", handle=handles[0]).status_code == 303
    assert [inside(other), inside(ann)] == [False, True]
    third = stranger(app)
    sign_in(third, "ann", OLD)
    assert ann.submit("/account/sessions").status_code == 303
    assert [inside(third), inside(ann)] == [False, True]


def test_a_session_that_ends_is_over_in_every_server_at_once(shop: Store, app: Starlette, ann: Client) -> None:
    cookie = app.state.context.settings.cookie
    second = stranger(make_app(shop))  # another server of the same store
    second.cookies.set(cookie, ann.cookies[cookie])
    assert inside(second)
    assert ann.submit("/sign-out").status_code == 303
    assert not inside(second)


def test_an_admin_ends_anybodys_sessions(app: Starlette, ann: Client, admin: Client) -> None:
    assert ann.submit("/people/sessions", name="ada").status_code == 403
    assert admin.submit("/people/sessions", name="ann").status_code == 303
    assert not inside(ann)
