"""`rankproof trial collect`: a day's rows become a day's file."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import refuse_outputs
from rankproof.cli.shared.output import document
from rankproof.errors import UsageError

if TYPE_CHECKING:
    from rankproof.online.trial.days import Day
    from rankproof.online.trial.records import TrialDesign

SCHEMA = "trial-collect/1"


@click.command("collect")
@click.argument("design", type=click.Path())
@click.argument("rows", metavar="ROWS...", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--output", type=click.Path(), help="The file of the day, where the rows are of one day.")
@click.option("--into", type=click.Path(), help="A folder: a file DATE.json for each day in the rows.")
@click.option("--day", help="The day of all rows, as 2026-11-01, where the design names no column of days.")
@click.option(
    "--shares",
    metavar="NAME=SHARE,...",
    help="Planned shares of these days, where they are not the design's: old=0.95,new=0.05.",
)
@click.option("--json", "as_json", is_flag=True, help="Say what was written as JSON; errors come as JSON too.")
def command(
    design: str,
    rows: Sequence[str],
    output: str | None,
    into: str | None,
    day: str | None,
    shares: str | None,
    as_json: bool,
) -> None:
    """Sum ROWS (CSV, TSV, JSON lines, Parquet) by unit and keep what inference needs: no row, no id.

    Rows are units on a day, or events such as searches; those of one unit are added up as the metrics of DESIGN say, on
    the day on which it enters. The same rows twice, and units in two variants, are refused. Memory stays bounded.

    \b
    rankproof trial collect trial.toml 2026-11-01.csv -o days/2026-11-01.json
    rankproof trial collect trial.toml november/*.parquet --into days
    """
    if (output is None) == (into is None):
        raise UsageError("Say where the days go: -o FILE for one day, or --into FOLDER for a file for each.")
    refuse_outputs(output)
    if output == "-" and as_json:
        raise UsageError("-o - gives the day itself, which is JSON; --json says what was written. Keep one of them.")
    if into is not None and not os.path.isdir(into):
        raise UsageError(f"{into} is no folder. Create it first.")
    from rankproof.cli.shared.output import watched
    from rankproof.online.trial.collect import collect_days
    from rankproof.online.trial.design import read_design

    began = time.perf_counter()
    read = read_design(design)
    days = collect_days(
        read,
        rows,
        day=day,
        shares=None if shares is None else _shares(shares),
        watch=lambda paths: watched(paths, "files of rows"),
    )
    if output is not None and len(days) > 1:
        raise UsageError(f"The rows are of {len(days)} days, {min(days)} to {max(days)}: give --into FOLDER for -o.")
    files = {date: output or os.path.join(str(into), f"{date}.json") for date in days}
    warnings = _beside(read, days, into)
    for date, collected_day in days.items():
        _output.give(day_text(collected_day), files[date])
    if output == "-":
        return
    if as_json:
        body = {"trial": read.name, "days": [_summary(days[date], file) for date, file in files.items()],
                "warnings": warnings}  # fmt: skip
        _output.say(document(SCHEMA, body, time.perf_counter() - began))
        return
    from rankproof.cli.trial.text import collected

    _output.say(collected(days, files, read.unit, warnings))


def _beside(design: TrialDesign, days: Mapping[str, Day], folder: str | None) -> list[str]:
    """What the days that are in the folder already show together with these; an error where they do not go together."""
    if folder is None:
        return []
    from rankproof.online.trial.day_clock import is_date
    from rankproof.online.trial.days import read_day
    from rankproof.online.trial.unit_presence import told_beside

    names = sorted(
        name for name in os.listdir(folder) if name.endswith(".json") and is_date(name[:-5]) and name[:-5] not in days
    )
    return told_beside(design, list(days.values()), [read_day(os.path.join(folder, name)) for name in names])


def day_text(day: Day) -> str:
    """The file of a day. The same rows give the same bytes."""
    from rankproof.kernel.jsontext import to_json
    from rankproof.kernel.version import __version__

    return to_json({"rankproof": __version__, **day.to_dict()}) + "\n"


def _shares(text: str) -> dict[str, float]:
    from rankproof.online.trial.design import read_shares

    shares: dict[str, float] = {}
    for part in text.split(","):
        name, equals, share = part.partition("=")
        try:
            shares[name.strip()] = float(share)
        except ValueError:
            equals = ""
        if not equals or not name.strip():
            raise UsageError(f"--shares is written as old=0.95,new=0.05; {text!r:.80} came.")
    return read_shares(shares, "--shares")


def _summary(day: Day, file: str) -> dict[str, object]:
    return {
        "date": day.dates[0],
        "file": file,
        "rows": day.rows,
        "units": dict(day.units),
        "shares": dict(day.shares),
        "dropped": dict(sorted(day.dropped.items())),
        "complete": day.complete,
        "doubts": dict(sorted(day.trace.doubts.items())) if day.trace is not None else {},
    }
