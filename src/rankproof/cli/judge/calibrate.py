"""`rankproof judge calibrate`: a judge's grades held against people's."""

from __future__ import annotations

import time
from collections.abc import Sequence

import click

from rankproof.cli.judge import inputs as reading
from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import Measures, chosen_form
from rankproof.cli.shared.output import document

SCHEMA = "calibration/1"
DEFAULT_MEASURE = "nDCG@10"


@click.command("calibrate")
@click.option("--human", required=True, type=click.Path(), help="People's grades: the anchor set.")
@click.option(
    "--model",
    "models",
    metavar="[NAME=]QRELS",
    required=True,
    multiple=True,
    help="A judge's grades; may be repeated. Several files under one NAME are passes of one judge over the same pairs.",
)
@click.option(
    "--run", "runs", multiple=True, type=click.Path(), help="A run: do systems keep their order? May be repeated."
)
@click.option(
    "--groups",
    type=click.Path(),
    help="Which run is of which group: lines of run, tab, group. Does the judge favor one?",
)
@click.option(
    "-m",
    "--measures",
    multiple=True,
    type=Measures(),
    help=f"What orders the systems; may be repeated. Default: {DEFAULT_MEASURE}.",
)
@click.option("--relevant", type=int, help="Compare relevant or not: people's least relevant grade.")
@click.option("--model-relevant", type=int, help="The judge's least relevant grade, where its scale is another.")
@click.option(
    "--confidence", type=click.FloatRange(0.5, 1, min_open=True, max_open=True), default=0.95, show_default=True,
    help="The confidence level of intervals.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the resamples of queries.")
@click.option("--format", "form", type=click.Choice(["table", "markdown", "json"]), help="The form of the answer.")
@reading.reading_options
def command(
    human: str,
    models: Sequence[str],
    runs: Sequence[str],
    groups: str | None,
    measures: Sequence[str],
    relevant: int | None,
    model_relevant: int | None,
    confidence: float,
    seed: int,
    form: str | None,
    as_json: bool,
    output: str | None,
    qrels_format: str | None,
    run_format: str | None,
) -> None:
    """Say how far a judge agrees with people: kappa, alpha, confusion, bias by grade, order of systems, favorites.

    Intervals come from leaving out one query at a time: pairs of one query are not independent. With two runs or more,
    the judge's error on each run's documents is held against that on the others'; with --groups on groups of runs.

    \b
    rankproof judge calibrate --human qrels.trec --model gpt.trec --run bm25.run --run dense.run --run hybrid.run
    rankproof judge calibrate --human qrels.trec --model gpt=first.trec --model gpt=second.trec --relevant 2
    """
    form = chosen_form(form, as_json)
    given = reading.judges(models)
    reading.prepare([human, *(path for paths in given.values() for path in paths), groups, *runs], output)
    from rankproof.judging.calibrate import calibrate
    from rankproof.proving.judge_bias import grouped, read_groups

    began = time.perf_counter()
    ranked = reading.read_runs(runs, run_format)
    calibration = calibrate(
        reading.grades(human, qrels_format),
        {name: [reading.grades(path, qrels_format) for path in paths] for name, paths in given.items()},
        name=human,
        runs=ranked,
        groups=None if groups is None else grouped(read_groups(groups), dict(zip(ranked, runs, strict=True)), groups),
        measures=measures or (DEFAULT_MEASURE,),
        relevant=relevant,
        model_relevant=model_relevant,
        level=confidence,
        seed=seed,
    )
    if form == "json":
        _output.give(document(SCHEMA, calibration.to_dict(), time.perf_counter() - began), output)
        return
    from rankproof.judging.sections import calibration_sections

    _output.give(reading.shown(calibration_sections(calibration), form), output)
