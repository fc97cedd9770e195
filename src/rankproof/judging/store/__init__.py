"""The judging store: projects, what is judged, and every judgment of every judge, in SQLite or PostgreSQL."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rankproof.kernel.libraries import missing

if TYPE_CHECKING:
    from rankproof.judging.store.store import Store


def open_store(url: str | os.PathLike[str], *, create: bool = True) -> Store:
    """The store at a path ("judging.db"), a "sqlite:///..." or a "postgresql://user@host/db" address.

    It is created or brought to the present schema first; `create=False` refuses a place where there is none yet.
    A store that a newer rankproof has written is refused. Use it as a context, or close it.
    """
    try:
        from rankproof.judging.store.store import Store
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != "sqlalchemy":
            raise
        raise missing("sqlalchemy", "The judging store") from None
    return Store.open(os.fspath(url), create)
