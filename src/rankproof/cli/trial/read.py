"""`rankproof trial read`: the verdict so far, and what stands beside it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from typing import Any

import click

from rankproof.cli.shared.output import chosen_forms, unusable_is_2, verdict_options
from rankproof.errors import UsageError


@click.command("read")
@click.argument("design", type=click.Path())
@click.argument("days", metavar="DAYS...", nargs=-1, required=True, type=click.Path())
@click.option("--variant", help="Judge this variant, also where another is further.")
@click.option("--confidence", type=float, help="Of each one-sided bound, instead of the design's.")
@verdict_options
def command(
    design: str,
    days: Sequence[str],
    variant: str | None,
    confidence: float | None,
    **forms: Any,
) -> int:
    """Read a trial from its DAYS: files that `rankproof trial collect` wrote, or folders of them.

    The sample ratio comes first; where it fails, no other number is shown. Then each metric, against its goal.
    Exit status: 0 PASS, 1 FAIL, 2 wrong usage or unusable data, 3 UNDECIDED.

    \b
    rankproof trial read trial.toml days/
    rankproof trial read trial.toml days/ --html trial.html --junit trial.xml
    """
    chosen = chosen_forms(**forms)
    from rankproof.online.trial.days import read_day
    from rankproof.online.trial.design import read_design
    from rankproof.online.trial.read import read_trial

    began = time.perf_counter()
    with unusable_is_2():
        day_records = [read_day(path) for path in _day_files(days)]
        verdict = read_trial(read_design(design), day_records, confidence=confidence, variant=variant)
    chosen.give(verdict, {"seconds": round(time.perf_counter() - began, 6)})
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
