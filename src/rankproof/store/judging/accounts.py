"""Accounts in the store: who may sign in, in which role. Nobody is ever deleted, since acts carry their names."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, select, update

from rankproof.errors import UnknownName, UsageError
from rankproof.records.account import ROLES, Account, Role
from rankproof.store.judging import tables
from rankproof.store.judging.adding import add_once
from rankproof.store.judging.clock import now
from rankproof.store.judging.database import Database
from rankproof.store.judging.fitting import fitting

__all__ = ["Accounts", "insert_account"]


class Accounts:
    """The accounts, with the hashes of their passwords."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, name: str, role: Role, password_hash: str) -> Account:
        """A new account."""
        return self._database.write(lambda c: insert_account(c, self._database, name, role, password_hash))

    def get(self, name: str) -> Account:
        """An account by its name."""
        c = tables.accounts.c
        with self._database.reading() as connection:
            row = connection.execute(select(c.name, c.role, c.active).where(c.name == name)).first()
        if row is None:
            raise UnknownName("account", name, [account.name for account in self.all()] or ["none yet"])
        return Account(*row)

    def password(self, name: str) -> str | None:
        """The hash of an account's password, active or not; None where there is no such account."""
        c = tables.accounts.c
        asked = select(c.password).where(c.name == name)
        with self._database.reading() as connection:
            return connection.execute(asked).scalar()

    def all(self) -> list[Account]:
        """Every account, by the time it was made."""
        c = tables.accounts.c
        with self._database.reading() as connection:
            rows = connection.execute(select(c.name, c.role, c.active).order_by(c.time)).all()
        return [Account(*row) for row in rows]

    def change_role(self, name: str, role: Role) -> None:
        """Gives an account another role, from its next request on."""
        _refuse_role(role)
        self._change(name, role=role)

    def change_password(self, name: str, password_hash: str) -> None:
        """Gives an account another password and ends its sessions."""
        self._change(name, password=password_hash)

    def deactivate(self, name: str) -> None:
        """Closes an account and ends its sessions; what it said stays."""
        self._change(name, active=False)

    def activate(self, name: str) -> None:
        """Opens a closed account again."""
        self._change(name, active=True)

    def _change(self, name: str, **values: Any) -> None:
        self.get(name)
        table, sessions = tables.accounts, tables.sessions

        def work(connection: Connection) -> None:
            connection.execute(update(table).where(table.c.name == name).values(**values))
            if values.get("active") is False or "password" in values:
                connection.execute(sessions.delete().where(sessions.c.account == name))

        self._database.write(work)


def insert_account(connection: Connection, database: Database, name: str, role: Role, password_hash: str) -> Account:
    """Adds an account in a transaction of somebody else."""
    _refuse_role(role)
    if not name.strip() or name != name.strip() or not name.isprintable():
        raise UsageError(f"{name!r} is no name for an account. Use letters, digits and signs that can be seen.")
    row = fitting(tables.accounts)(
        {"name": name, "role": role, "password": password_hash, "active": True, "time": now()}
    )
    if connection.execute(add_once(tables.accounts, database), row).rowcount != 1:
        raise UsageError(f"There is an account {name!r} already. Choose another name.")
    return Account(name, role)


def _refuse_role(role: str) -> None:
    if role not in ROLES:
        raise UnknownName("role", role, ROLES)
