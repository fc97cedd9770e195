"""Sessions in the store: who is signed in. A token comes here as its hash: who reads the store cannot use it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import delete, insert, select

from rankproof.records.account import Account
from rankproof.store.judging import tables
from rankproof.store.judging.clock import moment, now
from rankproof.store.judging.database import Database
from rankproof.store.judging.fitting import fitting


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody signed in: the name of the account. `csrf` must come with everything they send."""

    account: str
    csrf: str
    expires: str


class Sessions:
    """The sessions that have not ended. Whoever finds one looks at when it expires."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, token: str, account: str, csrf: str, expires: str) -> None:
        """A new session."""
        row = {"token": token, "account": account, "csrf": csrf, "expires": moment(expires), "time": now()}
        self._database.run(insert(tables.sessions).inline(), fitting(tables.sessions)(row))

    def find(self, token: str) -> Session | None:
        """The session of a token's hash."""
        c = tables.sessions.c
        with self._database.reading() as connection:
            row = connection.execute(select(c.account, c.csrf, c.expires).where(c.token == token)).first()
        return None if row is None else Session(*row)

    def with_account(self, token: str) -> tuple[Session, Account] | None:
        """The session of a token's hash and its account, as it is now, in one question."""
        s, a = tables.sessions.c, tables.accounts.c
        asked = select(s.account, s.csrf, s.expires, a.role, a.active).join(tables.accounts, a.name == s.account)
        with self._database.reading() as connection:
            row = connection.execute(asked.where(s.token == token)).first()
        return None if row is None else (Session(*row[:3]), Account(row.account, row.role, row.active))

    def end(self, token: str) -> None:
        """Signs out."""
        self._database.run(delete(tables.sessions).where(tables.sessions.c.token == token))

    def end_all(self, account: str) -> None:
        """Signs an account out everywhere."""
        self._database.run(delete(tables.sessions).where(tables.sessions.c.account == account))

    def sweep(self, at: str) -> int:
        """Clears away what expired before a moment; how many."""
        return self._database.run(delete(tables.sessions).where(tables.sessions.c.expires <= moment(at)))
