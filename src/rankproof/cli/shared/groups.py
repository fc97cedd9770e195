"""Groups whose commands are modules imported when used, and starter files written by `init` commands."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from keyword import iskeyword
from typing import Any

import click

from rankproof.cli.shared import output
from rankproof.errors import UnknownName, UsageError
from rankproof.kernel.atomic import replace_file


class KnownCommands(click.Group):
    """A group whose error for an unknown command names the nearest ones."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command asked for."""
        name = click.utils.make_str(args[0])
        if not name.startswith("-") and name not in self.list_commands(ctx):
            raise UnknownName(f"command of `{ctx.command_path}`", name, self.list_commands(ctx))
        return super().resolve_command(ctx, args)


class RunsFiles(KnownCommands):
    """A group where `NAME FILE.toml` means `NAME run FILE.toml`."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command asked for, or `run` where a configuration stands in its place."""
        if args[0] not in self.list_commands(ctx) and args[0].endswith(".toml"):
            args = ["run", *args]
        return super().resolve_command(ctx, args)


class CommandModules(KnownCommands):
    """A group whose commands are in modules of its folder; a module is imported when its command is used.

    `places` has, for each command in the order of the help, the module in cli/GROUP/ and the attribute in it.
    """

    places: Mapping[str, tuple[str, str]] = {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands."""
        return list(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, from its module."""
        if cmd_name not in self.places:
            return None
        module, attribute = self.places[cmd_name]
        command = getattr(import_module(f"rankproof.cli.{self.name}.{module}"), attribute)
        assert isinstance(command, click.Command)
        return command


def parts(*names: str, **modules: tuple[str, ...]) -> type[CommandModules]:
    """The kind of a group with these commands.

    names     commands with a module of their own, as its attribute `command`
    modules   modules with several commands, each an attribute called like it (`import_` for `import`)
    """
    places = {name: (name, "command") for name in names}
    for module, commands in modules.items():
        places |= {name: (module, f"{name}_" if iskeyword(name) else name) for name in commands}
    return type("Parts", (CommandModules,), {"places": dict(sorted(places.items())) if modules else places})


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
