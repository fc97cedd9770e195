"""`rankproof trial read`: the verdict so far, and what stands beside it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence

import click

from rankproof.cli import _output
from rankproof.cli._types import ShelfName
from rankproof.errors import UsageError
from rankproof.store.atomic import refuse as refuse_path


@click.command("read")
@click.argument("design", type=click.Path())
@click.argument("days", metavar="DAYS...", nargs=-1, required=True, type=click.Path())
@click.option("--variant", help="Judge this variant, also where another is further.")
@click.option("--confidence", type=float, help="Of each one-sided bound, instead of the design's.")
@click.option(
    "--format", "form", type=ShelfName("reports", "verdict"), help="The form of the answer; table by default."
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json; errors come as JSON too.")
@click.option("-o", "--output", type=click.Path(), help="Write to this file, whole or not at all.")
@click.option("--junit", type=click.Path(), help="Write JUnit XML to this file too.")
@click.option("--markdown", type=click.Path(), help="Write the Markdown report to this file too.")
@click.option("--html", type=click.Path(), help="Write the HTML report to this file too.")
def command(
    design: str,
    days: Sequence[str],
    variant: str | None,
    confidence: float | None,
    form: str | None,
    as_json: bool,
    output: str | None,
    junit: str | None,
    markdown: str | None,
    html: str | None,
) -> int:
    """Read a trial from its DAYS: files that `rankproof trial collect` wrote, or folders of them.

    The sample ratio comes first; where it fails, no other number is shown. Then each metric, against its goal.
    Exit status: 0 PASS, 1 FAIL (or invalid input), 2 wrong usage, 3 UNDECIDED.

    \b
    rankproof trial read trial.toml days/
    rankproof trial read trial.toml days/ --html trial.html --junit trial.xml
    """
    if as_json and form not in (None, "json"):
        raise UsageError(f"--json and --format {form} contradict each other. Keep one of them.")
    form = "json" if as_json else form or "table"
    files = {"junit": junit, "markdown": markdown, "html": html}
    for path in (output, *files.values()):
        if path is not None and path != "-":
            refuse_path(path)
    from rankproof import shelf
    from rankproof.flow.trials.days import read_day
    from rankproof.flow.trials.designing import read_design
    from rankproof.flow.trials.reading import read_trial

    reports = {name: shelf.find("reports", name) for name in (form, *(n for n, path in files.items() if path))}
    began = time.perf_counter()
    found = [read_day(path) for path in _day_files(days)]
    verdict = read_trial(read_design(design), found, confidence=confidence, variant=variant)
    observed = {"seconds": round(time.perf_counter() - began, 6)}
    for name, path in files.items():
        if path is not None:
            _output.give(reports[name].verdict(verdict, observed=observed), path)
    _output.give(reports[form].verdict(verdict, observed=observed), output)
    return verdict.exit_status


def _day_files(paths: Sequence[str]) -> Iterator[str]:
    """The files themselves; of a folder all that end in .json, in the order of their names."""
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        inside = sorted(name for name in os.listdir(path) if name.endswith(".json"))
        if not inside:
            raise UsageError(f"The folder {path} has no .json file. `rankproof trial collect` writes days.")
        yield from (os.path.join(path, name) for name in inside)
