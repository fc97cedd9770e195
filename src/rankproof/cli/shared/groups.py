"""Groups whose commands are modules imported when used, and starter files written by `init` commands."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

import click

from rankproof.cli.shared import output
from rankproof.errors import UsageError
from rankproof.kernel.atomic import replace_file


class CommandModules(click.Group):
    """The command NAME of the group GROUP is the attribute `command` of cli/GROUP/NAME.py; `names` gives the order."""

    names: tuple[str, ...] = ()

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names."""
        return list(self.names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, from its module."""
        if cmd_name not in self.names:
            return None
        found = import_module(f"rankproof.cli.{self.name}.{cmd_name}").command
        assert isinstance(found, click.Command)
        return found


def parts(*names: str) -> type[CommandModules]:
    """The kind of a group that has these commands."""
    return type("Parts", (CommandModules,), {"names": names})


class WithInit(click.Command):
    """`NAME FILE`, and `NAME init`: a file called init is named as ./init. `init` is the command of that word."""

    init: click.Command

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the command, or of `init` when that is the first word."""
        if args[:1] == ["init"]:
            return self.init.make_context(f"{info_name} init", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


def with_init(init: click.Command) -> type[WithInit]:
    """The kind of a command that has this `init`."""
    return type("WithInit", (WithInit,), {"init": init})


def begin(path: str, text: str, next_step: str) -> None:
    """Writes the text to a path, or to standard output for `-`, and says what to do next."""
    if path == "-":
        output.say(text)
        return
    refuse_there(path)
    replace_file(path, [text.encode()])
    output.say(f"{path} written. {next_step}\n")


def refuse_there(path: str) -> None:
    """An error where something is there already."""
    if os.path.lexists(path):
        raise UsageError(f"{path} is there already and stays as it is. Name another file, or remove it first.")
