"""Migrating: a store gets the tables of this version, whoever opens it first; one of a newer version is refused."""

from __future__ import annotations

import time
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from rankproof.errors import InputError
from rankproof.judging.store.database import Database, no_store
from rankproof.judging.store.tables import metadata
from rankproof.kernel.libraries import missing
from rankproof.kernel.version import __version__

# The newest file in migrations/versions.
HEAD = "0002"
KNOWN = ("0001", "0002")
VERSION_TABLE = "rankproof_schema"
MIGRATIONS = Path(__file__).parent / "migrations"
# Any number that nothing else in a PostgreSQL database locks by.
_LOCK = 0x72616E6B70726F6F


def migrate(database: Database, create: bool) -> None:
    """Brings the tables to this version, with whatever is in them."""
    with database.reading() as connection:
        if version_of(connection, str(database.address)) == HEAD:
            return
    if database.is_sqlite:
        _write_ahead(database)
    with database.alone() as connection:
        if not database.is_sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        # Again, now that nobody else is at it.
        version = version_of(connection, str(database.address))
        if version == HEAD:
            return
        if version is None and not create:
            raise no_store(database.address)
        upgrade(connection)


def version_of(connection: Connection, where: str) -> str | None:
    """The version of the tables that are there; None for an empty database. Refuses what is not ours or is newer."""
    there = set(inspect(connection).get_table_names())
    if VERSION_TABLE not in there:
        taken = sorted(there & metadata.tables.keys())
        if taken:
            raise InputError(
                f"{where} has tables of something else: {', '.join(taken)}. Name another place for the judging store."
            )
        return None
    version: str | None = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()
    if version is not None and version not in KNOWN:
        raise InputError(
            f"The store {where} has schema {version}, and this rankproof {__version__} knows those up to {HEAD}. "
            "A newer version wrote it. Upgrade with: pip install --upgrade rankproof"
        )
    return version


def upgrade(connection: Connection, to: str = "head") -> None:
    """Runs the migrations that are missing, in the transaction of the connection."""
    try:
        from alembic import command
        from alembic.config import Config
    except ModuleNotFoundError:
        raise missing("alembic", "Making a judging store") from None
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, to)


def _write_ahead(database: Database) -> None:
    """Turns on the write-ahead log; the file remembers it. Two at once may find each other in the way: tried again."""
    until = time.monotonic() + 10
    while True:
        try:
            with database.reading() as connection:
                connection.exec_driver_sql("PRAGMA journal_mode=WAL")
            return
        except InputError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)
