"""Database: connections for reading, and writes of many threads that share commits and are on disk when they return.

SQLite runs with a write-ahead log (readers never wait), foreign keys, and a commit that reaches the disk
(synchronous=FULL). PostgreSQL is taken as it is set up. Writes of one process go one after the other, many in one
commit. Those of several processes do too: SQLite has one writer, and under PostgreSQL each transaction that writes
takes one lock first. So rows are numbered in the order of commits: who has seen a number has seen all before it.

Whoever comes while somebody writes waits. Who has written hands the turn to the one who has waited longest, and that
one writes for everybody who waits by then. So fifty judges who save at once wait for two commits, not for fifty, and
there is no thread of its own that could die with their words.
"""

from __future__ import annotations

import os
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby
from threading import Lock
from typing import Any, Generic, TypeVar, cast

from sqlalchemy import Connection, Engine, Executable, Insert, Table, create_engine, event, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError

from rankproof.errors import InputError, UsageError
from rankproof.judging.store.values import Row
from rankproof.kernel.libraries import missing

T = TypeVar("T")

MOST_TOGETHER = 200  # writes in one commit: nobody waits for more than these


class Write:
    """A write that waits for its turn, and what became of it. `leads`: it is to write for all."""

    __slots__ = ("_latch", "done", "error", "leads", "work", "worth")

    def __init__(self, work: Callable[[Connection], object]) -> None:
        self.work = work
        self.done = self.leads = False
        self.error: BaseException | None = None
        self.worth: object = None
        self._latch = Lock()
        self._latch.acquire()

    def wait(self) -> None:
        """Until somebody calls."""
        self._latch.acquire()

    def call(self) -> None:
        """It was written, or it is its turn."""
        self._latch.release()


class Turns:
    """The queue. `commit` writes several in one transaction, or raises and has written none."""

    def __init__(self, commit: Callable[[Sequence[Write]], None]) -> None:
        self._commit = commit
        self._waiting: deque[Write] = deque()
        self._door = Lock()
        self._taken = False

    def take(self, work: Callable[[Connection], T]) -> T:
        """What `work` gives, committed. It is run again, alone, when one of those it was written with failed."""
        mine = Write(work)
        with self._door:
            self._waiting.append(mine)
            mine.leads, self._taken = not self._taken, True
        if not mine.leads:
            self._wait(mine)
        if mine.leads:
            self._write_for_all(mine)
        if mine.error is not None:
            raise mine.error
        return cast(T, mine.worth)

    def _wait(self, mine: Write) -> None:
        try:
            mine.wait()
        except BaseException:  # Ctrl-C: nobody may wait for a turn that is never taken
            with self._door:
                if mine in self._waiting:
                    self._waiting.remove(mine)
            if mine.leads:
                self._hand_on()
            raise

    def _write_for_all(self, mine: Write) -> None:
        with self._door:
            together = [self._waiting.popleft() for _ in range(min(len(self._waiting), MOST_TOGETHER))]
        try:
            self._write(together)
        finally:
            self._hand_on()
            for write in together:
                if not write.done:
                    write.error = InputError("Writing was interrupted. Send it again: by its key it is kept once.")
                if write is not mine:
                    write.call()

    def _write(self, together: Sequence[Write]) -> None:
        try:
            self._commit(together)
        except Exception as error:
            if len(together) == 1:
                together[0].done, together[0].error = True, error
                return
            # One of them failed and took the others with it: each for itself, so that only that one fails.
            for write in together:
                try:
                    self._commit([write])
                except Exception as error:
                    write.error = error
                write.done = True
        else:
            for write in together:
                write.done = True

    def _hand_on(self) -> None:
        with self._door:
            if self._waiting:
                self._waiting[0].leads = True
                self._waiting[0].call()
            else:
                self._taken = False


_POSSIBLE = 'Give a path such as judging.db, or "postgresql://user@host/database".'


@dataclass(frozen=True, slots=True)
class Address:
    """A place for a store. `path` is the file of SQLite, empty for PostgreSQL."""

    url: URL
    path: str = ""

    def __str__(self) -> str:
        return self.path or self.url.set(drivername="postgresql").render_as_string(hide_password=True)


