"""Backup: a sound copy of a store in a file, taken while judges go on."""

from __future__ import annotations

import click

from rankproof.cli.judgments.store import opened
from rankproof.cli.shared import output as _output
from rankproof.cli.shared.output import document
from rankproof.kernel.sections import printable


@click.command("backup")
@click.argument("store")
@click.argument("target", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Say what was done as JSON.")
def backup(store: str, target: str, as_json: bool) -> None:
    """Copy a store in a file to TARGET, which is for its owner alone. Judges may go on meanwhile.

    Nothing that is there is overwritten. A store in PostgreSQL is copied with pg_dump.

    \b
    rankproof judgments backup judging.db copy.db
    """
    with opened(store) as opened_store:
        size = opened_store.backup(target)
        address = opened_store.address
    body = {"store": address, "target": target, "bytes": size}
    text = f"{printable(address)} -> {printable(target)}: a copy for its owner alone\n"
    _output.give(document("judging-backup/1", body) if as_json else text, None)
