"""Signing in by a provider: OpenID Connect's authorization code with PKCE, state and nonce, and who may enter by it.

What comes back counts only when all of it holds: the state is the one that this browser was sent off with, the token
is signed by a key of the provider (RS256 or ES256), is for us, from it, of this sign-in and not too old. Whoever the
provider knows is not let in for that: somebody must have invited the e-mail or the subject. An account is the one that
is linked to the provider's unchanging name of the person, whatever their e-mail is later.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Lock
from urllib.parse import urlencode, urlsplit

import httpx

from rankproof.errors import InputError, UsageError
from rankproof.judging.records import Account, is_name
from rankproof.kernel.libraries import missing
from rankproof.web.context import AppContext
from rankproof.web.problems import Problem
from rankproof.web.security.credentials import new_token, same
from rankproof.web.settings import OidcSettings, is_loopback

_ALGORITHMS = ["RS256", "ES256"]
_TIMEOUT, _LEEWAY, _KEPT, _AGAIN = 10.0, 30, 3600.0, 60.0
_REFUSED = "The provider's answer does not hold."
# No hash is like this: an account that only signs in by a provider has no password that could be right.
NO_PASSWORD = "!"


@dataclass(frozen=True, slots=True)
class Departure:
    """What a browser was sent off with; it comes back in a cookie of its own."""

    state: str = field(default_factory=new_token)
    nonce: str = field(default_factory=new_token)
    verifier: str = field(default_factory=new_token)

    @property
    def challenge(self) -> str:
        """PKCE: what the provider is told, so that a code that somebody caught is worth nothing."""
        return base64.urlsafe_b64encode(sha256(self.verifier.encode()).digest()).decode().rstrip("=")


@dataclass(frozen=True, slots=True)
class Vouched:
    """Somebody as the provider knows them. The e-mail is empty where the provider does not vouch for it."""

    subject: str
    email: str


class OidcProvider:
    """A provider of sign-in, found by its discovery address."""

    def __init__(self, settings: OidcSettings) -> None:
        try:
            import jwt
        except ModuleNotFoundError:
            raise missing("jwt", "Signing in by a provider") from None
        self._jwt = jwt
        self.settings = settings
        self._lock = Lock()
        self._document: Mapping[str, object] = {}
        self._keys: Mapping[str, object] = {}
        self._read = self._keys_read = 0.0

    def address(self, departure: Departure, back: str) -> str:
        """Where a browser goes to sign in."""
        query = {
            "response_type": "code",
            "client_id": self.settings.client_id,
            "redirect_uri": back,
            "scope": "openid email",
            "state": departure.state,
            "nonce": departure.nonce,
            "code_challenge": departure.challenge,
            "code_challenge_method": "S256",
        }
        start = self._endpoint("authorization_endpoint")
        return f"{start}{'&' if '?' in start else '?'}{urlencode(query)}"

    def person(self, code: str, departure: Departure, back: str) -> Vouched:
        """Who came back with a code; an error where anything about the answer does not hold."""
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": back}
        form["code_verifier"] = departure.verifier
        ways = self._discovered().get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        basic = isinstance(ways, list) and "client_secret_basic" in ways
        if not basic:
            form |= {"client_id": self.settings.client_id, "client_secret": self.settings.client_secret}
        auth = httpx.BasicAuth(self.settings.client_id, self.settings.client_secret) if basic else None
        try:
            answer = httpx.post(self._endpoint("token_endpoint"), data=form, auth=auth, timeout=_TIMEOUT)
            token = answer.json().get("id_token") if answer.status_code == 200 else None
        except (httpx.HTTPError, ValueError, AttributeError) as error:
            raise Problem(401, "The provider does not answer as it should.", "Try again.") from error
        if not isinstance(token, str):
            raise Problem(401, _REFUSED, "Sign in again.")
        return self._checked(token, departure)

    def _checked(self, token: str, departure: Departure) -> Vouched:
        jwt = self._jwt
        try:
            claims = jwt.decode(
                token,
                self._key(token),
                algorithms=_ALGORITHMS,
                audience=self.settings.client_id,
                issuer=self.settings.issuer,
                leeway=_LEEWAY,
                options={"require": ["exp", "iat", "iss", "aud", "sub"]},
            )
        except jwt.PyJWTError as error:
            raise Problem(401, _REFUSED, "Sign in again.") from error
        several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
        wrong_party = (several or "azp" in claims) and claims.get("azp") != self.settings.client_id
        nonce = claims.get("nonce")
        if wrong_party or not isinstance(nonce, str) or not same(nonce, departure.nonce) or not claims["sub"]:
            raise Problem(401, _REFUSED, "Sign in again.")
        email = claims.get("email")
        vouched = claims.get("email_verified") is True and isinstance(email, str)
        return Vouched(str(claims["sub"]), str(email).strip().lower() if vouched else "")

    def _key(self, token: str) -> object:
        """The key that a token says it is signed by; keys are read again for one that is not known, once a minute."""
        number = self._jwt.get_unverified_header(token).get("kid", "")
        with self._lock:
            now = time.monotonic()
            stale = now - self._keys_read > (_AGAIN if number not in self._keys else _KEPT)
            if stale or not self._keys_read:
                document = self._get(self._endpoint("jwks_uri", locked=True))
                self._keys = {one.key_id or "": one.key for one in self._jwt.PyJWKSet.from_dict(document).keys}
                self._keys_read = now
            keys = self._keys
        if number not in keys:
            raise self._jwt.InvalidKeyError("no such key")
        return keys[number]

    def _endpoint(self, name: str, locked: bool = False) -> str:
        address = (self._discover() if locked else self._discovered()).get(name)
        if not isinstance(address, str) or not _trusted(address):
            raise Problem(401, f"The provider {self.settings.issuer} does not say its {name}.", "Tell an admin.")
        return address

    def _discovered(self) -> Mapping[str, object]:
        with self._lock:
            return self._discover()

    def _discover(self) -> Mapping[str, object]:
        now = time.monotonic()
        if not self._document or now - self._read > _KEPT:
            document = self._get(f"{self.settings.issuer.rstrip('/')}/.well-known/openid-configuration")
            if document.get("issuer") != self.settings.issuer:
                raise Problem(401, f"The provider calls itself other than {self.settings.issuer}.", "Tell an admin.")
            self._document, self._read = document, now
        return self._document

    @staticmethod
    def _get(address: str) -> dict[str, object]:
        try:
            answer = httpx.get(address, timeout=_TIMEOUT)
            answer.raise_for_status()
            document = answer.json()
        except (httpx.HTTPError, ValueError) as error:
            raise Problem(401, "The provider does not answer as it should.", "Try again later.") from error
        if not isinstance(document, dict):
            raise Problem(401, "The provider does not answer as it should.", "Tell an admin.")
        return document


def _trusted(address: str) -> bool:
    """Whether nobody on the way can read or change what goes there."""
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or ""))


def admit(context: AppContext, issuer: str, person: Vouched) -> Account:
    """The account of somebody whom a provider vouches for: the linked one, or one invited by e-mail or subject.

    An error where nobody invited them: the provider says who somebody is, and not who may enter.
    """
    store = context.store
    name = store.identities.account(issuer, person.subject)
    if name is None:
        name = _invited(context, issuer, person)
    account = None if name is None else store.accounts.find(name)
    if name is None or account is None or not account.active:
        context.audit("", "sign-in refused", name=name or person.email or person.subject, issuer=issuer)
        raise Problem(403, "Nobody has invited you here.", "Ask an admin to invite your e-mail address.")
    _take_invitations(context, name)
    context.audit(name, "sign-in", issuer=issuer)
    return store.accounts.get(name)


def _invited(context: AppContext, issuer: str, person: Vouched) -> str | None:
    """The name of the account that now belongs to a person, made where it was only invited; None where it was not."""
    store = context.store
    for name in (person.email, person.subject):
        if not is_name(name):
            continue
        there = store.accounts.find(name)
        member = there is not None and (there.role == "admin" or bool(store.memberships.of(name)))
        invitations = store.invitations.for_person(name, context.now())
        if not (member or invitations) or store.identities.linked(issuer, name):
            continue
        if there is None:
            try:
                store.invitations.use(invitations[0][0], name, NO_PASSWORD, context.now())
            except (UsageError, InputError):
                continue  # somebody else was quicker
        store.identities.add(issuer, person.subject, name)
        context.audit(name, "account linked", issuer=issuer)
        return store.identities.account(issuer, person.subject)
    return None


def _take_invitations(context: AppContext, name: str) -> None:
    """Lets an account into whatever it was invited to meanwhile."""
    for token, _ in context.store.invitations.for_person(name, context.now()):
        try:
            taken = context.store.invitations.join(token, name, context.now())
        except (UsageError, InputError):
            continue
        context.audit(name, "invitation accepted", role=taken.role, project=taken.project)
