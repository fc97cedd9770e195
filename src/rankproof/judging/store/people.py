"""People in the store: accounts, what they are in which project, and the audit log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, update

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.judging.records import ROLES, Account, Judgment, Membership, Role
from rankproof.judging.store import tables
from rankproof.judging.store.database import Database, add_once
from rankproof.judging.store.items import KnownProjects
from rankproof.judging.store.values import fitting, now

# What an account is by itself, unless it rules the server.
PLAIN: Role = "viewer"


class Accounts:
    """The accounts, with the hashes of their passwords."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, name: str, role: Role, password_hash: str) -> Account:
        """A new account. Its role is its own: what it may do in a project stands in its membership."""
        return self._database.write(lambda c: insert_account(c, self._database, name, role, password_hash))

    def get(self, name: str) -> Account:
        """An account by its name."""
        account = self.find(name)
        if account is None:
            raise UnknownName("account", name, [account.name for account in self.all()] or ["none yet"])
        return account

    def find(self, name: str) -> Account | None:
        """An account by its name; None where there is none."""
        c = tables.accounts.c
        with self._database.reading() as connection:
            row = connection.execute(select(c.name, c.role, c.active).where(c.name == name)).first()
        return None if row is None else Account(*row)

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
        """Gives an account another role of its own, from its next request on."""
        refuse_role(role)
        self._change(name, role=role)

    def change_password(self, name: str, password_hash: str) -> None:
        """Gives an account another password and ends its sessions and its links for passwords."""
        self._change(name, password=password_hash)

    def deactivate(self, name: str) -> None:
        """Closes an account and ends its sessions; its judgments stay."""
        self._change(name, active=False)

    def activate(self, name: str) -> None:
        """Opens a closed account again."""
        self._change(name, active=True)

    def _change(self, name: str, **values: str | bool) -> None:
        self.get(name)
        table = tables.accounts

        def work(connection: Connection) -> None:
            connection.execute(update(table).where(table.c.name == name).values(**values))
            if values.get("active") is False or "password" in values:
                for open_door in (tables.sessions, tables.resets):
                    connection.execute(open_door.delete().where(open_door.c.account == name))

        self._database.write(work)


def insert_account(connection: Connection, database: Database, name: str, role: Role, password_hash: str) -> Account:
    """Adds an account in a transaction of somebody else."""
    refuse_role(role)
    if not name.strip() or name != name.strip() or not name.isprintable():
        raise UsageError(f"{name!r} is no name for an account. Use letters, digits and signs that can be seen.")
    row = fitting(tables.accounts)(
        {"name": name, "role": role, "password": password_hash, "active": True, "time": now()}
    )
    if connection.execute(add_once(tables.accounts, database), row).rowcount != 1:
        raise UsageError(f"There is an account {name!r} already. Choose another name.")
    return Account(name, role)


def refuse_role(role: str) -> None:
    """An error where there is no such role."""
    if role not in ROLES:
        raise UnknownName("role", role, ROLES)


class Memberships:
    """What each account is in each project. Without one, a project is not there for an account."""

    def __init__(self, database: Database, known: KnownProjects) -> None:
        self._database, self._known = database, known

    def put(self, account: str, slug: str, role: Role, by: str) -> None:
        """Makes an account something in a project, in place of what it was there."""
        refuse_role(role)
        self._known.require(slug)
        row = fitting(tables.memberships)({"account": account, "project": slug, "role": role, "by": by, "time": now()})
        self._database.write(lambda connection: put_membership(connection, self._database, row))

    def remove(self, account: str, slug: str) -> bool:
        """Takes an account out of a project; False where it was not in it. What it said stays."""
        table = tables.memberships
        return self._database.run(table.delete().where(table.c.account == account, table.c.project == slug)) > 0

    def of(self, account: str) -> dict[str, Role]:
        """The role of an account by project."""
        c = tables.memberships.c
        with self._database.reading() as connection:
            rows = connection.execute(select(c.project, c.role).where(c.account == account)).all()
        return {row.project: row.role for row in rows}

    def all(self, slug: str) -> list[Membership]:
        """Everybody in a project, by name."""
        c = tables.memberships.c
        statement = select(c.account, c.project, c.role, c.by, c.time).where(c.project == self._known.require(slug))
        with self._database.reading() as connection:
            return [Membership(*row) for row in connection.execute(statement.order_by(c.account))]

    def refuse_settling(self, slug: str, acts: Iterable[object]) -> None:
        """An error where an act settles a pair in the name of an account that may not: that takes a reviewer.

        A name without an account is somebody outside the workbench, whom whoever imports the file answers for.
        """
        names = sorted({act.judge for act in acts if isinstance(act, Judgment) and act.settles})
        for name in names:
            account = self._database_account(name)
            if account is None:
                continue
            role: Role | None = "admin" if account.role == "admin" else self.of(name).get(slug)
            if role is None or not Account(name, role).may("reviewer"):
                raise InputError(
                    f"{name} has the role {role or 'of nobody'} in {slug}, and settling takes a reviewer. "
                    "Nothing was added. Give the role first, or leave these acts out."
                )

    def _database_account(self, name: str) -> Account | None:
        return Accounts(self._database).find(name)


def put_membership(connection: Connection, database: Database, row: Mapping[str, object]) -> None:
    """Adds or changes a membership in a transaction of somebody else."""
    table = tables.memberships
    if connection.execute(add_once(table, database), row).rowcount != 1:
        connection.execute(
            update(table)
            .where(table.c.account == row["account"], table.c.project == row["project"])
            .values(role=row["role"], by=row["by"], time=row["time"])
        )


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
