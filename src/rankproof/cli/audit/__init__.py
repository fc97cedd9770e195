"""Audit reports of others: values that cannot be true together."""

from __future__ import annotations

import click

from rankproof.cli.shared.groups import parts


@click.group("audit", cls=parts("report", "rerank"))
def command() -> None:
    """Audit what is reported: values that cannot be true together, runs that are not what they are said to be."""
