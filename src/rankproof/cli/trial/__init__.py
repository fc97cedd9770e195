"""Run an A/B trial on users: design it, plan its size, collect its days, read what it shows."""

from __future__ import annotations

import click

from rankproof.cli.shared.groups import parts


@click.group("trial", cls=parts("init", "plan", "collect", "read"))
def command() -> None:
    """Trials on users: from a design and sufficient statistics of each day to a verdict that may be looked at daily."""
