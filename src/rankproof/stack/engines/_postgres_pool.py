"""Connections to a PostgreSQL server: one for each thread that asks, none that may hang, or write to what it asks."""

from __future__ import annotations

import math
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from queue import Empty, LifoQueue
from threading import Event, Timer
from typing import Any, TypeVar

from rankproof.errors import UsageError
from rankproof.kernel.libraries import library
from rankproof.kernel.secrets import Secrets
from rankproof.stack.engines.contract import AskFailed

Row = tuple[Any, ...]
T = TypeVar("T")
# The server ends a statement that takes too long; a server that does not even do that is cut off so much later.
GRACE_SECONDS = 1.0


class ConnectionPool:
    """Connections that are given back and taken again; they may only read unless `writes`."""

    def __init__(self, dsn: str, secrets: Secrets, writes: bool = False) -> None:
        self._psycopg = library("psycopg", "The engine postgres")
        self._dsn, self._secrets, self._writes = dsn, secrets, writes
        self._idle: LifoQueue[tuple[Any, dict[str, str]]] = LifoQueue()
        try:
            password = self._psycopg.conninfo.conninfo_to_dict(secrets.expand(dsn)).get("password")
        except self._psycopg.ProgrammingError:
            # Its own words hold the part of the address that it stumbled over, which may be the password.
            raise UsageError(
                f"postgres: {dsn} holds no address of a database. It is written as "
                "postgresql://user:password@host:5432/database, with % as %25 and @ as %40 in a password."
            ) from None
        if password:
            secrets.hide(str(password), "(hidden)")

    def rows(
        self, sql: str, values: Mapping[str, object], timeout: float, settings: Mapping[str, str] | None = None
    ) -> list[Row]:
        """What a statement gives; AskFailed where it gives nothing."""

        def read(connection: Any) -> list[Row]:
            found: list[Row] = connection.execute(sql, values).fetchall()
            return found

        return self.do(read, timeout, settings)

    def do(self, work: Callable[[Any], T], timeout: float, settings: Mapping[str, str] | None = None) -> T:
        """What some work with a connection gives; AskFailed where it cannot be done."""
        psycopg = self._psycopg
        connection: Any = None
        known: dict[str, str] = {}
        try:
            connection, known = self._take(timeout)
            session = {"statement_timeout": str(math.ceil(timeout * 1000)), **(settings or {})}
            with _cut_off_after(timeout + GRACE_SECONDS, connection):
                # Settings stay with the connection: sent when they change, not before each query.
                for name, value in session.items():
                    if known.get(name) != value:
                        connection.execute("select set_config(%s, %s, false)", (name, value))
                        known[name] = value
                done = work(connection)
        except psycopg.errors.QueryCanceled:
            self._give_back(connection, known)
            raise AskFailed("timeout", f"PostgreSQL gave no answer within {timeout:g} seconds.", again=True) from None
        except psycopg.Error as error:
            self._give_back(connection, known)
            raise self._failed(error) from None
        self._give_back(connection, known)
        return done

    def _take(self, timeout: float) -> tuple[Any, dict[str, str]]:
        with suppress(Empty):
            return self._idle.get_nowait()
        connection = self._psycopg.connect(
            self._secrets.expand(self._dsn),
            autocommit=True,
            connect_timeout=max(2, math.ceil(timeout)),  # libpq takes no less
            application_name="rankproof",
            prepare_threshold=None,  # each query is planned for its own words, and poolers are content
        )
        if not self._writes:
            with _cut_off_after(timeout + GRACE_SECONDS, connection):
                connection.execute("set session characteristics as transaction read only")
        return connection, {}

    def _give_back(self, connection: Any, known: dict[str, str]) -> None:
        if connection is not None and not connection.closed:
            self._idle.put((connection, known))

    def _failed(self, error: Exception) -> AskFailed:
        psycopg = self._psycopg
        message = self._secrets.redact(" ".join(str(error).split()))
        state = getattr(error, "sqlstate", None) or ""
        if isinstance(error, psycopg.errors.ConnectionTimeout):
            return AskFailed("timeout", f"PostgreSQL: {message}", again=True)
        if isinstance(error, psycopg.OperationalError) and not state.startswith(("28", "3D", "54")):
            kind = "no connection" if not state or state.startswith("08") else "server error"
            return AskFailed(kind, f"PostgreSQL: {message}", again=True)
        return AskFailed("refused", f"PostgreSQL: {message}", again=False)

    def close(self) -> None:
        """Closes every connection."""
        with suppress(Empty):
            while True:
                self._idle.get_nowait()[0].close()


@contextmanager
def _cut_off_after(seconds: float, connection: Any) -> Iterator[None]:
    """Ends the connection where what is done with it takes longer: a server that is stopped answers nothing at all.

    What is then told is that time ran out, and not that the connection broke.
    """
    late = Event()
    watch = Timer(seconds, _cut, (connection.fileno(), late))
    watch.daemon = True
    watch.start()
    try:
        yield
    except Exception:
        if not late.is_set():
            raise
        connection.close()
        raise AskFailed("timeout", f"PostgreSQL gave no answer within {seconds:g} seconds.", again=True) from None
    finally:
        watch.cancel()


def _cut(file: int, late: Event) -> None:
    """Ends a connection from outside: whoever waits on it is told that it broke."""
    late.set()
    with suppress(OSError):
        line = socket.socket(fileno=file)
        try:
            line.shutdown(socket.SHUT_RDWR)
        finally:
            line.detach()
