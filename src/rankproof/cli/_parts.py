"""Groups whose commands are modules of their own, imported when they are asked for."""

from __future__ import annotations

from importlib import import_module

import click


class Parts(click.Group):
    """The command NAME of the group GROUP is the attribute `command` of cli/_GROUP_NAME.py; `names` gives the order."""

    names: tuple[str, ...] = ()

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names."""
        return list(self.names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, from its module."""
        if cmd_name not in self.names:
            return None
        found = import_module(f"rankproof.cli._{self.name}_{cmd_name}").command
        assert isinstance(found, click.Command)
        return found


def parts(*names: str) -> type[Parts]:
    """The kind of a group that has these commands."""
    return type("Parts", (Parts,), {"names": names})
