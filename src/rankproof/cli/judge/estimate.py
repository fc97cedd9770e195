"""`rankproof judge estimate`: values by a model's grades, set right by a sample of people's."""

from __future__ import annotations

import time
from collections.abc import Sequence

import click

from rankproof.cli.judge import inputs as reading
from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import Measures, chosen_form
from rankproof.cli.shared.output import document

SCHEMA = "correction/1"
DEFAULT_MEASURES = "P@10 DCG@10 nDCG@10"


@click.command("estimate")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path())
@click.option("--human", required=True, type=click.Path(), help="People's grades of a sample of the pairs.")
@click.option("--model", required=True, type=click.Path(), help="The model's grades of all pairs.")
@click.option(
    "-m", "--measures", multiple=True, type=Measures(), help=f"What to estimate. Default: {DEFAULT_MEASURES}."
)
@click.option(
    "--plan",
    type=click.Path(),
    help="The plan the sample was drawn by, as `rankproof judge plan --json` wrote it; a plain random draw otherwise.",
)
@click.option("--depth", type=click.IntRange(1), help="How many of each run's first documents; the greatest cutoff.")
@click.option(
    "--confidence", type=click.FloatRange(0.5, 1, min_open=True, max_open=True), default=0.95, show_default=True,
    help="The confidence level of intervals.",
)  # fmt: skip
@click.option("--format", "form", type=click.Choice(["table", "markdown", "json"]), help="The form of the answer.")
@reading.reading_options
def command(
    runs: Sequence[str],
    human: str,
    model: str,
    measures: Sequence[str],
    plan: str | None,
    depth: int | None,
    confidence: float,
    form: str | None,
    as_json: bool,
    output: str | None,
    qrels_format: str | None,
    run_format: str | None,
) -> None:
    """Estimate what RUN would score if people had graded all that the model graded, from a sample that they did grade.

    The pairs in question are each run's first documents that the model graded. People's sample of them must have been
    drawn at random. With several runs, differences to the first are estimated too.

    \b
    rankproof judge estimate bm25.run dense.run --human sample.trec --model gpt.trec -m "P@10 DCG@10"
    rankproof judge estimate bm25.run dense.run --human judged.tsv --model gpt.trec --plan plan.json
    """
    form = chosen_form(form, as_json)
    reading.prepare([human, model, plan, *runs], output)
    from rankproof.judging.correction.correct import correct
    from rankproof.judging.correction.plan import read_plan

    began = time.perf_counter()
    corrected = correct(
        reading.grades(human, qrels_format),
        reading.grades(model, qrels_format),
        reading.rankings(reading.read_runs(runs, run_format)),
        list(measures) or DEFAULT_MEASURES,
        plan=None if plan is None else read_plan(plan),
        depth=depth,
        level=confidence,
    )
    if form == "json":
        _output.give(document(SCHEMA, corrected.to_dict(), time.perf_counter() - began), output)
        return
    from rankproof.judging.sections import correction_sections

    _output.give(reading.shown(correction_sections(corrected), form), output)
