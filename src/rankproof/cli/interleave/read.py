"""What the log of an interleaving experiment says: who is preferred, how surely, and whether to trust it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import click

from rankproof.cli.interleave.shared import making, recipe_of
from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import ShelfName, answer_options, refuse_outputs, refuse_second_stdin, together
from rankproof.cli.shared.output import document
from rankproof.errors import UsageError

SCHEMA = "interleaving/1"
NAMES = (
    ("key", "key", "The column of the page's key."),
    ("unit", "unit", "The column of what counts once: a user or a session."),
    ("query", "query_id", "The column of the query."),
    ("shown", "shown", "The column of the list that was shown."),
    ("doc", "doc_id", "The column of the clicked document."),
    ("dwell", "dwell", "The column of the seconds spent on it."),
    ("converted", "converted", "The column that says whether the click led to a conversion."),
)
naming = together(
    [
        click.option(f"--{name}-column", default=default, show_default=True, metavar="NAME", help=words)
        for name, default, words in NAMES
    ]
)


@click.command("read")
@click.argument("logs", metavar="LOG...", nargs=-1, type=click.Path())
@click.option(
    "--credit",
    type=click.Choice(["click", "dwell", "conversion"]),
    default="click",
    show_default=True,
    help="What a click must be to count.",
)
@click.option("--seconds", type=float, default=30.0, show_default=True, help="With --credit dwell: at least so long.")
@click.option(
    "--sequential/--fixed",
    default=True,
    show_default=True,
    help="Intervals that hold at every look, or at one look at a size that was fixed before.",
)
@click.option(
    "--units",
    "planned",
    type=click.IntRange(2),
    help="The planned number of units, at which always-valid intervals are tightest; fixed before the start. "
    "Default: 5000.",
)
@click.option(
    "--confidence", type=float, default=0.95, show_default=True, help="The level of the confidence intervals."
)
@click.option("--baseline", help="The system that others are held against; the first by name otherwise.")
@click.option(
    "--correction",
    type=ShelfName("corrections"),
    default="holm",
    show_default=True,
    help="What keeps all pairs honest together, with three systems or more.",
)
@making
@naming
@answer_options
def command(
    logs: Sequence[str],
    credit: str,
    seconds: float,
    sequential: bool,
    planned: int | None,
    confidence: float,
    baseline: str | None,
    correction: str,
    runs: Sequence[str],
    method: str,
    depth: int,
    experiment: str,
    as_json: bool,
    output: str | None,
    **columns: Any,
) -> None:
    """Say which system users prefer, from one or several LOGs of pages and clicks (JSON lines, CSV, TSV, Parquet).

    A row is a page that was shown, a click, or both. Pages hold the list that was shown; without it, give the runs it
    was made from, and how.

    \b
    rankproof interleave read shown.jsonl clicks.csv --baseline bm25
    rankproof interleave read log.csv --run bm25.run --run hybrid.run --credit dwell --seconds 30
    """
    if not logs:
        raise UsageError("Give one log or more, such as: rankproof interleave read shown.jsonl clicks.csv")
    refuse_second_stdin(logs)
    if planned is not None and not sequential:
        raise UsageError("--units is for --sequential: with --fixed the size is that of the log. Leave out one.")
    refuse_outputs(output)
    from rankproof.online.interleaving.logs import InterleavingColumns, read_logs
    from rankproof.online.interleaving.preference import UNITS
    from rankproof.online.interleaving.read import analyze

    began = time.perf_counter()
    recipe = recipe_of(runs, method, depth, experiment) if runs else None
    logged = read_logs(logs, InterleavingColumns(**{name: columns[f"{name}_column"] for name, _, _ in NAMES}))
    report = analyze(
        logged,
        recipe,
        credit=credit,
        seconds=seconds,
        planned=(planned or UNITS) if sequential else None,
        level=confidence,
        baseline=baseline,
        correction=correction,
    )
    if as_json:
        text = document(SCHEMA, report.to_dict(), time.perf_counter() - began)
    else:
        from rankproof.cli.interleave.shared import result

        text = result(report)
    _output.give(text, output)
