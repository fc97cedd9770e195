"""Let models judge under supervision: hold them against people, correct what they say, plan what people judge."""

from __future__ import annotations

from importlib import import_module

import click

# Each is the attribute `command` of a module of its own, cli/_judge_NAME.py.
NAMES = ("run", "calibrate", "estimate", "plan")


class Parts(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names."""
        return list(NAMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, from its module."""
        if cmd_name not in NAMES:
            return None
        found = import_module(f"rankproof.cli._judge_{cmd_name}").command
        assert isinstance(found, click.Command)
        return found


@click.group("judge", cls=Parts)
def command() -> None:
    """Grades by models: how far they can be trusted, and values that stay right although they err."""
