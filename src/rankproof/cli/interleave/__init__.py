"""Mix rankings into one list, and read which one users prefer."""

from __future__ import annotations

import click

from rankproof.cli.shared.groups import parts


@click.group("interleave", cls=parts("show", "read", "plan"))
def command() -> None:
    """Interleaving: one list of several rankings on a page, and whose documents users click."""
