"""Run an A/B test (trial) over days: design, plan, collect, read."""

from __future__ import annotations

import click

from rankproof.cli.shared.groups import parts


@click.group("trial", cls=parts("init", "plan", "collect", "read"))
def command() -> None:
    """A/B tests (trials) on users: from a design and daily sufficient statistics to a verdict, valid at every look."""
