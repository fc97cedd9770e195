"""Signing in by a provider: a real one on this machine, and one that lies in every way that is known."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import jwt
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from starlette.applications import Starlette
from tests.web.judging.provider import CLIENT, SECRET, TestProvider, provider
from tests.web.judging.workbench import ORIGIN, SLUG, Client, enlist, stranger

from rankproof.cli.serve import command
from rankproof.errors import UsageError
from rankproof.judging.store.store import Store
from rankproof.web.app import make_app
from rankproof.web.security.accounts import invite
from rankproof.web.settings import OidcSettings, ServeSettings

EVE = {"sub": "subject-of-eve", "email": "eve@example.org", "email_verified": True}
ANN = {"sub": "subject-of-ann", "email": "Ann@Example.org", "email_verified": True}


@pytest.fixture
def there() -> Iterator[TestProvider]:
    with provider() as made:
        yield made


@pytest.fixture
def app(shop: Store, there: TestProvider) -> Starlette:
    made = make_app(shop, ServeSettings(oidc=OidcSettings(there.issuer, CLIENT, SECRET)))
    invite(made.state.context, "judge", "ada", "ann@example.org", SLUG)
    there.who = ANN
    return made


def leave(client: Client, goal: str = "/") -> str:
    answer = client.get("/sign-in/provider", params={"next": goal})
    assert answer.status_code == 303
    return str(answer.headers["location"])


def come(client: Client, address: str) -> Any:
    assert address.startswith(ORIGIN + "/sign-in/callback?")
    return client.get(address.removeprefix(ORIGIN))


def sign_in(app: Starlette, there: TestProvider, goal: str = "/") -> tuple[Client, Any]:
    client = stranger(app)
    return client, come(client, there.approve(leave(client, goal)))


def inside(client: Client) -> bool:
    return bool(client.get("/").status_code == 200)


@pytest.mark.parametrize("algorithm", ["RS256", "ES256"])
def test_who_was_invited_gets_in_and_is_the_same_again(app: Starlette, there: TestProvider, algorithm: str) -> None:
    there.algorithm = algorithm
    assert "Sign in with 127.0.0.1" in stranger(app).get("/sign-in").text
    client, answer = sign_in(app, there, "/p/shop/judge")
    assert (answer.status_code, answer.headers["location"]) == (303, "/p/shop/judge")
    assert client.get("/p/shop/judge").status_code == 200
    store = app.state.context.store
    assert store.memberships.of("ann@example.org") == {SLUG: "judge"}
    # By another e-mail of the same subject it is the same account; the provider's name for somebody does not change.
    there.who = {**ANN, "email": "ann@elsewhere.example"}
    again, _ = sign_in(app, there)
    assert inside(again)
    assert [account.name for account in store.accounts.all()] == ["ann@example.org"]
    # There is no password that could be guessed.
    wrong = stranger(app).post("/api/v1/session", json={"name": "ann@example.org", "password": "!"})
    assert wrong.status_code == 401


def test_nobody_is_let_in_for_being_known_to_the_provider(app: Starlette, there: TestProvider) -> None:
    for who in (EVE, {**EVE, "email": "ann@example.org", "email_verified": False}, {**EVE, "email": None},
                {**EVE, "email": "ann@example.org", "email_verified": "true"}, {"sub": "ada"}):  # fmt: skip
        there.who = who
        client, answer = sign_in(app, there)
        assert answer.status_code == 403, who
        assert not inside(client)
    assert app.state.context.store.accounts.all() == []


def test_an_account_that_is_linked_is_not_taken_by_who_gets_its_e_mail(app: Starlette, there: TestProvider) -> None:
    sign_in(app, there)
    there.who = {**EVE, "email": "ann@example.org"}
    client, answer = sign_in(app, there)
    assert answer.status_code == 403
    assert not inside(client)


def test_a_member_with_a_password_is_linked_and_a_subject_can_be_invited(app: Starlette, there: TestProvider) -> None:
    context = app.state.context
    enlist(context.store, "eve@example.org", "viewer")
    there.who = EVE
    client, _ = sign_in(app, there)
    assert client.get("/p/shop/compare").status_code == 200
    invite(context, "reviewer", "ada", "subject-4711", SLUG)
    there.who = {"sub": "subject-4711"}
    client, _ = sign_in(app, there)
    assert client.get("/p/shop/settle").status_code == 200
    context.store.accounts.deactivate("subject-4711")
    assert not inside(client)
    _, answer = sign_in(app, there)
    assert answer.status_code == 403


def test_later_invitations_are_taken_with_the_next_sign_in(app: Starlette, there: TestProvider) -> None:
    sign_in(app, there)
    context = app.state.context
    invite(context, "reviewer", "ada", "ann@example.org", SLUG)
    sign_in(app, there)
    assert context.store.memberships.of("ann@example.org") == {SLUG: "reviewer"}
    assert all(one.used_by == "ann@example.org" for one in context.store.invitations.all())


def unsigned(claims: dict[str, Any]) -> str:
    return jwt.encode(claims, "", "none", headers={"kid": "RS256"})


def by_another(claims: dict[str, Any]) -> str:
    return jwt.encode(claims, rsa.generate_private_key(65537, 2048), "RS256", headers={"kid": "RS256"})


def by_unknown_key(claims: dict[str, Any]) -> str:
    return jwt.encode(claims, rsa.generate_private_key(65537, 2048), "RS256", headers={"kid": "mine"})


NOW = int(time.time())
LIES: dict[str, dict[str, Any]] = {
    "wrong nonce": {"nonce": "n" * 43},
    "no nonce": {"nonce": None},
    "nonce of another kind": {"nonce": 7},
    "other audience": {"aud": "another-client"},
    "several audiences": {"aud": [CLIENT, "another"]},
    "of another party": {"aud": [CLIENT, "another"], "azp": "another"},
    "for another party alone": {"azp": "another"},
    "no audience": {"aud": None},
    "expired": {"exp": NOW - 3600, "iat": NOW - 7200},
    "no end": {"exp": None},
    "of tomorrow": {"iat": NOW + 86400},
    "not yet": {"nbf": NOW + 86400},
    "other issuer": {"iss": "https://evil.example"},
    "no subject": {"sub": None},
    "empty subject": {"sub": ""},
}


@pytest.mark.parametrize("lie", LIES)
def test_a_token_that_does_not_hold_opens_nothing(app: Starlette, there: TestProvider, lie: str) -> None:
    there.claims = LIES[lie]
    client, answer = sign_in(app, there)
    assert answer.status_code == 401, lie
    assert not inside(client)
    assert app.state.context.store.accounts.all() == []


@pytest.mark.parametrize("forge", [unsigned, by_another, by_unknown_key, lambda claims: "no.token", lambda claims: ""])
def test_a_token_that_the_provider_did_not_sign_opens_nothing(
    app: Starlette, there: TestProvider, forge: Callable[[dict[str, Any]], str]
) -> None:
    there.sign = forge
    client, answer = sign_in(app, there)
    assert answer.status_code == 401
    assert not inside(client)


def test_the_public_key_is_no_secret_to_sign_by(app: Starlette, there: TestProvider) -> None:
    """Algorithm confusion: a token signed by HMAC with what everybody knows."""
    import base64
    import hashlib
    import hmac

    public = there.rsa_key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    def forged(claims: dict[str, Any]) -> str:
        parts = ({"alg": "HS256", "typ": "JWT", "kid": "RS256"}, claims)
        text = ".".join(base64.urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in parts)
        mark = hmac.new(public, text.encode(), hashlib.sha256).digest()
        return f"{text}.{base64.urlsafe_b64encode(mark).decode().rstrip('=')}"

    there.sign = forged
    client, answer = sign_in(app, there)
    assert answer.status_code == 401
    assert not inside(client)


def test_a_code_and_a_return_are_good_once_and_in_one_browser(app: Starlette, there: TestProvider) -> None:
    client = stranger(app)
    back = there.approve(leave(client))
    other = stranger(app)
    assert come(other, back).status_code == 401  # somebody else's browser began no sign-in
    leave(other)
    assert come(other, back).status_code == 401  # or another one: the states are swapped
    assert come(client, back).status_code == 303
    assert inside(client)
    replayed = stranger(app)
    assert come(replayed, back).status_code == 401
    leave(client)
    assert come(client, back).status_code == 401  # the code was used, and the state is of another sign-in
    fresh = stranger(app)
    parts = there.approve(leave(fresh)).partition("code=")
    assert come(fresh, f"{parts[0]}code=stolen&{parts[2].partition('&')[2]}").status_code == 401
    assert not inside(fresh)


def test_a_stolen_code_is_worth_nothing_without_its_verifier(app: Starlette, there: TestProvider) -> None:
    victim, thief = stranger(app), stranger(app)
    code = there.approve(leave(victim)).partition("code=")[2].partition("&")[0]
    own = leave(thief).partition("state=")[2].partition("&")[0]
    assert come(thief, f"{ORIGIN}/sign-in/callback?code={code}&state={own}").status_code == 401
    assert not inside(thief)


@pytest.mark.parametrize(
    "document",
    [{"issuer": "https://evil.example"}, {"token_endpoint": "http://evil.example/token"}, {"jwks_uri": None},
     {"authorization_endpoint": "javascript:alert(1)"}],
)  # fmt: skip
def test_a_provider_that_describes_itself_otherwise_is_not_trusted(
    app: Starlette, there: TestProvider, document: dict[str, Any]
) -> None:
    there.document = {**there.document, **document}
    client = stranger(app)
    left = client.get("/sign-in/provider")
    if left.status_code == 303:
        assert come(client, there.approve(left.headers["location"])).status_code == 401
    else:
        assert left.status_code == 401
    assert not inside(client)


def test_nobody_is_sent_elsewhere_and_no_provider_no_door(app: Starlette, there: TestProvider, shop: Store) -> None:
    _, answer = sign_in(app, there, "//evil.example/")
    assert answer.headers["location"] == "/"
    plain = stranger(make_app(shop))
    assert plain.get("/sign-in/provider").status_code == 404
    assert plain.get("/sign-in/callback?code=x&state=y").status_code == 404
    assert "Sign in with" not in plain.get("/sign-in").text


def test_a_provider_needs_an_id_a_secret_and_https(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for issuer, secret, words in (
        ("https://id.example.org", "", "RANKPROOF_OIDC_CLIENT_SECRET"),
        ("http://id.example.org", "x", "no address of a provider"),
    ):
        env = {"RANKPROOF_OIDC_CLIENT_ID": "x", "RANKPROOF_OIDC_CLIENT_SECRET": secret}
        result = CliRunner().invoke(command, ["judging.db", "--oidc-issuer", issuer], env=env)
        assert isinstance(result.exception, UsageError)
        assert words in str(result.exception)
    assert SECRET not in repr(OidcSettings("https://id.example.org", CLIENT, SECRET))
