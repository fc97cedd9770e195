"""Compare two rankings without judgments: how alike they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import answer_options, refuse_outputs, refuse_second_stdin, two_runs
from rankproof.cli.shared.output import document

if TYPE_CHECKING:
    from rankproof.measuring.similarity import Likeness
    from rankproof.reading.records import Run

DEFAULT = "RBO"


@click.command("similarity")
@click.argument("run_a", type=click.Path())
@click.argument("run_b", type=click.Path())
@click.option(
    "-m",
    "--measures",
    "measures",
    multiple=True,
    help=f'How to compare, such as "RBO(p=0.9)" or Jaccard@10; may be repeated. Default: {DEFAULT}.',
)
@click.option("-q", "--per-query", is_flag=True, help="Show each query's values too.")
@answer_options
@two_runs
def command(
    run_a: str,
    run_b: str,
    measures: Sequence[str],
    per_query: bool,
    as_json: bool,
    output: str | None,
    order: Any,
    lower_is_better: bool,
    run_format: str | None,
    columns: Sequence[str],
) -> None:
    """Compare RUN_A with RUN_B: which share of their rankings, weighted by rank, is the same.

    \b
    rankproof similarity bm25.run dense.run
    rankproof similarity bm25.run dense.run -m "RBO(p=0.9) Jaccard@10" -q
    """
    refuse_second_stdin((run_a, run_b))
    refuse_outputs(output)
    from rankproof.measuring.similarity import similarities
    from rankproof.reading.collect import named_columns, read_run

    named = named_columns(columns, None, (run_a, run_b))
    reading = {"order": order, "lower_is_better": lower_is_better or None, **named}
    first, second = (_rankings(read_run(run, run_format, **reading)) for run in (run_a, run_b))
    values = similarities(first, second, " ".join(measures or (DEFAULT,)))
    text = _json(run_a, run_b, values, per_query) if as_json else _table(run_a, run_b, values, per_query)
    _output.give(text, output)


def _rankings(run: Run) -> dict[str, list[str]]:
    return {query: docs for query, docs, _ in run.rankings()}


def _table(run_a: str, run_b: str, values: dict[str, Likeness], per_query: bool) -> str:
    from rankproof.kernel.sections import UNDEFINED, aligned, number, printable, some

    first = next(iter(values.values()))
    rows: list[list[str]] = [["query_id", *values]]
    if per_query:
        queries = dict.fromkeys((*first.by_query, *first.undefined))
        rows += [
            [query, *(number(likeness.by_query.get(query, math.nan)) for likeness in values.values())]
            for query in queries
        ]
    means = [UNDEFINED if likeness.mean is None else number(likeness.mean) for likeness in values.values()]
    rows.append(["all", *means])
    both = len(first.by_query) + len(first.undefined)
    notes = [f"{run_a} and {run_b}: {both} {'query' if both == 1 else 'queries'} in both"]
    notes += [
        f"{text}: undefined, left out of the mean: {len(likeness.undefined)} ({some(likeness.undefined)})"
        for text, likeness in values.items()
        if likeness.undefined
    ]
    notes += [
        f"only in {run}: {len(queries)}, compared with nothing ({some(queries)})"
        for run, queries in ((run_a, first.only_a), (run_b, first.only_b))
        if queries
    ]
    return "\n".join([*aligned(rows, 1), "", *map(printable, notes)]) + "\n"


def _json(run_a: str, run_b: str, values: dict[str, Likeness], per_query: bool) -> str:
    first = next(iter(values.values()))
    body = {
        "run_a": run_a,
        "run_b": run_b,
        "similarities": {
            text: {
                "value": likeness.mean,
                "undefined": list(likeness.undefined),
                **({"by_query": dict(likeness.by_query)} if per_query else {}),
            }
            for text, likeness in values.items()
        },
        "only_a": list(first.only_a),
        "only_b": list(first.only_b),
    }
    return document("similarity/1", body)