def read_address(text: str, create: bool = True) -> Address:
    """The address in a text; refused where no store can be, and with `create=False` where no file is."""
    if "://" not in text:
        return _file(text, create)
    scheme, _, rest = text.partition("://")
    kind = scheme.partition("+")[0].casefold()
    if kind == "sqlite":
        return _file(rest.removeprefix("/").partition("?")[0], create)
    if kind not in ("postgresql", "postgres"):
        raise UsageError(f"No store can be at {scheme}://...: it is kept in SQLite or PostgreSQL. {_POSSIBLE}")
    try:
        url = make_url(f"postgresql+psycopg://{rest}")
    except (ArgumentError, ValueError):
        raise UsageError(f"The address {kind}://... cannot be read. {_POSSIBLE}") from None
    return Address(url)


def no_store(where: object) -> UsageError:
    """The error where a store should be and is not."""
    return UsageError(
        f"There is no judging store at {where}. Make one with: rankproof judgments init {where} --project NAME"
    )


def _file(path: str, create: bool) -> Address:
    if not path or path == ":memory:":
        raise UsageError(f"A store needs a file, so that nothing is lost; got {path!r}. {_POSSIBLE}")
    if os.path.isdir(path):
        raise UsageError(f"{path} is a folder. Name a file in it for the store, such as {os.path.join(path, 'x.db')}.")
    above = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(above):
        raise UsageError(f"{path} cannot be made: the folder {above} does not exist. Create it first.")
    if not create and not os.path.exists(path):
        raise no_store(path)
    return Address(URL.create("sqlite", database=path), path)


SECONDS_TO_WAIT = 30  # for another process that writes to the same SQLite file
_WRITING = "rankproof_writing"
# Any number that nothing else in a PostgreSQL database locks by.
_IN_ORDER = text("SELECT pg_advisory_xact_lock(8241993268914450802)")


@dataclass(frozen=True, slots=True)
class Joint(Generic[T]):
    """A write of one row that one statement can make together with others of its kind: one round trip for all.

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

    def one_at_a_time(self, connection: Connection, key: int) -> None:
        """Lets no other process be between this and its commit under the same key. SQLite has one writer anyway."""
        if not self.is_sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})

    def backup(self, path: str) -> int:
        """Copies a file of SQLite into another one that is not there yet; see `Store.backup`."""
        if not self.is_sqlite:
            raise UsageError(f"{self.address} is in PostgreSQL. Copy it with pg_dump.")
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            raise UsageError(f"There is something at {path} already. Name another file.") from None
        except OSError as error:
            raise UsageError(f"{path} cannot be made: {error.strerror}. Name another file.") from None
        try:
            with self._told("copied"), self._reader.connect() as connection, closing(sqlite3.connect(path)) as copy:
                driver = connection.connection.driver_connection
                assert isinstance(driver, sqlite3.Connection)
                driver.backup(copy)
        except BaseException:
            os.remove(path)
            raise
        return os.path.getsize(path)

    def close(self) -> None:
        """Closes every connection."""
        self._engine.dispose()

    def _commit(self, writes: Sequence[Write]) -> None:
        with self._told("written"), self._writer.begin() as connection:
            if not self.is_sqlite:
                connection.execute(_IN_ORDER)
            for many, alike in groupby(writes, key=self._many):
                group = list(alike)
                if many is None or len(group) == 1:
                    for write in group:
                        write.worth = write.work(connection)
                    continue
                rows = [write.work.row for write in group if isinstance(write.work, Joint)]
                for write, worth in zip(group, many(connection, rows), strict=True):
                    write.worth = worth

    def _many(self, write: Write) -> Callable[[Connection, Sequence[Row]], Sequence[object]] | None:
        """What writes this together with others. SQLite is in-process; batching saves no round trip."""
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
        raise missing("psycopg", "A store in PostgreSQL") from None


def add_once(table: Table, database: Database) -> Insert:
    """INSERT ... ON CONFLICT DO NOTHING; `rowcount` says whether there was none. Asks for no id back."""
    insert = sqlite.insert if database.is_sqlite else postgresql.insert
    return insert(table).on_conflict_do_nothing().inline().execution_options(preserve_rowcount=True)
