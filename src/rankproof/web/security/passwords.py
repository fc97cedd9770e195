"""Passwords: kept as Argon2id hashes (RFC 9106), checked in the same time whether or not the name is known."""

from __future__ import annotations

from functools import cache
from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from rankproof.web.problems import Problem

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

    def matches(self, kept: str | None, password: str) -> bool:
        """Whether it is the password of a hash; None stands for a name that nobody has, and never matches."""
        with self._turns:
            try:
                right = self._hasher.verify(kept or self._nobody, password.encode("utf-8", "surrogatepass"))
            except (VerificationError, InvalidHashError):
                return False
        return right and kept is not None
