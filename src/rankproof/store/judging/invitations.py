"""Invitations in the store: each lets one person make one account. A token comes here as its hash."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, insert, select, update

from rankproof.errors import UsageError
from rankproof.records.account import Account, Role
from rankproof.store.judging import tables
from rankproof.store.judging.accounts import insert_account
from rankproof.store.judging.clock import moment, now
from rankproof.store.judging.database import Database
from rankproof.store.judging.fitting import fitting


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation as the store knows it. `used_by` is the account that was made with it."""

    role: Role
    by: str
    expires: str
    time: str
    used_by: str | None = None


class Invitations:
    """The invitations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, token: str, role: Role, by: str, expires: str) -> None:
        """A new invitation, good for one account until it expires."""
        row = fitting(tables.invitations)(
            {"token": token, "role": role, "by": by, "expires": moment(expires), "time": now()}
        )
        self._database.run(insert(tables.invitations).inline(), row)

    def get(self, token: str) -> Invitation | None:
        """The invitation of a token's hash, used ones and expired ones too."""
        c = tables.invitations.c
        with self._database.reading() as connection:
            row = connection.execute(_asked().where(c.token == token)).first()
        return None if row is None else Invitation(*row)

    def all(self) -> list[Invitation]:
        """Every invitation, the oldest first."""
        with self._database.reading() as connection:
            return [Invitation(*row) for row in connection.execute(_asked().order_by(tables.invitations.c.time))]

    def use(self, token: str, name: str, password_hash: str, at: str = "") -> Account:
        """Makes the account and uses the invitation up, both or neither; of two at once only one gets it.

        `at` is the moment that it must not have expired by: now where nothing is said.
        """
        table, by_when = tables.invitations, moment(at)

        def work(connection: Connection) -> Account:
            taken = connection.execute(
                update(table)
                .where(table.c.token == token, table.c.used_by.is_(None), table.c.expires > by_when)
                .values(used_by=name)
            )
            if taken.rowcount != 1:
                raise UsageError("This invitation is not open: used, expired or never made. Ask for a new one.")
            role: Role = connection.execute(select(table.c.role).where(table.c.token == token)).scalar_one()
            return insert_account(connection, self._database, name, role, password_hash)

        return self._database.write(work)


def _asked() -> Select[Any]:
    c = tables.invitations.c
    return select(c.role, c.by, c.expires, c.time, c.used_by)
