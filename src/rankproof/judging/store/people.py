"""People in the store: accounts, invitations, sessions and the audit log. Tokens are stored as hashes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, delete, insert, select, update

from rankproof.errors import UnknownName, UsageError
from rankproof.judging.records import ROLES, Account, Role
from rankproof.judging.store import tables
from rankproof.judging.store.database import Database, add_once
from rankproof.judging.store.values import fitting, moment, now

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
        statement = select(c.password).where(c.name == name)
        with self._database.reading() as connection:
            return connection.execute(statement).scalar()

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
        """Closes an account and ends its sessions; its judgments stay."""
        self._change(name, active=False)

    def activate(self, name: str) -> None:
        """Opens a closed account again."""
        self._change(name, active=True)

    def _change(self, name: str, **values: str | bool) -> None:
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
            row = connection.execute(_select_invitations().where(c.token == token)).first()
        return None if row is None else Invitation(*row)

    def all(self) -> list[Invitation]:
        """Every invitation, the oldest first."""
        with self._database.reading() as connection:
            return [
                Invitation(*row)
                for row in connection.execute(_select_invitations().order_by(tables.invitations.c.time))
            ]

    def use(self, token: str, name: str, password_hash: str, at: str = "") -> Account:
        """Makes the account and uses the invitation up, both or neither; of two at once only one gets it.

        `at` is the moment that it must not have expired by: now where it is empty.
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


def _select_invitations() -> Select[Any]:
    c = tables.invitations.c
    return select(c.role, c.by, c.expires, c.time, c.used_by)


@dataclass(frozen=True, slots=True)
class StoredSession:
    """Somebody signed in: the name of the account. `csrf` must come with everything they send."""

    account: str
    csrf: str
    expires: str


class SessionTable:
    """The sessions that have not ended. Whoever finds one looks at when it expires."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, token: str, account: str, csrf: str, expires: str) -> None:
        """A new session."""
        row = {"token": token, "account": account, "csrf": csrf, "expires": moment(expires), "time": now()}
        self._database.run(insert(tables.sessions).inline(), fitting(tables.sessions)(row))

    def find(self, token: str) -> StoredSession | None:
        """The session of a token's hash."""
        c = tables.sessions.c
        with self._database.reading() as connection:
            row = connection.execute(select(c.account, c.csrf, c.expires).where(c.token == token)).first()
        return None if row is None else StoredSession(*row)

    def with_account(self, token: str) -> tuple[StoredSession, Account] | None:
        """The session of a token's hash and its account, as it is now, in one question."""
        s, a = tables.sessions.c, tables.accounts.c
        statement = select(s.account, s.csrf, s.expires, a.role, a.active).join(tables.accounts, a.name == s.account)
        with self._database.reading() as connection:
            row = connection.execute(statement.where(s.token == token)).first()
        return None if row is None else (StoredSession(*row[:3]), Account(row.account, row.role, row.active))

    def end(self, token: str) -> None:
        """Signs out."""
        self._database.run(delete(tables.sessions).where(tables.sessions.c.token == token))

    def end_all(self, account: str) -> None:
        """Signs an account out everywhere."""
        self._database.run(delete(tables.sessions).where(tables.sessions.c.account == account))

    def sweep(self, at: str) -> int:
        """Clears away what expired before a moment; how many."""
        return self._database.run(delete(tables.sessions).where(tables.sessions.c.expires <= moment(at)))


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """Something that was done. `account` is empty where nobody was signed in."""

    id: int
    time: str
    account: str
    action: str
    detail: dict[str, object]


class Audit:
    """The log, which only grows."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, account: str, action: str, detail: Mapping[str, object] | None = None) -> None:
        """Another entry."""
        row = fitting(tables.audit)({"time": now(), "account": account, "action": action, "detail": dict(detail or {})})
        self._database.run(insert(tables.audit).inline(), row)

    def all(self, *, newest: int | None = None, before: int | None = None) -> list[AuditEntry]:
        """Entries, the newest first; `newest` many at most, of those before the id `before`."""
        c = tables.audit.c
        statement = select(c.id, c.time, c.account, c.action, c.detail).order_by(c.id.desc())
        if before is not None:
            statement = statement.where(c.id < before)
        if newest is not None:
            statement = statement.limit(newest)
        with self._database.reading() as connection:
            return [AuditEntry(*row) for row in connection.execute(statement)]
