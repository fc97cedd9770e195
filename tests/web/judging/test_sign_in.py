"""Signing in and out, and accounts by invitation."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from starlette.applications import Starlette
from tests.web.judging.workbench import ORIGIN, Client, signed_in, stranger, token_in

from rankproof.judging.store.store import Store
from rankproof.web.app import make_app
from rankproof.web.context import AppContext
from rankproof.web.pages.sign_in import local
from rankproof.web.security.accounts import invite
from rankproof.web.settings import ServeSettings

PASSWORD = "a sentence that is long"


def invited(app: Starlette, role: Any = "judge") -> str:
    """The path of a new invitation."""
    return invite(app.state.context, role, "ada").removeprefix(ORIGIN)


def accept(client: Client, path: str, name: str = "Ann", password: str = PASSWORD) -> Any:
    client.csrf = token_in(client.get(path).text)
    return client.submit(path, name=name, password=password)


def sign_in(client: Client, name: str, password: str, **more: str) -> Any:
    client.csrf = token_in(client.get("/sign-in").text)
    return client.submit("/sign-in", name=name, password=password, **more)


def test_an_invitation_opens_one_account_with_its_role_and_signs_in(app: Starlette, nobody: Client) -> None:
    path = invited(app)
    assert accept(nobody, path).status_code == 303
    assert nobody.get("/").status_code == 200
    store = app.state.context.store
    account = store.accounts.get("ann")  # names are in small letters
    assert (account.name, account.role, store.memberships.of("ann")) == ("ann", "viewer", {"shop": "judge"})


def test_an_invitation_is_used_once(app: Starlette, nobody: Client) -> None:
    path = invited(app, "admin")
    form = token_in(nobody.get(path).text)
    accept(nobody, path)
    again = stranger(app)
    assert again.get(path).status_code == 404
    again.csrf = token_in(again.get("/sign-in").text)
    assert again.submit(path, name="eve", password=PASSWORD).status_code == 404
    # The very request again, with the cookies that it had: the account is not made twice.
    replayed = stranger(app)
    replayed.cookies.set(f"{app.state.context.settings.cookie}_form", form)
    assert replayed.post(path, data={"csrf": form, "name": "eve", "password": PASSWORD}).status_code == 404
    assert "eve" not in [account.name for account in app.state.context.store.accounts.all()]


def test_an_invitation_that_is_too_old_or_made_up_opens_nothing(shop: Store) -> None:
    app = make_app(shop, ServeSettings(invitation=timedelta(seconds=-1)))
    for path in (invited(app), "/invitation/" + "x" * 43, "/invitation/%2e%2e", "/invitation/short"):
        assert stranger(app).get(path).status_code == 404


def test_only_the_hash_of_a_token_is_in_the_store(app: Starlette, judge: Client, tmp_path: Any) -> None:
    path = invited(app)
    kept = b"".join(file.read_bytes() for file in tmp_path.glob("judging.db*"))
    assert path.rpartition("/")[2].encode() not in kept
    assert judge.cookies[app.state.context.settings.cookie].encode() not in kept
    assert b"judy" in kept  # what is looked through is the store


@pytest.mark.parametrize("name", ["", "ada lovelace", "Адам", "../x", "a" * 65, "=cmd", "a\nb", "<b>", "-x"])
def test_a_name_that_could_pass_for_another_is_refused(app: Starlette, nobody: Client, name: str) -> None:
    path = invited(app)
    answer = accept(nobody, path, name)
    assert answer.status_code == 422
    assert "cannot be the name of an account" in answer.text
    assert nobody.get(path).status_code == 200  # the invitation still holds


def test_a_short_password_and_a_taken_name_leave_the_invitation_open(app: Starlette, nobody: Client) -> None:
    signed_in(app, "ann", "viewer")
    path = invited(app)
    assert accept(nobody, path, "bob", "too short").status_code == 422
    answer = accept(nobody, path, "ANN")
    assert answer.status_code == 422
    assert "already" in answer.text
    assert accept(nobody, path, "bob").status_code == 303


def test_signing_in_gives_a_new_session_and_goes_where_one_was(app: Starlette, nobody: Client) -> None:
    accept(nobody, invited(app))
    other = stranger(app)
    asked = other.get("/p/shop/settings?x=1&y=2")
    assert asked.headers["location"] == "/sign-in?next=/p/shop/settings%3Fx%3D1%26y%3D2"
    answer = sign_in(other, "ann", PASSWORD, next="/p/shop?x=1")
    assert (answer.status_code, answer.headers["location"]) == (303, "/p/shop?x=1")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Secure" not in cookie


def test_cookies_are_secure_under_https(shop: Store) -> None:
    app = make_app(shop, ServeSettings(https=True, names=("judge.example.org",), behind_proxy=True))
    client = stranger(app)
    client.base_url = "https://judge.example.org"
    path = invite(app.state.context, "judge", "").removeprefix("https://judge.example.org")
    answer = accept(client, path)
    assert answer.status_code == 303
    assert answer.headers["set-cookie"].startswith("__Host-rankproof=")
    assert "Secure" in answer.headers["set-cookie"]
    assert answer.headers["strict-transport-security"] == "max-age=31536000"


def test_a_session_that_somebody_brought_along_is_never_used(app: Starlette, nobody: Client) -> None:
    """Session fixation: a token planted in the browser is not the one after signing in."""
    accept(nobody, invited(app))
    planted = "p" * 43
    victim = stranger(app)
    victim.cookies.set(app.state.context.settings.cookie, planted)
    assert sign_in(victim, "ann", PASSWORD).status_code == 303
    attacker = stranger(app)
    attacker.cookies.set(app.state.context.settings.cookie, planted)
    assert attacker.get("/").status_code == 303


def test_signing_in_again_ends_the_session_before(app: Starlette, nobody: Client) -> None:
    accept(nobody, invited(app))
    name = app.state.context.settings.cookie
    before = nobody.cookies[name]
    nobody.csrf = token_in(nobody.get("/").text)
    assert nobody.submit("/sign-in", name="ann", password=PASSWORD).status_code == 303
    assert nobody.cookies[name] != before
    old = stranger(app)
    old.cookies.set(name, before)
    assert old.get("/").status_code == 303


def test_signing_out_ends_the_session_in_the_store(app: Starlette, judge: Client) -> None:
    kept = judge.cookies[app.state.context.settings.cookie]
    assert judge.submit("/sign-out").status_code == 303
    other = stranger(app)
    other.cookies.set(app.state.context.settings.cookie, kept)
    assert other.get("/").status_code == 303


def test_a_session_expires(shop: Store) -> None:
    app = make_app(shop, ServeSettings(session=timedelta(seconds=-1)))
    context: AppContext = app.state.context
    shop.accounts.add("ann", "admin", "no password")
    from rankproof.web.security.sessions import open_session

    client = stranger(app)
    client.cookies.set(context.settings.cookie, open_session(context, shop.accounts.get("ann")).token)
    assert client.get("/").status_code == 303


@pytest.mark.parametrize(
    "goal",
    ["//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", "", "/a\r\nb: c", "/\\"],
)
def test_nobody_is_sent_elsewhere_after_signing_in(goal: str) -> None:
    assert local(goal) == "/"


def test_wrong_names_and_wrong_passwords_are_told_the_same(app: Starlette, nobody: Client) -> None:
    accept(nobody, invited(app))
    answers = [sign_in(stranger(app), name, "some other sentence") for name in ("ann", "nobody-has-this")]
    assert [answer.status_code for answer in answers] == [401, 401]
    assert len({answer.text.split("</form>")[0].count("wrong") for answer in answers}) == 1
    assert all("The name or the password is wrong." in answer.text for answer in answers)
