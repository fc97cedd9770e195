"""Read an A/B test from one table, without a design file."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import click

from rankproof.cli.shared.option_help import long_help
from rankproof.cli.shared.options import refuse_outputs
from rankproof.cli.shared.output import chosen_forms, verdict_options


@click.command(
    "ab", cls=long_help("variant", "metrics", "guardrails", "unit", "control", "split", "segments", "as_json", "html")
)
@click.argument("file", type=click.Path())
@click.option("--variant", metavar="COLUMN", required=True, help="The column that says which variant a row was shown.")
@click.option(
    "--metric",
    "metrics",
    metavar="COLUMN[:KIND]",
    multiple=True,
    required=True,
    help="What to measure; may be repeated: the first one decides, further ones are shown. KIND is binary (or "
    "conversion), mean (of a unit: revenue, counts), p95 or median; found out from the values otherwise. "
    "clicks/searches is a ratio of sums, clicks/* one per row. :lower says that lower is better.",
)
@click.option(
    "--guardrail",
    "guardrails",
    metavar="COLUMN[:KIND]=MARGIN",
    multiple=True,
    help="What may not get worse by more than MARGIN, such as latency:p95:lower=5%; may be repeated.",
)
@click.option(
    "--unit",
    metavar="COLUMN",
    default="",
    help="Whose rows are added up: users, sessions. '*': each row is a unit. By default user_id and the like, where "
    "the table has such a column, else each row.",
)
@click.option("--control", metavar="NAME", default="", help="The variant that others are compared with.")
@click.option(
    "--split",
    metavar="SHARES",
    default="",
    help="Planned shares, as 90/10 with the control first, or old=0.9,new=0.1; equal ones by default.",
)
@click.option(
    "--segment", "segments", metavar="COLUMN", multiple=True, help="Show effects by this column too; may be repeated."
)
@click.option(
    "--method",
    default="sequence",
    show_default=True,
    help="How sure an effect is: sequence, however often somebody looked; welch, for one look at --units planned.",
)
@click.option("--units", type=click.IntRange(2), help="With --method welch: how many units were planned in all.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Of each one-sided bound.")
@click.option("--write-config", type=click.Path(), help="Write the design as TOML, for `rankproof trial` next time.")
@verdict_options
def command(
    file: str,
    variant: str,
    metrics: Sequence[str],
    guardrails: Sequence[str],
    segments: Sequence[str],
    write_config: str | None,
    unit: str,
    control: str,
    split: str,
    method: str,
    units: int | None,
    confidence: float,
    **forms: Any,
) -> int:
    """Read an A/B test (trial) from FILE: CSV, TSV, JSON lines or Parquet, one row for each unit, or for each event.

    The same checks and the same verdict as `rankproof trial read`: the sample ratio comes first; where it fails, no
    other number is shown. Units in two variants are left out and counted, as are missing values.
    Exit status: 0 PASS, 1 FAIL (or invalid input), 2 wrong usage, 3 UNDECIDED.

    \b
    rankproof ab test.csv --variant group --metric converted
    rankproof ab events.csv --variant group --unit user_id --metric clicks/searches --guardrail latency:p95:lower=5%
    rankproof ab test.parquet --variant group --metric revenue --control A --split 90/10 --write-config trial.toml
    """
    chosen = chosen_forms(**forms)
    refuse_outputs(write_config)
    from rankproof.online.trial.one_table import TableTest, design_text, read_table_test

    request = TableTest(
        path=file,
        variant=variant,
        metrics=tuple(metrics),
        guardrails=tuple(guardrails),
        unit=unit,
        control=control,
        split=split,
        segments=tuple(segments),
        method=method,
        units=units,
        confidence=confidence,
    )
    began = time.perf_counter()
    verdict, design = read_table_test(request)
    if write_config is not None:
        from rankproof.kernel.atomic import replace_file

        replace_file(write_config, [design_text(design, file).encode()])
    chosen.give(verdict, {"seconds": round(time.perf_counter() - began, 6)}, design=write_config)
    return verdict.exit_status
