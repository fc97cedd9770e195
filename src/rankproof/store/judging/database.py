"""Database: connections to read with, and writes that are on the disk when they return.

SQLite runs with a write-ahead log (readers never wait), foreign keys, and a commit that reaches the disk
(synchronous=FULL). PostgreSQL is taken as it is set up. Writes of one process go one after the other, many in one
commit (turns.py).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection, Engine, Executable, create_engine, event
from sqlalchemy.exc import DBAPIError, IntegrityError

from rankproof.errors import InputError, MissingExtra, UsageError
from rankproof.store.judging.address import Address
from rankproof.store.judging.fitting import Row
from rankproof.store.judging.turns import Turns, Write

T = TypeVar("T")

SECONDS_TO_WAIT = 30  # for another process that writes to the same SQLite file
_WRITING = "rankproof_writing"


@dataclass(frozen=True, slots=True)
class Joint(Generic[T]):
    """A write of one row that can be made by one statement with others of its kind: one way to the server for all.

    one    adds the row
    many   adds several; what became of each, in their order
    """

    one: Callable[[Connection, Row], T]
    many: Callable[[Connection, Sequence[Row]], Sequence[T]]
    row: Row

    def __call__(self, connection: Connection) -> T:
        """Adds the row by itself."""
        return self.one(connection, self.row)


class Database:
    """The database of a store. Used by many threads at once."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._engine = _engine(address)
        # Readers run statement by statement. One pool of connections serves both.
        reading = {} if self.is_sqlite else {"isolation_level": "AUTOCOMMIT"}
        self._reader = self._engine.execution_options(**reading)
        self._writer = self._engine.execution_options(**{_WRITING: True})
        self._turns = Turns(self._commit)

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a file."""
        return bool(self.address.path)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection to read with; each statement sees what is committed at that moment."""
        with self._told("read"), self._reader.connect() as connection:
            yield connection

    def write(self, work: Callable[[Connection], T]) -> T:
        """What `work` gives, committed. It may be run twice: once with others, then alone when one of them failed."""
        return self._turns.take(work)

    def run(self, statement: Executable, rows: Row | list[Row] | None = None) -> int:
        """Writes by one statement; how many rows it added or changed."""
        return self.write(lambda connection: connection.execute(statement, rows).rowcount)

    @contextmanager
    def alone(self) -> Iterator[Connection]:
        """A transaction that nobody shares, for migrations."""
        with self._told("written"), self._writer.begin() as connection:
            yield connection

    def close(self) -> None:
        """Closes every connection."""
        self._engine.dispose()

    def _commit(self, writes: Sequence[Write[Any]]) -> None:
        with self._told("written"), self._writer.begin() as connection:
            for many, alike in groupby(writes, key=self._many):
                group = list(alike)
                if many is None or len(group) == 1:
                    for write in group:
                        write.worth = write.work(connection)
                else:
                    for write, worth in zip(group, many(connection, [w.work.row for w in group]), strict=True):
                        write.worth = worth

    def _many(self, write: Write[Any]) -> Callable[[Connection, Sequence[Row]], Sequence[Any]] | None:
        """What writes this together with others. SQLite is no way off: there it costs more than it saves."""
        return write.work.many if isinstance(write.work, Joint) and not self.is_sqlite else None

    @contextmanager
    def _told(self, doing: str) -> Iterator[None]:
        """Faults of the database itself as an error that names the store, without a password."""
        try:
            yield
        except IntegrityError:
            raise
        except DBAPIError as error:
            raise InputError(f"The store {self.address} cannot be {doing}: {_why(error)}.") from error


def _why(error: DBAPIError) -> str:
    return " ".join(str(error.orig).split()).rstrip(".")


def _engine(address: Address) -> Engine:
    if not address.path:
        return _postgres(address)
    # A store holds hashes of passwords: a new one is for its owner alone. Its log gets the same rights by itself.
    with suppress(FileExistsError):
        try:
            os.close(os.open(address.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except PermissionError:
            raise UsageError(f"{address.path} cannot be made: no permission. Name another file.") from None
    engine = create_engine(
        address.url,
        connect_args={"check_same_thread": False, "timeout": SECONDS_TO_WAIT},
        pool_size=16,
        max_overflow=48,
        hide_parameters=True,
    )

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, record: object) -> None:
        connection.isolation_level = None  # the library begins no transactions; `_begun` does
        for pragma in ("foreign_keys=ON", "synchronous=FULL", "cache_size=-16000", "temp_store=MEMORY"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        # Readers run statement by statement. A writer takes its turn at the beginning: one that only finds out later
        # that it has to write, and that somebody else did, would have to give up.
        if connection.get_execution_options().get(_WRITING):
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _postgres(address: Address) -> Engine:
    try:
        return create_engine(address.url, pool_size=8, max_overflow=24, pool_pre_ping=True, hide_parameters=True)
    except ModuleNotFoundError:
        raise MissingExtra("A store in PostgreSQL", "psycopg", "postgres") from None
