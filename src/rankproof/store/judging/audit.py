"""The audit log in the store: who did what that matters for access and settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import insert, select

from rankproof.store.judging import tables
from rankproof.store.judging.clock import now
from rankproof.store.judging.database import Database
from rankproof.store.judging.fitting import fitting


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """Something that was done. `account` is empty where nobody was signed in."""

    id: int
    time: str
    account: str
    action: str
    detail: dict[str, Any]


class Audit:
    """The log, which only grows."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, account: str, action: str, detail: Mapping[str, Any] | None = None) -> None:
        """Another entry."""
        row = fitting(tables.audit)({"time": now(), "account": account, "action": action, "detail": dict(detail or {})})
        self._database.run(insert(tables.audit).inline(), row)

    def all(self, *, newest: int | None = None, before: int | None = None) -> list[AuditEntry]:
        """Entries, the newest first; `newest` many at most, of those before the id `before`."""
        c = tables.audit.c
        asked = select(c.id, c.time, c.account, c.action, c.detail).order_by(c.id.desc())
        if before is not None:
            asked = asked.where(c.id < before)
        if newest is not None:
            asked = asked.limit(newest)
        with self._database.reading() as connection:
            return [AuditEntry(*row) for row in connection.execute(asked)]
