"""Run an A/B trial on users: design it, plan its size, collect its days, read what it shows."""

from __future__ import annotations

from importlib import import_module

import click

# Each is the attribute `command` of a module of its own, cli/_trial_NAME.py.
NAMES = ("init", "plan", "collect", "read")


class Parts(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names."""
        return list(NAMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, from its module."""
        if cmd_name not in NAMES:
            return None
        found = import_module(f"rankproof.cli._trial_{cmd_name}").command
        assert isinstance(found, click.Command)
        return found


@click.group("trial", cls=Parts)
def command() -> None:
    """Trials on users: from a design and sufficient statistics of each day to a verdict that may be looked at daily."""
