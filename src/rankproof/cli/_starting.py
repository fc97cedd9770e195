"""A first file to begin with, written by a command's `init`: never over one that is there."""

from __future__ import annotations

import os
from typing import Any

import click

from rankproof.cli import _output
from rankproof.errors import UsageError
from rankproof.store.atomic import replace_file


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
        _output.say(text)
        return
    refuse_there(path)
    replace_file(path, [text.encode()])
    _output.say(f"{path} written. {next_step}\n")


def refuse_there(path: str) -> None:
    """An error where something is there already."""
    if os.path.lexists(path):
        raise UsageError(f"{path} is there already and stays as it is. Name another file, or remove it first.")
