"""Signing in, as the store knows it: sessions, who an account is at a provider, and tries that have not succeeded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from sqlalchemy import Connection, delete, insert, select

from rankproof.judging.records import Account, Role
from rankproof.judging.store import tables
from rankproof.judging.store.database import Database, add_once
from rankproof.judging.store.values import fitting, moment, now, shown

T = TypeVar("T")
# A number that nothing else in a PostgreSQL database locks by.
_TRIES = 0x72616E6B74726965


@dataclass(frozen=True, slots=True)
class StoredSession:
    """Somebody signed in: the name of the account. `csrf` must come with everything they send."""

    account: str
    csrf: str
    expires: str


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session as it is listed: since when, until when, from where. `handle` names it and opens nothing."""

    handle: str
    account: str
    time: str
    expires: str
    address: str
    agent: str


@dataclass(frozen=True, slots=True)
class FoundSession:
    """A session, its account as it is now, and what the account is in which project."""

    session: StoredSession
    account: Account
    roles: Mapping[str, Role] = field(default_factory=dict)


_HANDLE = 16  # digits of the hash


class SessionTable:
    """The sessions that have not ended. Whoever finds one looks at when it expires."""

    def __init__(self, database: Database) -> None:
        self._database = database
        s, a, m = tables.sessions.c, tables.accounts.c, tables.memberships.c
        self._with_account = (
            select(s.token, s.account, s.csrf, s.expires, a.role, a.active, m.project, m.role.label("there"))
            .join(tables.accounts, a.name == s.account)
            .outerjoin(tables.memberships, m.account == s.account)
        )

    def add(self, token: str, account: str, csrf: str, expires: str, address: str = "", agent: str = "") -> None:
        """A new session, with where it was opened from."""
        row = {
            "token": token, "account": account, "csrf": csrf, "expires": moment(expires), "time": now(),
            "address": shown(address)[:64], "agent": shown(agent)[:200],
        }  # fmt: skip
        self._database.run(insert(tables.sessions).inline(), fitting(tables.sessions)(row))

    def find(self, token: str) -> StoredSession | None:
        """The session of a token's hash."""
        c = tables.sessions.c
        with self._database.reading() as connection:
            row = connection.execute(select(c.account, c.csrf, c.expires).where(c.token == token)).first()
        return None if row is None else StoredSession(*row)

    def with_account(self, token: str) -> FoundSession | None:
        """The session of a token's hash, its account and its memberships, as they are now, in one question."""
        with self._database.reading() as connection:
            rows = connection.execute(self._with_account.where(tables.sessions.c.token == token)).all()
        if not rows:
            return None
        first = rows[0]
        return FoundSession(
            StoredSession(first.account, first.csrf, first.expires),
            Account(first.account, first.role, first.active),
            {row.project: row.there for row in rows if row.project is not None},
        )

    def all(self, account: str, at: str) -> list[OpenSession]:
        """The sessions of an account that hold at a moment, the newest first."""
        c = tables.sessions.c
        statement = select(c.token, c.account, c.time, c.expires, c.address, c.agent).where(
            c.account == account, c.expires > moment(at)
        )
        with self._database.reading() as connection:
            rows = connection.execute(statement.order_by(c.time.desc())).all()
        return [OpenSession(row[0][:_HANDLE], *row[1:4], row.address or "", row.agent or "") for row in rows]

    def end(self, token: str) -> None:
        """Signs out."""
        self._database.run(delete(tables.sessions).where(tables.sessions.c.token == token))

    def end_one(self, account: str, handle: str) -> bool:
        """Ends the session of an account that is listed under a handle; False where there is none."""
        c = tables.sessions.c
        if len(handle) < _HANDLE:
            return False
        ended = delete(tables.sessions).where(c.account == account, c.token.startswith(handle, autoescape=True))
        return self._database.run(ended) > 0

    def end_all(self, account: str, but: str = "") -> None:
        """Signs an account out everywhere, but for the session of one token's hash."""
        c = tables.sessions.c
        self._database.run(delete(tables.sessions).where(c.account == account, c.token != but))

    def sweep(self, at: str) -> int:
        """Clears away what expired before a moment; how many."""
        return self._database.run(delete(tables.sessions).where(tables.sessions.c.expires <= moment(at)))


class Identities:
    """Who accounts are at providers of sign-in: by the provider and its unchanging name for a person."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def account(self, issuer: str, subject: str) -> str | None:
        """The name of the account; None where nobody is linked."""
        c = tables.identities.c
        statement = select(c.account).where(c.issuer == issuer, c.subject == subject)
        with self._database.reading() as connection:
            return connection.execute(statement).scalar()

    def linked(self, issuer: str, account: str) -> bool:
        """Whether an account is linked to somebody at a provider."""
        c = tables.identities.c
        statement = select(c.subject).where(c.issuer == issuer, c.account == account).limit(1)
        with self._database.reading() as connection:
            return connection.execute(statement).first() is not None

    def add(self, issuer: str, subject: str, account: str) -> bool:
        """Links an account; False where the person is linked already."""
        row = fitting(tables.identities)({"issuer": issuer, "subject": subject, "account": account, "time": now()})
        return self._database.run(add_once(tables.identities, self._database), row) == 1


@dataclass(frozen=True, slots=True)
class CountedTries:
    """Tries under a key: how many, until when to wait, and when the last one was, in seconds since 1970."""

    count: int
    until: float
    last: float


class SignInTries:
    """Counts of tries, shared by every server of the store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def change(
        self, keys: Sequence[str], work: Callable[[dict[str, CountedTries]], tuple[dict[str, CountedTries], T]]
    ) -> T:
        """Hands what is counted under the keys to `work` and keeps what it gives back; nobody else changes it then."""
        table = tables.tries

        def together(connection: Connection) -> T:
            self._database.one_at_a_time(connection, _TRIES)
            columns = (table.c.key, table.c.count, table.c.until, table.c.last)
            rows = connection.execute(select(*columns).where(table.c.key.in_(keys)))
            before = {key: CountedTries(count, until, last) for key, count, until, last in rows}
            after, result = work(before)
            if after != before:
                connection.execute(delete(table).where(table.c.key.in_(keys)))
                if after:
                    rows_after = [
                        {"key": key, "count": one.count, "until": one.until, "last": one.last}
                        for key, one in after.items()
                    ]
                    connection.execute(insert(table).inline(), rows_after)
            return result

        return self._database.write(together)

    def sweep(self, before: float) -> None:
        """Forgets keys whose last try was before a moment."""
        self._database.run(delete(tables.tries).where(tables.tries.c.last < before))
