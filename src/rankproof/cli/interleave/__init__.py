"""Mix rankings into one list by a session's key, and say which one users prefer: show, read a log, plan."""

from __future__ import annotations

import click

from rankproof.cli.shared.groups import parts


@click.group("interleave", cls=parts("show", "read", "plan"))
def command() -> None:
    """Interleaving: one list of several rankings on a page, and whose documents users click."""
