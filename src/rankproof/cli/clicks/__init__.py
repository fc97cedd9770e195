"""Turn click logs into judgments, and say what a new ranking would have got."""

from __future__ import annotations

import click

from rankproof.cli.shared.groups import parts


@click.group("clicks", cls=parts("fit", "estimate"))
def command() -> None:
    """Clicks: which model explains them, where users look, grades from them, and estimates for rankings not shown."""
