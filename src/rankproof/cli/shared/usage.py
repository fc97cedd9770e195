"""Decisions that many commands take in the same way, before any work begins."""

from __future__ import annotations

import os
from collections.abc import Iterable

from rankproof.errors import UsageError
from rankproof.kernel.atomic import refuse

# Standard input among inputs, standard output among outputs.
STANDARD_STREAM = "-"


def chosen_form(form: str | None, as_json: bool) -> str:
    """The form of the answer: --json means --format json and cannot stand beside another form; table by default."""
    if as_json and form not in (None, "json"):
        raise UsageError(f"--json and --format {form} contradict each other. Keep one of them.")
    return "json" if as_json else form or "table"


def refuse_second_stdin(paths: Iterable[str | None]) -> None:
    """Standard input can be read once: UsageError where more than one of the inputs is `-`."""
    if list(paths).count(STANDARD_STREAM) > 1:
        raise UsageError("Standard input (-) can be read only once. Give the other inputs as files.")


def refuse_outputs(*paths: str | None) -> None:
    """UsageError where an output file cannot be written. Nothing is checked for None and for standard output (`-`)."""
    for path in paths:
        if path is not None and path != STANDARD_STREAM:
            refuse(path)


def refuse_output_folder(path: str) -> None:
    """UsageError where no folder can be made or written at the path. It may be there, with older files in it."""
    if os.path.exists(path) and not os.path.isdir(path):
        raise UsageError(f"{path} is a file. Name a folder to write to.")
    above = os.path.abspath(path)
    while not os.path.exists(above):
        above = os.path.dirname(above)
    if not os.path.isdir(above) or not os.access(above, os.W_OK | os.X_OK):
        raise UsageError(f"The folder {path} cannot be written: {above} does not allow it. Name another folder.")
