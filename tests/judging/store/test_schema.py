"""The schema: migrations make what the tables say, whoever opens first; rows are only added; newer ones are refused."""

from __future__ import annotations

import multiprocessing
import sqlite3
import stat
from pathlib import Path

import pytest
from sqlalchemy import Engine, NullPool, create_engine, text
from tests.judging.store.acts import graded
from tests.raising import raises

from rankproof.errors import InputError, UsageError
from rankproof.judging.store import open_store
from rankproof.judging.store.database import read_address
from rankproof.judging.store.migrate import HEAD, KNOWN, MIGRATIONS, VERSION_TABLE
from rankproof.judging.store.store import Store
from rankproof.judging.store.tables import metadata

# Rows of these change: somebody signs in and out, gets another role, uses an invitation.
CHANGING = {"accounts", "invitations", "sessions"}


def engine(url: str) -> Engine:
    """The plain database, without the store. Connections are not kept: a server waits for them before it stops."""
    return create_engine(read_address(url).url, poolclass=NullPool)


def test_migrations_make_the_tables_that_are_declared(url: str) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    open_store(url).close()
    with engine(url).connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"version_table": VERSION_TABLE, "compare_type": True, "compare_server_default": True}
        )
        assert compare_metadata(context, metadata) == []


def test_the_comparison_can_fail(tmp_path: Path) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    open_store(tmp_path / "x.db").close()
    with engine(str(tmp_path / "x.db")).begin() as connection:
        connection.execute(text("DROP INDEX judgments_of_pair"))
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert [change[0] for change in compare_metadata(context, metadata)] == ["add_index"]


def test_the_newest_migration_is_the_one_that_is_asked_for() -> None:
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory(str(MIGRATIONS))
    assert scripts.get_current_head() == HEAD
    assert [script.revision for script in scripts.walk_revisions()][::-1] == list(KNOWN)


@pytest.mark.parametrize("table", sorted(set(metadata.tables) - CHANGING))
def test_rows_are_only_ever_added(table: str, tmp_path: Path) -> None:
    with sqlite3.connect(_filled(tmp_path)) as connection:
        assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (1,)
        column = connection.execute(f"SELECT name FROM pragma_table_info('{table}')").fetchone()[0]
        for statement in (f"UPDATE {table} SET {column} = {column}", f"DELETE FROM {table}"):
            with raises(sqlite3.IntegrityError, table, "added"):
                connection.execute(statement)


def _filled(folder: Path) -> Path:
    """A store with one row in every table, written as it stands: no foreign keys are looked at."""
    path = folder / "filled.db"
    open_store(path).close()
    with sqlite3.connect(path) as connection:
        for table in metadata.tables.values():
            names = ", ".join(f'"{column.name}"' for column in table.columns)
            values = ", ".join("1" for _ in table.columns)
            connection.execute(f"INSERT INTO {table.name} ({names}) VALUES ({values})")
    return path


def test_postgres_refuses_changes_too(store: Store, url: str) -> None:
    if not url.startswith("postgresql"):
        pytest.skip("asked of SQLite above")
    import psycopg

    store.judgments.add("shop", graded(1))
    for table in sorted(set(metadata.tables) - CHANGING):
        column = next(iter(metadata.tables[table].columns)).name
        for statement in (
            f"UPDATE {table} SET {column} = {column}", f"DELETE FROM {table}", f"TRUNCATE {table} CASCADE"
        ):  # fmt: skip
            with psycopg.connect(url) as connection, raises(psycopg.errors.RaiseException, table, "added"):
                connection.execute(statement)
    assert len(store.judgments.history("shop")) == 1


def test_a_store_of_a_newer_version_is_refused(url: str) -> None:
    open_store(url).close()
    with engine(url).begin() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))
    with raises(InputError, 9999, HEAD, "pip install --upgrade rankproof"):
        open_store(url)


def test_a_database_of_something_else_is_refused(url: str) -> None:
    with engine(url).begin() as connection:
        connection.execute(text("CREATE TABLE sessions (id integer)"))
    with raises(InputError, "sessions"):
        open_store(url)


def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("q1 0 d1 1\n" * 100)
    with raises(InputError, path):
        open_store(path)
    assert path.read_text() == "q1 0 d1 1\n" * 100


def test_nothing_is_made_where_a_store_should_be(tmp_path: Path, url: str) -> None:
    with raises(UsageError, f"rankproof judgments init {url.partition('?')[0]}", "--project NAME"):
        open_store(url, create=False)
    assert list(tmp_path.iterdir()) == []
    open_store(url).close()
    open_store(url, create=False).close()


@pytest.mark.parametrize(
    ("where", "values"),
    [
        ("mysql://x/y", ("mysql://...", "SQLite", "PostgreSQL")),
        (":memory:", ("':memory:'", "judging.db")),
        ("sqlite://", ("''", "judging.db")),
        (".", ("folder", "./x.db")),
        ("no/such/folder/x.db", ("no/such/folder/x.db", "folder")),
    ],
)
def test_a_place_where_no_store_can_be_is_refused(where: str, values: tuple[str, ...]) -> None:
    with raises(UsageError, *values):
        open_store(where)


def test_no_message_shows_a_password() -> None:
    with pytest.raises(InputError) as caught:
        open_store("postgresql://ann:hush@127.0.0.1:1/shop")
    assert "hush" not in str(caught.value)
    assert "127.0.0.1" in str(caught.value)


def test_a_new_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    with open_store(tmp_path / "x.db") as store:
        store.audit.add("", "x")
        for path in tmp_path.iterdir():
            assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    assert (tmp_path / "x.db").exists()


def test_several_processes_may_open_a_new_store_at_once(url: str) -> None:
    apart = multiprocessing.get_context("fork")
    start = apart.Barrier(4)

    def opener() -> None:
        start.wait(30)
        with open_store(url) as store:
            store.audit.add("", "here")

    openers = [apart.Process(target=opener) for _ in range(4)]
    for process in openers:
        process.start()
    for process in openers:
        process.join(60)
    assert [process.exitcode for process in openers] == [0] * 4
    with open_store(url) as store:
        assert len(store.audit.all()) == 4
