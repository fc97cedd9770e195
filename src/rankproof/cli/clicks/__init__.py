"""Turn click logs into judgments; estimate unseen rankings."""

from __future__ import annotations

import click

from rankproof.cli.shared.groups import parts


@click.group("clicks", cls=parts("fit", "estimate"))
def command() -> None:
    """Clicks: which model explains them, where users look, grades from them, and estimates for rankings not shown."""
