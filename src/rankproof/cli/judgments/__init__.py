"""Keep judgments in a store: import, look, settle, export."""

from __future__ import annotations

import click

from rankproof.cli.shared.groups import parts


@click.group(
    "judgments",
    cls=parts(
        projects=("init", "add", "invite"),
        settings=("change",),
        rounds=("assign", "unassign", "gold"),
        agreement=("agreement",),
        loop=("steps", "inbox", "close"),
        settle=("show", "adjudicate"),
        sheet=("sheet",),
        exchange=("import", "export", "keep"),
        backup=("backup",),
    ),
)
def command() -> None:
    """Keep judgments in a store, and make qrels of them.

    STORE is a file (SQLite), or the address of a PostgreSQL database: postgresql://user@host/database.
    """
