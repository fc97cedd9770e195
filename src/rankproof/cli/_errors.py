"""How the command line answers an error: one message for a person, or one JSON shape for a program; a status.

With `--json` (or `--format json`) the answer goes to standard output, where a program awaits its document:

    {"error": {"type": "UnknownName", "message": "...", "exit_status": 2, "near": ["nDCG"]}}

`near` comes with UnknownName and `findings` with Refused. Otherwise the message goes to standard error.
An error nobody foresaw keeps its traceback: it is a fault of rankproof and the traceback is what mends it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

import click

from rankproof.errors import InputError, RankproofError, Refused, UnknownName, UsageError


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
            from rankproof.records.jsontext import to_json

            click.echo(to_json(shape(known)))
        else:
            text = str(known)
            click.echo(text if text.startswith("Usage:") else f"rankproof: {text}", err=True)
        if sys.stdout is not None:
            sys.stdout.flush()  # what a full disk did not take would be tried again, and complained of, at the very end
    except OSError:
        _close_output()
    return known.exit_status


def understood(error: Exception) -> RankproofError:
    """The error as one of ours; anything that is a fault of the program itself is raised again."""
    if isinstance(error, RankproofError):
        return error
    if isinstance(error, click.UsageError):
        message = error.format_message()
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
