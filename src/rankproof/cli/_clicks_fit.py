"""Fit click models to a log: what was dropped, which model fits best, where users look, and grades for qrels."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli import _output
from rankproof.cli._clicks_fit_options import grading, learning, mapping_of, reading
from rankproof.cli._document import document
from rankproof.store.atomic import refuse as refuse_path

if TYPE_CHECKING:
    from rankproof.flow.clicks.studying import ClickStudy

SCHEMA = "clicks/1"
NONE = "none"


@click.command("fit")
@click.argument("logs", metavar="LOG...", nargs=-1, required=True, type=click.Path())
@reading
@learning
@grading
@click.option("--json", "as_json", is_flag=True, help="Give JSON, for programs; errors come as JSON too.")
@click.option("-o", "--output", type=click.Path(), help="Write to this file, whole or not at all.")
def command(
    logs: Sequence[str],
    schema: str | None,
    depth: int,
    stay: float,
    early: float,
    drop: Sequence[str],
    limits: str | None,
    shares: str | None,
    steps: str | None,
    least_showings: int,
    least_confidence: float,
    curve: str,
    qrels: str | None,
    grades: str | None,
    as_json: bool,
    output: str | None,
    **asked: Any,
) -> None:
    """Fit click models to a LOG of pages and clicks, and make graded judgments of it.

    LOG is a file, a folder or a pattern: CSV, TSV, JSON lines or Parquet with a row for each document or each page, or
    the queries and events of OpenSearch's User Behavior Insights. Files are read in the order given, in bounded memory.

    \b
    rankproof clicks fit clicks.csv
    rankproof clicks fit ubi_queries.jsonl ubi_events.jsonl --qrels clicks.qrels --grades grades.csv
    rankproof clicks fit 'logs/*.parquet' --signal dwell --stay 20 --least-confidence 0.8
    """
    _refuse(output, qrels, grades)
    from rankproof.cli._ticker import ticking
    from rankproof.flow.clicks.judging import qrels_of
    from rankproof.flow.clicks.logs.described import read_description
    from rankproof.flow.clicks.reading import files_of, read_log
    from rankproof.flow.clicks.sessions import filtered, read_limits
    from rankproof.flow.clicks.studying import study

    began = time.perf_counter()
    mapped = mapping_of(limits, shares, steps, asked["signal"])
    rules = read_limits(drop)
    said = None if schema is None else read_description(schema)
    files = files_of(logs)
    with ticking() as progress:
        log = read_log(files, said, stay=stay, depth=depth, early=early, progress=progress)
        found = study(
            filtered(log, rules),
            mapped,
            files=len(files),
            curve_of=None if curve == NONE else curve,
            showings=least_showings,
            confidence=least_confidence,
            progress=progress,
            **asked,
        )
    settled = qrels_of(found.judged.rows) if qrels is not None else None
    _write(found, settled, qrels, grades)
    written = {"qrels_file": qrels, "grades_file": grades}
    if as_json:
        text = document(SCHEMA, {**found.to_dict(), **written}, time.perf_counter() - began)
    else:
        from rankproof.cli import _clicks_fit_text

        text = _clicks_fit_text.shown(found, files, qrels, grades)
    _output.give(text, output)


def _refuse(output: str | None, qrels: str | None, grades: str | None) -> None:
    """Before the work: what cannot be written."""
    for path in (output, qrels, grades):
        if path is not None and path != "-":
            refuse_path(path)
    if qrels is not None:
        from rankproof.store.files import format_for

        format_for(qrels, "qrels")
    if grades is not None:
        from rankproof.flow.clicks.gradefile import refuse_name

        refuse_name(grades)


def _write(found: ClickStudy, settled: Any, qrels: str | None, grades: str | None) -> None:
    if qrels is not None:
        from rankproof.store.files import write

        write(settled, qrels)
    if grades is not None:
        from rankproof.flow.clicks.gradefile import content
        from rankproof.store.atomic import replace_file

        replace_file(grades, content(found.judged.rows, grades))
