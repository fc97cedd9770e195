"""`rankproof trial plan`: units and days before a trial begins, by each method side by side."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import answer_options, refuse_outputs
from rankproof.cli.shared.output import document
from rankproof.errors import UsageError

if TYPE_CHECKING:
    from rankproof.online.trial.results import TrialPlan

SCHEMA = "trial-plan/1"


@click.command("plan")
@click.argument("design", type=click.Path(), required=False)
@click.option("--past", multiple=True, type=click.Path(), help="A day's file of the past; may be repeated.")
@click.option("--rate", type=float, help="Without a design: the share of units that do something, such as 0.31.")
@click.option("--mean", type=float, help="Without a design: the mean of a unit; with --sd.")
@click.option("--sd", type=float, help="Without a design: the standard deviation of units.")
@click.option("--effect", type=float, help="The true effect that is to be shown: 0.02 is 2% of the control.")
@click.option("--absolute", is_flag=True, help="Without a design: --effect is in units of the metric.")
@click.option("-n", "--units", type=click.IntRange(4), help="Say what so many units of both variants show.")
@click.option("--per-day", type=float, help="How many units of both variants come in a day.")
@click.option("--share", type=float, default=0.5, show_default=True, help="Without a design: of the treatment.")
@click.option("--confidence", type=float, help="Of the bound; the design's, or 0.95.")
@click.option("--power", type=float, default=0.8, show_default=True, help="How surely a true effect is to be shown.")
@click.option("--two-sided", is_flag=True, help="Without a design: two-sided intervals. Verdicts use one-sided bounds.")
@answer_options
def command(
    design: str | None,
    past: Sequence[str],
    as_json: bool,
    output: str | None,
    **options: Any,
) -> None:
    """Say how many units and days a trial takes, at a fixed horizon and with methods that may be looked at any time.

    From DESIGN and days of the past all its metrics are planned, guardrails for their margins. A single number takes
    --rate, or --mean and --sd.

    \b
    rankproof trial plan --rate 0.31 --effect 0.02 --per-day 5000
    rankproof trial plan trial.toml --past last-month.json --effect 0.02 --per-day 5000
    """
    refuse_outputs(output)
    began = time.perf_counter()
    plan = _numbers(options) if design is None else _design(design, past, options)
    if as_json:
        text = document(SCHEMA, plan.to_dict(), time.perf_counter() - began)
    else:
        from rankproof.cli.trial.text import planned

        text = planned(plan)
    _output.give(text, output)


def _numbers(options: dict[str, Any]) -> TrialPlan:
    from rankproof.online.trial.plan import PlanRequest, plan_numbers

    size = PlanRequest(
        scale="absolute" if options["absolute"] else "relative",
        share=options["share"],
        level=0.95 if options["confidence"] is None else options["confidence"],
        power=options["power"],
        one_sided=not options["two_sided"],
        units=options["units"],
        per_day=options["per_day"],
    )
    return plan_numbers(
        rate=options["rate"], mean=options["mean"], sd=options["sd"], effect=options["effect"], size=size
    )


def _design(path: str, past: Sequence[str], options: dict[str, Any]) -> TrialPlan:
    alone = [f"--{name.replace('_', '-')}" for name in ("rate", "mean", "sd", "absolute", "two_sided") if options[name]]
    if click.get_current_context().get_parameter_source("share") == click.core.ParameterSource.COMMANDLINE:
        alone.append("--share")
    if alone:
        raise UsageError(f"With a design, its metrics, shares and goals are planned for. Leave out {', '.join(alone)}.")
    if not past:
        raise UsageError("Say with --past which day's file shows how much units vary, from `rankproof trial collect`.")
    from rankproof.online.trial.days import read_day
    from rankproof.online.trial.design import read_design
    from rankproof.online.trial.plan import PlanRequest, plan_design

    design = read_design(path)
    level = design.confidence if options["confidence"] is None else options["confidence"]
    size = PlanRequest(level=level, power=options["power"], units=options["units"], per_day=options["per_day"])
    return plan_design(design, [read_day(day) for day in past], effect=options["effect"], size=size)
