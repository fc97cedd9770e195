"""`rankproof judge plan`: which pairs to send to people."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from rankproof.cli.judge import inputs as reading
from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import Measures, refuse_outputs
from rankproof.cli.shared.output import document

if TYPE_CHECKING:
    from rankproof.judging.correction.records import JudgingPlan

DEFAULT_MEASURE = "DCG@10"
# So many pairs are shown one by one; the sheet and --json have all.
MOST_SHOWN = 10


@click.command("plan")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path())
@click.option("--model", required=True, type=click.Path(), help="The model's grades of all pairs.")
@click.option("-n", "--number", required=True, type=click.IntRange(1), help="How many pairs people can grade.")
@click.option(
    "-m", "--measure", "measures", multiple=True, type=Measures(),
    help=f"The measure whose intervals are to shrink. Default: {DEFAULT_MEASURE}.",
)  # fmt: skip
@click.option("--human", type=click.Path(), help="Human grades from before: they tell where the model is uncertain.")
@click.option("--compare", is_flag=True, help="Differences to the first RUN are to be settled, not each run's value.")
@click.option("--depth", type=click.IntRange(1), help="How many of each run's first documents; the greatest cutoff.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the draw.")
@click.option(
    "--sheet",
    type=click.Path(),
    help="Write the chosen pairs here, tab-separated with an empty column for the grade: qrels once it is filled.",
)
@reading.reading_options
def command(
    runs: Sequence[str],
    model: str,
    number: int,
    measures: Sequence[str],
    human: str | None,
    compare: bool,
    depth: int | None,
    seed: int,
    sheet: str | None,
    as_json: bool,
    output: str | None,
    qrels_format: str | None,
    run_format: str | None,
) -> None:
    """Choose the pairs whose human grades make intervals of RUN shrink most.

    They are drawn at random, with probabilities that grow with what a pair's grade can move and with how uncertain the
    model's word is. `rankproof judge estimate --plan` needs the plan with these probabilities: keep it with --json -o.
    For a measure over an ideal ranking, such as nDCG, whole queries are drawn, with about as many pairs.

    \b
    rankproof judge plan bm25.run dense.run --model gpt.trec -n 300 --sheet tojudge.tsv --json -o plan.json
    """
    reading.prepare([model, human, *runs], output)
    refuse_outputs(sheet)
    from rankproof.judging.correction.plan import SCHEMA, plan_judging

    began = time.perf_counter()
    plan = plan_judging(
        reading.grades(model, qrels_format),
        reading.rankings(reading.read_runs(runs, run_format)),
        " ".join(measures) or DEFAULT_MEASURE,
        number,
        anchor=None if human is None else reading.grades(human, qrels_format),
        compare=compare,
        depth=depth,
        seed=seed,
    )
    if sheet is not None:
        _output.give(_sheet(plan), sheet)
    text = document(SCHEMA, plan.to_dict(), time.perf_counter() - began) if as_json else _text(plan, sheet)
    _output.give(text, output)


def _sheet(plan: JudgingPlan) -> str:
    from rankproof.reading.formats.tsv import protect

    lines = ["query_id\tdoc_id\tgrade"]
    lines += ["\t".join([*protect([pair.query_id, pair.doc_id]), ""]) for pair in plan.chosen]
    return "\n".join(lines) + "\n"


def _text(plan: JudgingPlan, sheet: str | None) -> str:
    from rankproof.judging.correction.totals import LEAST_FREEDOM
    from rankproof.kernel.sections import aligned, number, printable

    chosen = plan.chosen
    lines = [f"{len(chosen):,} of {len(plan.pairs):,} pairs for people, drawn for {plan.measure} with seed {plan.seed}"]
    if plan.whole_queries:
        queries = len({pair.query_id for pair in chosen})
        least = LEAST_FREEDOM + 1
        lines.append(f"These are {queries:,} whole queries: the ideal ranking takes all grades of a query.")
        if queries < least:
            lines.append(f"Fewer than {least} whole queries give no confidence interval. Ask for more pairs.")
    if plan.expected is not None:
        what = f"difference to {plan.runs[0]}" if plan.compare else "run"
        rows = [[what, "by this plan", "by a plain draw"]]
        rows += [[name, f"± {number(ours)}", f"± {number(plain)}"] for name, (ours, plain) in plan.expected.items()]
        lines += ["", f"95% intervals of {plan.measure} to expect:", *(f"  {line}" for line in aligned(rows, 1))]
    rows = [["query_id", "doc_id", "probability"]]
    rows += [[pair.query_id, pair.doc_id, f"{pair.probability:.3f}"] for pair in chosen[:MOST_SHOWN]]
    lines += ["", *aligned(rows, 2)]
    if len(chosen) > MOST_SHOWN:
        where = f"; all of them in {sheet}" if sheet else "; --sheet writes all of them"
        lines.append(f"and {len(chosen) - MOST_SHOWN:,} more{where}")
    lines += ["", "Keep the plan for `rankproof judge estimate --plan`: --json -o plan.json"]
    return "\n".join(printable(line) for line in lines) + "\n"
