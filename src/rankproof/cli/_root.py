"""The root of the command line: finds commands by their files, runs one, answers every error in one way.

Exit status: 0 done, 1 failed or invalid, 2 wrong usage, 3 undecided, 130 interrupted, 141 reader gone,
143 told to stop.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from rankproof import __version__
from rankproof.cli import _errors
from rankproof.cli._signals import tidy_stop
from rankproof.errors import UnknownName

_HERE = os.path.dirname(__file__)


class Commands(click.Group):
    """A group whose commands are the modules of this folder; each module has the attribute `command`.

    A module is imported when its command runs. Its line in the help is the first line of its docstring,
    read from the file, so that help does not pay for the imports of every command.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the modules, with hyphens for underscores."""
        return sorted(
            file[:-3].replace("_", "-")
            for file in os.listdir(_HERE)
            if file.endswith(".py") and not file.startswith("_")
        )

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, from its module."""
        if cmd_name not in self.list_commands(ctx):
            return None
        found = import_module(f"rankproof.cli.{cmd_name.replace('-', '_')}").command
        assert isinstance(found, click.Command)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command asked for; an error that names its neighbors when there is none."""
        name = click.utils.make_str(args[0])
        if not name.startswith("-") and name not in self.list_commands(ctx):
            raise UnknownName("command", name, self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands in the help."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary(name)) for name in self.list_commands(ctx)])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Commands whose names begin so, then the root's own options."""
        from click.shell_completion import CompletionItem

        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        found = [CompletionItem(name, help=summary(name)) for name in names]
        return found + click.Command.shell_complete(self, ctx, incomplete)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command. Interrupts and lost readers are answered here, before click has its own way."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise _errors.Interrupted from None
        except BrokenPipeError:
            raise _errors.ReaderGone from None

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = "rankproof",
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Runs the command line and exits; every error becomes a message and a status."""
        args = list(sys.argv[1:] if args is None else args)
        try:
            # Not standalone: click hands its errors on, so that they take the one way all errors take.
            with tidy_stop():
                status = super().main(
                    args, prog_name, complete_var, False, windows_expand_args=windows_expand_args, **extra
                )
        except Exception as error:
            status = _errors.answer(error, as_json=_errors.wants_json(args))
        sys.exit(status if isinstance(status, int) else 0)


def summary(name: str) -> str:
    """The first line of a command's module, without importing it."""
    path = os.path.join(_HERE, name.replace("-", "_") + ".py")
    with open(path, encoding="utf-8") as file:
        return file.readline().strip().lstrip("r").strip('"')


@click.group("rankproof", cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="rankproof")
def cli() -> None:
    """Is this ranking better, and may it ship? Exact, explained ranking evaluation.

    Exit status: 0 done, 1 failed or invalid input, 2 wrong usage, 3 undecided. With --json an error is one
    JSON object on standard output: {"error": {"type": ..., "message": ..., "exit_status": ...}}.
    """
