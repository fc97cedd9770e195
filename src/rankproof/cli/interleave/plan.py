"""How many units an interleaving experiment takes to show a preference, and what a number of them can show."""

from __future__ import annotations

from collections.abc import Sequence

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import answer_options, refuse_outputs
from rankproof.cli.shared.output import document
from rankproof.errors import UsageError

SCHEMA = "interleaving-plan/1"
SHARES = (0.51, 0.52, 0.55, 0.6, 0.7)


@click.command("plan")
@click.option(
    "--share",
    "shares",
    type=float,
    multiple=True,
    help="The share of wins among decided units that is to be shown; may be repeated. "
    f"Default: {', '.join(map(str, SHARES))}.",
)
@click.option(
    "--decided",
    type=float,
    default=1.0,
    show_default=True,
    help="The share of units that are no ties; an earlier experiment or a day tells it.",
)
@click.option("--units", type=click.IntRange(1), help="Say what so many units show, in place of how many it takes.")
@click.option("--per-day", type=click.IntRange(1), help="Units per day: the plan then gives days too.")
@click.option("--power", type=float, default=0.8, show_default=True, help="How surely the share is to be shown.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="The level of the test.")
@click.option(
    "--looks", type=click.IntRange(1, 10_000), default=100, show_default=True, help="How often one looks on the way."
)
@answer_options
def command(
    shares: Sequence[float],
    decided: float,
    units: int | None,
    per_day: int | None,
    power: float,
    confidence: float,
    looks: int,
    as_json: bool,
    output: str | None,
) -> None:
    """Say how many units show a preference: looking once at the end, and looking on the way and stopping once shown.

    \b
    rankproof interleave plan --share 0.55 --decided 0.4 --per-day 2000
    rankproof interleave plan --units 5000 --decided 0.4
    """
    if units is not None and per_day is not None:
        raise UsageError("--units says how many there are; --per-day asks how long they take. Leave out one.")
    refuse_outputs(output)
    from rankproof.online.interleaving.plan import plan

    result = plan(shares or SHARES, decided, units, per_day, power, confidence, looks)
    if as_json:
        text = document(SCHEMA, result.to_dict())
    else:
        from rankproof.cli.interleave.shared import planned

        text = planned(result)
    _output.give(text, output)
