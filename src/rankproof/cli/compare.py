"""Compare systems query by query: what a difference is worth, who pays for it, and what the numbers cannot see."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli import _compare_options as options
from rankproof.cli import _output
from rankproof.cli._progress import watched
from rankproof.cli._types import ShelfName
from rankproof.errors import UsageError
from rankproof.store.atomic import refuse as refuse_path

if TYPE_CHECKING:
    from rankproof.records.comparison import Comparison


@click.command("compare")
@click.argument("qrels", type=click.Path())
@click.argument("baseline", type=click.Path())
@click.argument("candidates", metavar="CANDIDATE...", nargs=-1, required=True, type=click.Path())
@options.statistics
@options.queries
@options.holes
@click.option("-q", "--per-query", is_flag=True, help="Show each query's values too.")
@click.option(
    "--format", "form", type=ShelfName("reports", "comparison"), help="The form of the answer; table by default."
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json; errors come as JSON too.")
@click.option("-o", "--output", type=click.Path(), help="Write to this file, whole or not at all.")
@click.option("--html", type=click.Path(), help="Write the HTML report to this file too.")
@click.option("--charts", type=click.Path(), help="Write the charts into this folder too, as PNG and SVG.")
@click.option("--manifest", type=click.Path(), help="Write what was compared, and how, for `rankproof verify`.")
@options.reading
def command(
    qrels: str,
    baseline: str,
    candidates: Sequence[str],
    per_query: bool,
    form: str | None,
    as_json: bool,
    output: str | None,
    html: str | None,
    charts: str | None,
    manifest: str | None,
    **choices: Any,
) -> None:
    """Compare each CANDIDATE with BASELINE on QRELS.

    \b
    rankproof compare qrels.trec bm25.run dense.run -m "nDCG@10 RR@10"
    rankproof compare qrels.trec bm25.run dense.run hybrid.run --topics topics.tsv --html report.html
    rankproof compare qrels.trec a.run b.run c.run --correction tukey --format latex
    """
    if as_json and form not in (None, "json"):
        raise UsageError(f"--json and --format {form} contradict each other. Keep one of them.")
    form = "json" if as_json else form or "table"
    if [qrels, baseline, *candidates].count("-") > 1:
        raise UsageError("Standard input (-) can be read only once. Give the other inputs as files.")
    for path in (output, html, manifest):
        if path is not None and path != "-":
            refuse_path(path)
    from rankproof import shelf

    report, page = shelf.find("reports", form), shelf.find("reports", "html") if html else None
    began = time.perf_counter()
    found = _compare(qrels, [baseline, *candidates], choices)
    observed = {"seconds": round(time.perf_counter() - began, 6)}
    if page is not None:
        _output.give(page.comparison(found, per_query=True, observed=observed), html)
    _output.give(report.comparison(found, per_query=per_query, observed=observed), output)


def _compare(qrels: str, runs: Sequence[str], choices: dict[str, Any]) -> Comparison:
    from rankproof.flow.compare import compare
    from rankproof.flow.joining import join_run, prepare_qrels

    allow = choices.pop("allow")
    judged = prepare_qrels(qrels, choices.pop("qrels_format"), allow)
    reading = {
        name: choices.pop(name)
        for name in ("order", "lower_is_better", "collapse", "drop_self", "threads", "run_format")
    }
    reading["format"] = reading.pop("run_format")
    prepared = [join_run(judged, run, allow=allow, **reading) for run in watched(runs, "reading")]
    measures = choices.pop("measures") or options.DEFAULT_MEASURES
    pool = choices.pop("pool")
    return compare(
        judged, prepared[0], prepared[1:], measures,
        pool=None if pool is None else _documents(pool),
        universe="open" if choices.pop("open_universe") else "union",
        beyond=not choices.pop("no_beyond"),
        **choices,
    )  # fmt: skip


def _documents(path: str) -> dict[str, list[str]]:
    """{query_id: [doc_id, ...]} of a run or qrels file: only which documents there are counts here."""
    from rankproof.errors import InputError
    from rankproof.flow.collect import read_rows

    try:
        rows, _ = read_rows(path, "run")
    except InputError:
        rows, _ = read_rows(path, "qrels")
    found: dict[str, list[str]] = {query: [] for query in rows.query_ids}
    names = rows.query_ids
    for query, doc in zip(rows.query.tolist(), rows.doc_ids(), strict=True):
        found[names[query]].append(doc)
    return found
