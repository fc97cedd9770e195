"""Address: where a store is, from a path or a URL; what is said about it never shows a password."""

from __future__ import annotations

import os
from dataclasses import dataclass

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from rankproof.errors import UsageError

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
