"""Turn click logs into judgments, and say what a new ranking would have got."""

from __future__ import annotations

from importlib import import_module

import click

# Each is the attribute `command` of a module of its own, cli/_clicks_NAME.py.
NAMES = ("fit", "estimate")


class Parts(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names."""
        return list(NAMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, from its module."""
        if cmd_name not in NAMES:
            return None
        found = import_module(f"rankproof.cli._clicks_{cmd_name}").command
        assert isinstance(found, click.Command)
        return found


@click.group("clicks", cls=Parts)
def command() -> None:
    """Clicks: which model explains them, where users look, grades from them, and estimates for rankings not shown."""
