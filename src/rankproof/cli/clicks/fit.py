"""Fit click models to a log: what was dropped, which model fits best, where users look, and grades for qrels."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.clicks.options import grading, learning, mapping_of, reading
from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import answer_options, refuse_outputs
from rankproof.cli.shared.output import document
from rankproof.kernel.sections import aligned, counted, number, percent, printable
from rankproof.online.clicks.examination import ExaminationCurve
from rankproof.online.clicks.qrels import LogGrades
from rankproof.online.clicks.study import ClickStudy

if TYPE_CHECKING:
    from rankproof.online.clicks.study import ClickStudy


SCHEMA = "clicks/1"
NONE = "none"


@click.command("fit")
@click.argument("logs", metavar="LOG...", nargs=-1, required=True, type=click.Path())
@reading
@learning
@grading
@answer_options
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
    **options: Any,
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
    from rankproof.cli.shared.output import ticking
    from rankproof.online.clicks.logs.layout import read_description
    from rankproof.online.clicks.qrels import qrels_of
    from rankproof.online.clicks.read import files_of, read_log
    from rankproof.online.clicks.sessions import filter_sessions, read_limits
    from rankproof.online.clicks.study import study

    began = time.perf_counter()
    mapped = mapping_of(limits, shares, steps, options["signal"])
    rules = read_limits(drop)
    description = None if schema is None else read_description(schema)
    files = files_of(logs)
    with ticking() as progress:
        log = read_log(files, description, stay=stay, depth=depth, early=early, progress=progress)
        report = study(
            filter_sessions(log, rules),
            mapped,
            files=len(files),
            curve_of=None if curve == NONE else curve,
            showings=least_showings,
            confidence=least_confidence,
            progress=progress,
            **options,
        )
    settled = qrels_of(report.judged.rows) if qrels is not None else None
    _write(report, settled, qrels, grades)
    written = {"qrels_file": qrels, "grades_file": grades}
    if as_json:
        text = document(SCHEMA, {**report.to_dict(), **written}, time.perf_counter() - began)
    else:
        text = shown(report, files, qrels, grades)
    _output.give(text, output)


def _refuse(output: str | None, qrels: str | None, grades: str | None) -> None:
    """Before the work: what cannot be written."""
    refuse_outputs(output, qrels, grades)
    if qrels is not None:
        from rankproof.reading.write import format_for

        format_for(qrels, "qrels")
    if grades is not None:
        from rankproof.online.clicks.grades import refuse_name

        refuse_name(grades)


def _write(report: ClickStudy, settled: Any, qrels: str | None, grades: str | None) -> None:
    if qrels is not None:
        from rankproof.reading.write import write

        write(settled, qrels)
    if grades is not None:
        from rankproof.kernel.atomic import replace_file
        from rankproof.online.clicks.grades import content

        replace_file(grades, content(report.judged.rows, grades))


EVENTS = {"click": "a click", "dwell": "a click that satisfies", "conversion": "a conversion"}


def shown(study: ClickStudy, files: Sequence[str], qrels: str | None, grades: str | None) -> str:
    """The whole answer for a terminal."""
    parts = [_log(study, files), _dropped(study), _models(study)]
    if study.curve is not None:
        parts.append(_curve(study.curve, study.signal))
    parts.append(_grades(study.judged))
    written = [
        f"{what}: {printable(path)}" for what, path in (("Qrels", qrels), ("Grades", grades)) if path is not None
    ]
    parts.append(written)
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _log(study: ClickStudy, files: Sequence[str]) -> list[str]:
    name = printable(files[0]) if len(files) == 1 else f"{len(files)} files"
    counts = [counted(study.pages, "page")]
    if study.sessions is not None:
        counts.append(counted(study.sessions, "session"))
    counts += [
        counted(study.queries, "query", "queries"),
        counted(study.pairs, "pair"),
        counted(study.acts.clicked, "click"),
    ]
    lines = [f"{name}: {', '.join(counts)}"]
    done = study.acts
    if done.satisfied or done.unsatisfied:
        lines.append(
            f"  of the clicks {done.satisfied:,} satisfied ({study.stay:g} seconds or more), {done.unsatisfied:,} did "
            f"not, for {done.unknown:,} it is not known"
        )
    if done.converted:
        lines.append(f"  {counted(done.converted, 'conversion')}")
    if study.signal != "click":
        lines.append(f"  models learn {EVENTS[study.signal]} in place of a click")
    lines += [f"  {printable(note)}" for note in study.notes]
    return lines


def _dropped(study: ClickStudy) -> list[str]:
    rows = [["dropped", "pages", "clicks"]]
    took = [one for one in study.dropped if one.pages or one.clicks]
    rows += [[one.why, f"{one.pages:,}" if one.why.startswith("pages") else "", f"{one.clicks:,}"] for one in took]
    idle = [
        one.name if one.limit is None else f"{one.name} ({one.limit:g})" for one in study.dropped if one not in took
    ]
    return [*(aligned(rows, 1) if took else []), *([f"nothing dropped by: {', '.join(idle)}"] if idle else [])]


def _models(study: ClickStudy) -> list[str]:
    fits = study.fits
    rows = [["model", "perplexity", "given clicks above", "log-likelihood"]]
    rows += [
        [
            one.text,
            number(one.held_out.marginal.mean),
            number(one.held_out.conditional.mean),
            number(one.held_out.log_likelihood),
        ]
        for one in fits.tried
    ]
    table = aligned(rows, 1)
    marks = ["", *("  best" if one is fits.best else "" for one in fits.tried)]
    what = "of odd number" if study.split == "pages" else "of sessions of odd number"
    return [
        f"Learned from {counted(fits.training, 'page')}, tested on {fits.testing:,} {what}; perplexity is the mean "
        "over "
        "ranks:",
        *(line + mark for line, mark in zip(table, marks, strict=True)),
    ]


def _curve(curve: ExaminationCurve, signal: str) -> list[str]:
    rows = [["rank", "looks", "interval"]]
    rows += [
        [str(one.rank), number(one.value), "" if one.rank == 1 else f"{number(one.low)} to {number(one.high)}"]
        for one in curve.ranks
    ]
    method = f", {curve.resamples} resamples" if curve.resamples else ""
    return [
        f"Looks against rank 1, by {curve.model}, {percent(curve.level)} intervals over "
        f"{counted(curve.units, curve.unit)}{method}:",
        *aligned(rows, 0),
        *(printable(f"  {note}") for note in curve.notes),
    ]


def _grades(grades: LogGrades) -> list[str]:
    rows = [["grade", "from", "pairs", "mean confidence"]]
    taken = ["", *(f"{step.signal} {step.limit:.4g}" for step in grades.steps)]
    rows += [
        [str(grade), taken[grade], f"{pairs:,}", "" if sure is None else number(sure)]
        for grade, pairs, sure in grades.by_grade()
    ]
    how = f", limits at the shares {', '.join(f'{s:g}' for s in grades.shares)} of pairs" if grades.shares else ""
    return [
        f"Grades by {grades.model}, from the probability at rank 1{how}:",
        *aligned(rows, 2),
        f"left out: {counted(grades.few, 'pair')} shown fewer than {counted(grades.showings, 'time')}, "
        f"{grades.unsure:,} less sure than {grades.confidence:g}",
    ]
