"""Mix rankings into one list by a session's key, and say which one users prefer: show, read a log, plan."""

from __future__ import annotations

from importlib import import_module

import click

# Each is the attribute `command` of a module of its own, cli/_interleave_NAME.py.
NAMES = ("show", "read", "plan")


class Parts(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names."""
        return list(NAMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, from its module."""
        if cmd_name not in NAMES:
            return None
        found = import_module(f"rankproof.cli._interleave_{cmd_name}").command
        assert isinstance(found, click.Command)
        return found


@click.group("interleave", cls=Parts)
def command() -> None:
    """Interleaving: one list of several rankings on a page, and whose documents users click."""
