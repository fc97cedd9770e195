"""Say what to judge next: the pairs of query and document that would settle a comparison most, in order."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli import _output
from rankproof.cli._progress import watched
from rankproof.cli._types import Measures, ShelfName
from rankproof.errors import UsageError
from rankproof.store.atomic import refuse as refuse_path

if TYPE_CHECKING:
    from rankproof.records.bounds import Proposal

DEFAULT_MEASURE = "DCG@10"


@click.command("next")
@click.argument("qrels", type=click.Path())
@click.argument("runs", metavar="BASELINE CANDIDATE...", nargs=-1, required=True, type=click.Path())
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    type=Measures(),
    help=f"The measure whose difference is to be settled, in any accepted spelling. Default: {DEFAULT_MEASURE}.",
)
@click.option(
    "-n",
    "--number",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    help="How many pairs to list.",
)
@click.option(
    "--pool",
    type=click.Path(),
    help="Further documents that could be relevant: a run, qrels, or columns with query and document.",
)
@click.option("--topics", type=click.Path(), help="The queries' texts, to show beside their ids.")
@click.option("--top-grade", type=click.IntRange(1), help="The best grade of the scale; that of QRELS otherwise.")
@click.option("-M", "--depth", type=click.IntRange(1), help="Measure only the first DEPTH documents of each ranking.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "tsv", "json"]),
    help="table, to read (the default); tsv, to judge: a line per pair with an empty column for its grade, which "
    "reads as qrels once filled; or json.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json; errors come as JSON too.")
@click.option("-o", "--output", type=click.Path(), help="Write to this file, whole or not at all.")
@click.option(
    "--order",
    type=click.Choice(["score", "rank", "given"]),
    help="What puts documents in order; scores by default where there are any.",
)
@click.option("--lower-is-better", is_flag=True, help="Scores are distances: the least comes first.")
@click.option("--collapse", metavar="PATTERN", help="Passages to documents, as in `rankproof evaluate`.")
@click.option("--drop-self", is_flag=True, help="Remove a document whose id is the query's own.")
@click.option("--allow", metavar="CODE", multiple=True, type=ShelfName("checks"), help="Go on in spite of this fault.")
@click.option("--qrels-format", type=ShelfName("formats", "qrels"), help="The format of QRELS; found out otherwise.")
@click.option("--run-format", type=ShelfName("formats", "run"), help="The format of every run; found out otherwise.")
def command(
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str],
    number: int,
    topics: str | None,
    form: str | None,
    as_json: bool,
    output: str | None,
    **choices: Any,
) -> None:
    """List the unjudged documents whose judgment would settle most whether each CANDIDATE differs from BASELINE.

    \b
    rankproof next qrels.trec bm25.run dense.run
    rankproof next qrels.trec bm25.run dense.run -m nDCG@10 -n 100 --format tsv -o tojudge.tsv
    """
    if as_json and form not in (None, "json"):
        raise UsageError(f"--json and --format {form} contradict each other. Keep one of them.")
    form = "json" if as_json else form or "table"
    if [qrels, *runs, choices["pool"], topics].count("-") > 1:
        raise UsageError("Standard input (-) can be read only once. Give the other inputs as files.")
    if output is not None and output != "-":
        refuse_path(output)
    if len(runs) < 2:
        raise UsageError("Give two runs or more: the baseline, and what is compared with it.")
    began = time.perf_counter()
    found = _propose(qrels, runs, " ".join(measures) or DEFAULT_MEASURE, number, choices)
    texts = _texts(topics)
    from rankproof.cli import _next_text as text

    if form == "json":
        told = text.as_json(found, texts, time.perf_counter() - began)
    else:
        told = text.to_judge(found, texts) if form == "tsv" else text.to_read(found, texts)
    _output.give(told, output)


def _propose(qrels: str, runs: Sequence[str], measure: str, number: int, choices: dict[str, Any]) -> Proposal:
    from rankproof.flow.joining import join_run, prepare_qrels
    from rankproof.flow.pooled import documents_of
    from rankproof.flow.proposing import propose

    allow = choices["allow"]
    judged = prepare_qrels(qrels, choices["qrels_format"], allow)
    if not len(judged.judgments.query_ids):
        raise UsageError(
            f"{qrels} has no judgment, and without any no pair is worth more than another. To begin with, judge the "
            "first few documents of each run for every query."
        )
    reading = {name: choices[name] for name in ("order", "lower_is_better", "collapse", "drop_self")}
    prepared = [
        join_run(judged, run, format=choices["run_format"], allow=allow, **reading) for run in watched(runs, "reading")
    ]
    if len({run.name for run in prepared}) < len(prepared):
        for run, path in zip(prepared, runs, strict=True):
            run.name = path
    pool = choices["pool"]
    return propose(
        judged, prepared, measure, number,
        pool=None if pool is None else documents_of(pool),
        depth=choices["depth"], top_grade=choices["top_grade"],
    )  # fmt: skip


def _texts(topics: str | None) -> dict[str, str]:
    if topics is None:
        return {}
    from rankproof.flow.collect import read_topics

    return dict(read_topics(topics))
