"""Compare systems query by query: what a difference is worth, who pays for it, and what the numbers cannot see."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import click

from rankproof.cli import _compare_options as options
from rankproof.cli import _engine, _output
from rankproof.cli._types import ShelfName
from rankproof.errors import UsageError
from rankproof.store.atomic import refuse as refuse_path


@click.command("compare")
@click.argument("files", metavar="QRELS BASELINE CANDIDATE...", nargs=-1, required=True, type=click.Path())
@options.statistics
@options.queries
@options.holes
@click.option("--saved", is_flag=True, help="The files are reports kept by `rankproof evaluate --save`, without QRELS.")
@click.option("-q", "--per-query", is_flag=True, help="Show each query's values too.")
@click.option(
    "--format", "form", type=ShelfName("reports", "comparison"), help="The form of the answer; table by default."
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json; errors come as JSON too.")
@click.option("-o", "--output", type=click.Path(), help="Write to this file, whole or not at all.")
@click.option("--html", type=click.Path(), help="Write the HTML report to this file too.")
@click.option("--charts", type=click.Path(), help="Write the charts into this folder too, as PNG and SVG.")
@options.record
@options.reading
@_engine.options
def command(
    files: Sequence[str],
    saved: bool,
    per_query: bool,
    form: str | None,
    as_json: bool,
    output: str | None,
    html: str | None,
    charts: str | None,
    manifest: str | None,
    experiment: str,
    dataset_version: str,
    notes: Sequence[str],
    **choices: Any,
) -> None:
    """Compare each CANDIDATE with BASELINE on QRELS.

    \b
    rankproof compare qrels.trec bm25.run dense.run -m "nDCG@10 RR@10"
    rankproof compare qrels.trec bm25.run dense.run hybrid.run --topics topics.tsv --html report.html
    rankproof compare qrels.trec a.run b.run c.run --correction tukey --format latex
    rankproof compare --saved bm25.json dense.json
    """
    if as_json and form not in (None, "json"):
        raise UsageError(f"--json and --format {form} contradict each other. Keep one of them.")
    form = "json" if as_json else form or "table"
    if files.count("-") > 1:
        raise UsageError("Standard input (-) can be read only once. Give the other inputs as files.")
    for path in (output, html, manifest):
        if path is not None and path != "-":
            refuse_path(path)
    from rankproof import shelf
    from rankproof.cli import _comparing

    report, page = shelf.find("reports", form), shelf.find("reports", "html") if html else None
    began = time.perf_counter()
    compared = _comparing.from_reports(files, choices) if saved else _comparing.from_runs(files, choices)
    if manifest is not None or html is not None:
        compared = _comparing.put_on_record(compared, experiment, dataset_version, notes)
    found = compared.comparison
    observed = {"seconds": round(time.perf_counter() - began, 6)}
    if manifest is not None:
        _comparing.keep(manifest, compared, observed)
    if page is not None:
        _output.give(page.comparison(found, per_query=True, observed=observed), html)
    if charts is not None:
        _comparing.draw(charts, found)
    _output.give(report.comparison(found, per_query=per_query, observed=observed), output)
