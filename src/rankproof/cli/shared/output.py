"""Where a command's answer goes: standard output or an atomically written file, as text or a JSON document."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import click

from rankproof.cli.shared.options import ShelfName
from rankproof.cli.shared.usage import chosen_form, refuse_outputs
from rankproof.errors import UsageError
from rankproof.kernel.atomic import replace_file

if TYPE_CHECKING:
    from rankproof.proving.verdict import Verdict


def give(text: str, path: str | None) -> None:
    """Writes the text to a file, or to standard output for None and `-`."""
    if path is None or path == "-":
        say(text)
        return
    replace_file(path, [text.encode("utf-8", "surrogateescape")])


def say(text: str) -> None:
    """Writes to standard output at once. What its encoding cannot hold is written out, never refused."""
    stream = output()
    encoding = sys.stdout.encoding or "utf-8"
    try:
        data = text.encode(encoding, "surrogateescape")
    except UnicodeEncodeError:
        data = text.encode(encoding, "backslashreplace")
    sys.stdout.flush()
    stream.write(data)
    stream.flush()  # now, so that a reader that is gone is noticed while someone listens


def output() -> BinaryIO:
    """Standard output, for bytes. A program may be started without one."""
    if sys.stdout is None:
        raise UsageError("There is no standard output to write to. Name a file to write to.")
    return sys.stdout.buffer


def document(schema: str, body: Mapping[str, Any], seconds: float | None = None, indent: int | None = 2) -> str:
    """The document as text. What differs from one time to the next stands under `observed`, and nowhere else."""
    from rankproof.kernel.jsontext import to_json
    from rankproof.kernel.version import __version__

    observed = {} if seconds is None else {"observed": {"seconds": round(seconds, 6)}}
    return to_json({"rankproof": __version__, "schema": schema, **body, **observed}, indent=indent) + "\n"


Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--format", "form", type=ShelfName("reports", "verdict"), help="The form of the answer; table by default."
    ),
    click.option("--json", "as_json", is_flag=True, help="The same as --format json; errors come as JSON too."),
    click.option("-o", "--output", type=click.Path(), help="Write to this file, whole or not at all."),
    click.option("--junit", type=click.Path(), help="Write JUnit XML to this file too."),
    click.option("--markdown", type=click.Path(), help="Write the Markdown report to this file too."),
    click.option("--html", type=click.Path(), help="Write the HTML report to this file too."),
)


def verdict_options(command: Command) -> Command:
    """Adds --format, --json, -o, --junit, --markdown and --html."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class Forms:
    """What was asked for: the form of the answer, where it goes, and the files beside it by their forms."""

    form: str
    output: str | None
    files: Mapping[str, str]
    reports: Mapping[str, Any]

    def give(self, verdict: Verdict, observed: Mapping[str, Any]) -> None:
        """Writes the files, then the answer."""
        for name, path in self.files.items():
            give(self.reports[name].verdict(verdict, observed=observed), path)
        give(self.reports[self.form].verdict(verdict, observed=observed), self.output)


def chosen_forms(form: str | None, as_json: bool, output: str | None, **files: str | None) -> Forms:
    """What the options say; refused before anything is measured where it cannot be done."""
    from rankproof.kernel import shelf

    form = chosen_form(form, as_json)
    wanted = {name: path for name, path in files.items() if path is not None}
    refuse_outputs(output, *wanted.values())
    return Forms(form, output, wanted, {name: shelf.find("reports", name) for name in (form, *wanted)})
