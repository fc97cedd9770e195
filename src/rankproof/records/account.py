"""Account: who may do what. A role may do everything that the roles before it may."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["viewer", "judge", "admin"]
ROLES: tuple[Role, ...] = ("viewer", "judge", "admin")


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who may sign in. The name stands beside everything they say."""

    name: str
    role: Role
    active: bool = True

    def may(self, role: Role) -> bool:
        """Whether this account may do what `role` may."""
        return self.active and ROLES.index(self.role) >= ROLES.index(role)
