"""Say which offline measure told the truth: past changes, what they were offline, and what users did."""

from __future__ import annotations

import time
from collections.abc import Sequence

import click

from rankproof.cli import _output
from rankproof.cli._document import document
from rankproof.store.atomic import refuse as refuse_path

SCHEMA = "relation/1"


@click.command("relate")
@click.argument("changes", type=click.Path())
@click.option(
    "--lower",
    multiple=True,
    metavar="NAME",
    help="A measure or metric of which less is better, such as abandonment; may be repeated.",
)
@click.option(
    "--by",
    type=click.Choice(["spearman", "pearson"]),
    default="spearman",
    show_default=True,
    help="The correlation that measures are ranked by.",
)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="The level of the intervals.")
@click.option(
    "--chance",
    type=click.FloatRange(0.01, 0.99),
    default=0.8,
    show_default=True,
    help="How likely a shown online gain must be for an offline difference to be enough.",
)
@click.option("--json", "as_json", is_flag=True, help="Give JSON, for programs; errors come as JSON too.")
@click.option("-o", "--output", type=click.Path(), help="Write to this file, whole or not at all.")
def command(
    changes: str,
    lower: Sequence[str],
    by: str,
    confidence: float,
    chance: float,
    as_json: bool,
    output: str | None,
) -> None:
    """Relate offline differences to online effects across past CHANGES, for every measure and metric.

    CHANGES is a table (CSV, TSV, JSON lines, Parquet) with the columns change, offline:MEASURE, online:METRIC, and
    their standard errors as offline:MEASURE:se and online:METRIC:se; or a TOML file that names, for each change, the
    JSON of its comparison and of its trial.

    \b
    rankproof relate changes.csv --lower abandonment
    rankproof relate changes.toml --json
    """
    if output is not None and output != "-":
        refuse_path(output)
    from rankproof.flow.relating.assembling import assemble
    from rankproof.flow.relating.reading import read_changes
    from rankproof.flow.relating.relate import relate

    began = time.perf_counter()
    read = assemble(changes, lower) if changes.endswith(".toml") else read_changes(changes, lower)
    found = relate(read, by=by, level=confidence, chance=chance)
    if as_json:
        text = document(SCHEMA, found.to_dict(), time.perf_counter() - began)
    else:
        from rankproof.cli._relate_text import shown

        text = shown(found)
    _output.give(text, output)
