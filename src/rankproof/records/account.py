"""Account: who may do what. A role may do everything that the roles before it may."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Role = Literal["viewer", "judge", "admin"]
ROLES: tuple[Role, ...] = ("viewer", "judge", "admin")
# Plain, so that nobody can pass for somebody else by a look-alike.
_NAME = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,63}")
NAMES = "1 to 64 letters from a to z, digits and . _ @ + - , beginning with a letter or a digit"


def is_name(text: str) -> bool:
    """Whether an account may be called so; `NAMES` says what is possible."""
    return _NAME.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who may sign in. The name stands beside everything they say."""

    name: str
    role: Role
    active: bool = True

    def may(self, role: Role) -> bool:
        """Whether this account may do what `role` may."""
        return self.active and ROLES.index(self.role) >= ROLES.index(role)
