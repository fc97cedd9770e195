"""Credentials: account names, passwords as Argon2id hashes, random tokens, and who is signed in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from hmac import compare_digest
from secrets import token_urlsafe
from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from rankproof.judging.records import NAMES, Account, Role, is_name
from rankproof.web.problems import Problem


def read_name(typed: str) -> str:
    """The name in small letters; an error where it holds anything but letters, digits and . _ @ + -"""
    name = typed.strip().lower()
    if not is_name(name):
        raise Problem(422, "This cannot be the name of an account.", f"Take {NAMES}.")
    return name


SHORTEST = 12
LONGEST = 200


# Made once: a hash that nobody's password has, at the cost of a real one.
@cache
def _nobody(hasher: PasswordHasher) -> str:
    return hasher.hash("nobody has this password")


_USUAL = PasswordHasher()


class Passwords:
    """Makes and checks hashes, two at a time: each takes 64 MiB, and guessing should not take the machine."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or _USUAL
        self._turns = BoundedSemaphore(2)
        # Now, so that the first unknown name takes no longer than those after it.
        self._nobody = _nobody(self._hasher)

    def hash(self, password: str) -> str:
        """The hash to keep; an error where the password is too short or too long."""
        if not SHORTEST <= len(password) <= LONGEST:
            raise Problem(
                422,
                f"The password has {len(password)} characters.",
                f"Take {SHORTEST} to {LONGEST}: a sentence is good.",
            )
        with self._turns:
            return self._hasher.hash(password.encode("utf-8", "surrogatepass"))

    def matches(self, stored: str | None, password: str) -> bool:
        """Whether it is the password of a hash; None stands for a name that nobody has, and never matches."""
        with self._turns:
            try:
                right = self._hasher.verify(stored or self._nobody, password.encode("utf-8", "surrogatepass"))
            except (VerificationError, InvalidHashError):
                return False
        return right and stored is not None


_FORM = re.compile(r"[A-Za-z0-9_-]{43}")


def new_token() -> str:
    """256 random bits, for URLs, cookies and forms."""
    return token_urlsafe(32)


def is_token(text: str | None) -> bool:
    """Whether a text has the form of a token."""
    return text is not None and _FORM.fullmatch(text) is not None


def digest(token: str) -> str:
    """The hash that is stored for a token. Tokens are random and long, so that a plain hash cannot be reversed."""
    return sha256(token.encode("utf-8", "replace")).hexdigest()


def same(one: str, other: str) -> bool:
    """Whether two texts are the same, in a time that does not tell where they differ."""
    return compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Somebody with a session.

    csrf     what their forms carry, so that no other site can send one in their name
    token    the hash of the session's token
    expires  when it ends
    cookie   whether the browser sent the token by itself; forged requests come only so
    roles    what the account is in which project
    """

    account: Account
    csrf: str
    token: str
    expires: str
    cookie: bool = False
    roles: Mapping[str, Role] = field(default_factory=dict)
