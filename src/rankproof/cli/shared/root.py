"""The root of the command line: finds commands by their files, runs one, answers every error in one way.

Exit status: 0 done, 1 failed or invalid, 2 wrong usage, 3 undecided, 130 interrupted, 141 reader gone,
143 stopped by a signal.

With `--json` (or `--format json`) the answer goes to standard output, where a program awaits its document:

    {"error": {"type": "UnknownName", "message": "...", "exit_status": 2, "near": ["nDCG"]}}

`near` comes with UnknownName and `findings` with Refused. Otherwise the message goes to standard error.
An error nobody foresaw keeps its traceback: it is a fault of rankproof and the traceback is what mends it.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import pairwise
from types import FrameType
from typing import Any, NoReturn

import click

from rankproof.errors import InputError, RankproofError, Refused, UnknownName, UsageError
from rankproof.kernel.version import __version__

# Sent by kill, by job schedulers, and by a terminal that is closed. Windows has no SIGHUP.
STOPPING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    sys.exit(128 + number)  # as shells have it


@contextmanager
def tidy_stop() -> Iterator[None]:
    """While it lasts, a signal to stop unwinds like an error does, so that half-written files are removed."""
    before = {}
    try:
        for number in STOPPING:
            # A caller that ignores a signal, as nohup does, means it.
            if signal.getsignal(number) is signal.SIG_DFL:
                before[number] = signal.signal(number, _stop)
    except ValueError:
        pass  # not the main thread: signals are somebody else's
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Interrupted(RankproofError):
    """Someone pressed Ctrl-C."""

    exit_status = 130  # 128 + SIGINT, as shells have it

    def __init__(self, message: str = "Interrupted; nothing was written.") -> None:
        super().__init__(message)


class ReaderGone(RankproofError):
    """Whoever read our output has closed it, as `head` does: nothing is wrong and nothing is left to say."""

    exit_status = 141  # 128 + SIGPIPE, as if the signal had ended us


def wants_json(args: Sequence[str]) -> bool:
    """Whether the command line asks for JSON, read before it is parsed: parsing may be what fails."""
    said = list(args[: args.index("--")] if "--" in args else args)
    return "--json" in said or "--format=json" in said or ("--format", "json") in pairwise(said)


def answer(error: Exception, as_json: bool) -> int:
    """Says what is wrong and gives the exit status; raises what is not for the person at the keyboard."""
    known = understood(error)
    if isinstance(known, ReaderGone):
        _close_output()
        return known.exit_status
    try:
        if as_json:
            from rankproof.kernel.jsontext import to_json

            click.echo(to_json(shape(known)))
        else:
            text = str(known)
            click.echo(text if text.startswith("Usage:") else f"rankproof: {text}", err=True)
        if sys.stdout is not None:
            sys.stdout.flush()  # what a full disk did not take would be tried again, and complained of, at the very end
    except OSError:
        _close_output()
    return known.exit_status


# What `reading.check.refusal` advises.
ALLOW = re.compile(r" To go on all the same: --allow [^.]*\.")


def understood(error: Exception) -> RankproofError:
    """The error as one of ours; anything that is a fault of the program itself is raised again."""
    if isinstance(error, RankproofError):
        return error
    if isinstance(error, click.UsageError):
        message = error.format_message()
        if isinstance(error, click.NoSuchOption):
            from rankproof.cli.shared.guesses import guessed_option

            message = guessed_option(error.option_name, message)
        # A group without a command answers with its help, which needs no pointer to the help.
        if error.ctx is not None and not message.startswith("Usage:"):
            message += f" See: {error.ctx.command_path} --help"
        return UsageError(message)
    if isinstance(error, click.ClickException):
        return InputError(error.format_message())
    if isinstance(error, click.Abort):
        return Interrupted()
    if isinstance(error, OSError) and error.strerror:
        return InputError(f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}.")
    if isinstance(error, MemoryError):
        return InputError("There is not enough memory for this input. Cut it or split it by query.")
    raise error


def shape(error: RankproofError) -> dict[str, Any]:
    """The JSON form of an error."""
    out: dict[str, Any] = {
        "type": type(error).__name__,
        "message": str(error),
        "exit_status": error.exit_status,
    }
    if isinstance(error, UnknownName):
        out["near"] = list(error.near)
    if isinstance(error, Refused):
        out["findings"] = [finding.to_dict() for finding in error.findings]
    return {"error": out}


def _close_output() -> None:
    # Python flushes standard output once more on the way out and would complain about the closed pipe.
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_COMMANDS = os.path.dirname(os.path.dirname(__file__))
_SHARED = "shared"

# The commands under their headings, in the order of the help; those that most people need come first. Every command
# stands under one heading.
GROUPS: Mapping[str, Sequence[str]] = {
    "Most used": ("evaluate", "compare", "gate", "benchmark"),
    "Measure and decide": (
        "validate",
        "convert",
        "explain",
        "similarity",
        "leaderboard",
        "spans",
        "tasks",
        "traces",
        "runs",
        "qrels",
        "audit",
        "power",
        "next",
        "verify",
    ),
    "Search stack": ("search", "index", "fetch", "models", "tune", "dataset"),
    "Judge": ("judgments", "judge", "serve"),
    "Online": ("ab", "trial", "interleave", "clicks", "ramp", "relate"),
    "Begin and set up": ("demo", "init", "sample", "mcp", "completion", "schema", "help"),
}


class Commands(click.Group):
    """A group whose commands are the modules and folders of cli/; each module has the attribute `command`.

    A module is imported when its command runs. Its line in the help is the first line of its docstring,
    read from the file, so that help does not pay for the imports of every command.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the modules, with hyphens for underscores."""
        names = set()
        for file in os.listdir(_COMMANDS):
            if not file.startswith("_") and file != _SHARED and (file.endswith(".py") or "." not in file):
                names.add(file.removesuffix(".py").replace("_", "-"))
        return sorted(names)

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
            from rankproof.cli.shared.guesses import guessed_command

            known = guessed_command(name, self.list_commands(ctx))
            return known, self.get_command(ctx, known), args[1:]
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands under their headings; one that no heading names stands under the last."""
        names = self.list_commands(ctx)
        room = max(map(len, names))
        *_, last = GROUPS
        placed = {name for group in GROUPS.values() for name in group}
        for heading, group in GROUPS.items():
            here = [name for name in group if name in names]
            here += [name for name in names if heading == last and name not in placed]
            formatter.write(f"{heading}:\n")
            for name in here:
                formatter.write(f"  {name:<{room}}  {summary(name)}\n")

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What the program is, right below its usage: the list of commands is to fit one screen."""
        with formatter.indentation():
            formatter.write_text(inspect.cleandoc(self.help or ""))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands; the root's own options stand above them."""
        self.format_commands(ctx, formatter)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Commands whose names begin so, then the root's own options."""
        from click.shell_completion import CompletionItem

        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        found = [CompletionItem(name, help=summary(name)) for name in names]
        return found + click.Command.shell_complete(self, ctx, incomplete)

    def _followable(self, error: Exception, args: Sequence[str]) -> Exception:
        """The error without advice to give an option that the command does not have; a policy names it in a table."""
        if not isinstance(error, Refused):
            return error
        command: click.Command = self
        for arg in args:
            ctx = click.Context(command)
            if isinstance(command, click.Group) and (inner := command.get_command(ctx, arg)) is not None:
                command = inner
        if any(param.name == "allow" for param in command.params):
            return error
        codes = json.dumps(list(dict.fromkeys(finding.code for finding in error.findings)))
        instead = (
            f" To go on all the same, in the policy: [evaluate] allow = {codes}." if command.name == "gate" else ""
        )
        return Refused(ALLOW.sub(lambda found: instead, str(error)), error.findings)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command. Interrupts and lost readers are answered here, before click has its own way."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Interrupted from None
        except BrokenPipeError:
            raise ReaderGone from None

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
            status = answer(self._followable(error, args), as_json=wants_json(args))
        sys.exit(status if isinstance(status, int) else 0)


def summary(name: str) -> str:
    """The first line of a command's module, without importing it."""
    path = os.path.join(_COMMANDS, name.replace("-", "_"))
    path = os.path.join(path, "__init__.py") if os.path.isdir(path) else f"{path}.py"
    with open(path, encoding="utf-8") as file:
        return file.readline().strip().lstrip("r").strip('"')


@click.group("rankproof", cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="rankproof")
def cli() -> None:
    """\b
    Is this ranking better, statistically significant or not, and may it ship?
    Search and RAG, with confidence intervals. New: rankproof demo. Version: -V.
    Exit status: 0 done, 1 failed or invalid input, 2 wrong usage, 3 undecided.
    """
