"""The forms of a verdict that a command gives: one as its answer, others into files beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rankproof.cli import _output
from rankproof.cli._types import ShelfName
from rankproof.errors import UsageError
from rankproof.store.atomic import refuse as refuse_path

if TYPE_CHECKING:
    from rankproof.records.verdict import Verdict

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
            _output.give(self.reports[name].verdict(verdict, observed=observed), path)
        _output.give(self.reports[self.form].verdict(verdict, observed=observed), self.output)


def chosen_forms(form: str | None, as_json: bool, output: str | None, **files: str | None) -> Forms:
    """What the options say; refused before anything is measured where it cannot be done."""
    from rankproof import shelf

    if as_json and form not in (None, "json"):
        raise UsageError(f"--json and --format {form} contradict each other. Keep one of them.")
    form = "json" if as_json else form or "table"
    wanted = {name: path for name, path in files.items() if path is not None}
    for path in (output, *wanted.values()):
        if path is not None and path != "-":
            refuse_path(path)
    return Forms(form, output, wanted, {name: shelf.find("reports", name) for name in (form, *wanted)})
