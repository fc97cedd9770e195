"""Fetch runs by asking pipelines; validate and repair runs."""

from __future__ import annotations

import click

from rankproof.cli.shared.groups import parts


@click.group("runs", cls=parts("fetch", "validate"))
def command() -> None:
    """Make runs by asking pipelines; look at runs: validate them, and repair what takes no guess."""
