"""What a query set can show: the least difference, the queries a difference takes, and the curves."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from rankproof.cli import _output
from rankproof.cli._compare_options import DEFAULT_MEASURES
from rankproof.cli._compare_options import reading as reading_options
from rankproof.cli._document import document
from rankproof.cli._types import Measures
from rankproof.errors import UsageError
from rankproof.store.atomic import refuse as refuse_path

if TYPE_CHECKING:
    from rankproof.records.power import PowerPlan

SCHEMA = "power/1"


@click.command("power")
@click.argument("inputs", metavar="[QRELS BASELINE CANDIDATE]", nargs=-1, type=click.Path())
@click.option(
    "-m",
    "--measures",
    multiple=True,
    type=Measures(),
    help=f"What to plan with, in any accepted spelling; may be repeated. Default: {DEFAULT_MEASURES}.",
)
@click.option("--sd", type=float, help="The standard deviation of the paired differences, in place of two runs.")
@click.option(
    "-n", "--queries", type=click.IntRange(2), help="Plan with this many queries; those of the runs otherwise."
)
@click.option("-d", "--difference", type=float, help="Plan for this true difference; the observed one otherwise.")
@click.option(
    "--power", type=float, default=0.8, show_default=True, help="How surely a true difference is to be found."
)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="The confidence level of the test.")
@click.option(
    "--alternative",
    type=click.Choice(["two-sided", "greater", "less"]),
    default="two-sided",
    show_default=True,
    help="Which differences the test looks for.",
)
@click.option("--json", "as_json", is_flag=True, help="Give JSON, for programs; errors come as JSON too.")
@click.option("-o", "--output", type=click.Path(), help="Write to this file, whole or not at all.")
@reading_options
def command(
    inputs: Sequence[str],
    measures: Sequence[str],
    sd: float | None,
    queries: int | None,
    difference: float | None,
    power: float,
    confidence: float,
    alternative: Any,
    as_json: bool,
    output: str | None,
    **reading: Any,
) -> None:
    """Say what a query set can show, by the power of the paired t test.

    From two runs the spread of the differences is measured; --sd takes one that is known from elsewhere.

    \b
    rankproof power qrels.trec bm25.run dense.run -m nDCG@10
    rankproof power qrels.trec bm25.run dense.run -m "nDCG@10 RR@10" --difference 0.02
    rankproof power --sd 0.2 --queries 50 --difference 0.02
    """
    if output is not None and output != "-":
        refuse_path(output)
    ask = {
        "queries": queries,
        "difference": difference,
        "power": power,
        "confidence": confidence,
        "alternative": alternative,
    }
    began = time.perf_counter()
    plan = _plan_runs(inputs, measures, reading, ask) if sd is None else _plan_sd(sd, inputs, measures, reading, ask)
    if as_json:
        text = document(SCHEMA, plan.to_dict(), time.perf_counter() - began)
    else:
        from rankproof.cli import _power_text

        text = _power_text.shown(plan)
    _output.give(text, output)


def _plan_sd(
    sd: float, inputs: Sequence[str], measures: Sequence[str], reading: dict[str, Any], ask: dict[str, Any]
) -> PowerPlan:
    beside = [*(["QRELS, BASELINE and CANDIDATE"] if inputs else []), *(["-m"] if measures else [])]
    typed = click.get_current_context().get_parameter_source
    beside += [f"--{name.replace('_', '-')}" for name in reading if typed(name) == ParameterSource.COMMANDLINE]
    if beside:
        raise UsageError(
            f"--sd stands in place of two runs, and {', '.join(beside)} came with it. Leave out one of the two."
        )
    from rankproof.flow.sizing import plan_sd

    return plan_sd(sd, **ask)


def _plan_runs(
    inputs: Sequence[str], measures: Sequence[str], reading: dict[str, Any], ask: dict[str, Any]
) -> PowerPlan:
    if len(inputs) != 3:
        came = "nothing" if not inputs else f"{len(inputs)}: {' '.join(inputs)}"
        raise UsageError(
            f"Give QRELS, BASELINE and CANDIDATE, or --sd in their place; {came} came. "
            "Such as: rankproof power qrels.trec bm25.run dense.run -m nDCG@10"
        )
    if list(inputs).count("-") > 1:
        raise UsageError("Standard input (-) can be read only once. Give the other inputs as files.")
    from rankproof.flow.sizing import plan_runs

    qrels, baseline, candidate = inputs
    return plan_runs(qrels, baseline, candidate, measures or (DEFAULT_MEASURES,), **ask, **reading)
