"""Measure runs against judgments: nDCG, recall@k, MRR, MAP, ..."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.collapsing import collapse_options
from rankproof.cli.shared.option_help import long_help
from rankproof.cli.shared.options import (
    DEFAULT_MEASURES,
    EngineOptions,
    Measures,
    ReadingOptions,
    ShelfName,
    chosen_form,
    columns,
    engine,
    from_options,
    refuse_outputs,
    refuse_second_stdin,
    run_preparer,
)
from rankproof.cli.shared.output import watched
from rankproof.errors import UsageError
from rankproof.measuring.records import MOST_THREADS, Settings
from rankproof.reading.naming import distinct_names

if TYPE_CHECKING:
    from rankproof.measuring.prepare import PreparedQrels, PreparedRun
    from rankproof.measuring.records import Evaluation


def read_targets(
    targets: Sequence[str], save: str | None, manifest: str | None, runs: Sequence[str]
) -> dict[str, float]:
    """The targets; an error when what shall be kept cannot be. Asked before the work, not after it."""
    if targets and save is None:
        raise UsageError("A target is kept in the report: add --save FILE. To decide by targets, use `rankproof gate`.")
    if save is not None and len(runs) > 1:
        raise UsageError(f"--save keeps the report of one run; {len(runs)} were given. Save them one by one.")
    refuse_outputs(save, manifest)
    if not targets:
        return {}
    from rankproof.measuring.report import parse_targets

    return parse_targets(targets)


def save_report(
    path: str,
    evaluation: Evaluation,
    run: PreparedRun,
    given: str,
    targets: Mapping[str, float],
    observed: Mapping[str, float],
) -> None:
    """Writes the report of one run, with targets and diagnoses."""
    from rankproof.measuring.report import report_of, write_report
    from rankproof.proving.diagnoses.contract import diagnose
    from rankproof.proving.manifest import is_expensive

    report = report_of(
        evaluation,
        targets=targets,
        run_sha256=None if is_expensive(given) else run.content_hash(),
        qrels=os.path.basename(run.qrels.name),
        diagnoses=diagnose(run, evaluation.run_name, evaluation.settings),
        observed=observed,
    )
    write_report(path, report)


def save_manifest(
    path: str,
    evaluations: Sequence[Evaluation],
    qrels: tuple[str, PreparedQrels],
    runs: Sequence[tuple[str, PreparedRun]],
    reading: ReadingOptions,
    observed: Mapping[str, float],
) -> None:
    """Writes the manifest of the evaluations."""
    from rankproof.measuring.report import write_manifest
    from rankproof.proving.manifest import Given, manifest_of

    given = [Given(*run) for run in runs]
    record = manifest_of(evaluations, Given(*qrels), given, reading=reading.on_record(), observed=observed)
    write_manifest(path, record)


DEFAULTS_TAKEN = "measures: the default ones; -m asks for others, `rankproof explain` lists them"
# What trec_eval prints when nothing is asked for: a script that swaps the program expects it.
TREC_MEASURES = "official"


@click.command(
    "evaluate",
    cls=long_help(
        "measures", "per_query", "depth", "level", "dialect", "ties", "allow", "form", "as_json", "output", "save",
    ),
)  # fmt: skip
@click.argument("qrels", type=click.Path())
@click.argument("runs", metavar="RUN... [MEASURE]...", nargs=-1, required=True, type=click.Path())
@click.option(
    "-m",
    "--measures",
    multiple=True,
    type=Measures(),
    help="What to measure, in any accepted spelling; may be repeated. "
    f"Default: {DEFAULT_MEASURES}; with --format trec: {TREC_MEASURES}.",
)
@click.option("-q", "--per-query", is_flag=True, help="Show each query's values too.")
@_output.full_option
@click.option(
    "-c",
    "--complete",
    is_flag=True,
    help="Score judged queries that the run lacks, also in dialects that drop them.",
)
@click.option("-M", "--depth", type=click.IntRange(1), help="Look only at the first DEPTH documents of each ranking.")
@click.option(
    "-l",
    "--level",
    type=click.IntRange(0),
    help="The least grade that counts as relevant, where a measure does not say its own.",
)
@click.option("-J", "--judged-only", is_flag=True, help="Remove unjudged documents from the rankings first.")
@click.option(
    "--dialect",
    type=ShelfName("dialects"),
    default="rankproof",
    help="Whose conventions to follow, to get that tool's numbers exactly.",
)
@click.option(
    "--ties",
    type=click.Choice(["rule", "expected", "range"]),
    default="rule",
    show_default=True,
    help="Value under the ordering rule; or the mean, or the least and greatest, over all orders of ties.",
)
@click.option(
    "--undefined",
    type=click.Choice(["zero", "skip"]),
    default="zero",
    show_default=True,
    help="Queries where a measure is undefined count as it says, or are left out of the whole table.",
)
@click.option(
    "--format", "form", type=ShelfName("reports", "evaluation"), help="The form of the answer; table by default."
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json; errors come as JSON too.")
@click.option("-o", "--output", type=click.Path(), help="Write to this file, whole or not at all.")
@click.option("--save", type=click.Path(), help="Keep the report of the run in this file too, for later comparisons.")
@click.option(
    "--target",
    "targets",
    metavar="MEASURE=VALUE",
    multiple=True,
    help="What a value should reach, such as nDCG@10=0.35; kept in the report. May be repeated.",
)
@click.option("--manifest", type=click.Path(), help="Write what was measured, and how, for `rankproof verify`.")
@click.option(
    "--order",
    type=click.Choice(["score", "rank", "given"]),
    help="What puts documents in order; the dialect's way by default.",
)
@click.option("--lower-is-better", is_flag=True, help="Scores are distances: the least comes first.")
@collapse_options()
@click.option("--drop-self", is_flag=True, help="Remove a document whose id is the query's own.")
@click.option(
    "--allow",
    metavar="CODE",
    multiple=True,
    type=ShelfName("checks"),
    help="Go on in spite of this fault; may be repeated. `rankproof explain` lists the codes.",
)
@columns
@click.option(
    "--qrels-format",
    type=ShelfName("formats", "qrels"),
    help="The format of QRELS; found out by content otherwise.",
)
@click.option(
    "--run-format",
    type=ShelfName("formats", "run"),
    help="The format of every RUN; found out by content otherwise.",
)
@click.option(
    "--threads",
    type=click.IntRange(0, MOST_THREADS),
    default=0,
    help="How many threads read; 0 for all cores. Never changes a result.",
)
@engine
def command(
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str],
    per_query: bool,
    full: bool,
    form: str | None,
    as_json: bool,
    output: str | None,
    save: str | None,
    targets: Sequence[str],
    manifest: str | None,
    **choices: Any,
) -> None:
    """Measure one or more RUNs against QRELS. A folder or a pattern in quotes stands for the runs in it.

    \b
    rankproof evaluate qrels.trec bm25.run
    rankproof evaluate qrels.trec bm25.run ndcg@10
    rankproof evaluate qrels.trec runs/ 'more/*.run'
    rankproof evaluate qrels.trec bm25.run dense.run -m "nDCG@10 RR@10" --format markdown
    rankproof evaluate -q -c -m all_trec --dialect trec_eval --format trec qrels.trec bm25.run
    """
    form = chosen_form(form, as_json)
    if output is not None:
        refuse_outputs(output)
    if not all(map(os.path.isfile, runs)):
        from rankproof.cli.shared.given import runs_and_measures

        runs, measures = runs_and_measures(runs, measures)
        refuse_outputs(output, save, manifest, read=runs)
    if not runs:
        raise UsageError("No run is named after QRELS. Name one or more runs, or a folder of runs.")
    refuse_second_stdin([qrels, *runs])
    goals = read_targets(targets, save, manifest, runs) if targets or save or manifest else {}
    from rankproof.kernel import shelf

    report = shelf.find("reports", form)
    names = measures or (TREC_MEASURES if form == "trec" else DEFAULT_MEASURES,)
    began = time.perf_counter()
    judged, prepared, evaluations = evaluate_files(qrels, runs, names, choices)
    observed = {"seconds": round(time.perf_counter() - began, 6)}
    if save is not None:
        save_report(save, evaluations[0], prepared[0], runs[0], goals, observed)
    if manifest is not None:
        given = list(zip(runs, prepared, strict=True))
        reading = from_options(ReadingOptions, choices)
        save_manifest(manifest, evaluations, (qrels, judged), given, reading, observed)
    if form == "table" and full and not measures:
        evaluations = [replace(e, fine_print=(*e.fine_print, DEFAULTS_TAKEN)) for e in evaluations]
    _output.give_report(report, "render", evaluations, full, output, per_query=per_query, observed=observed)
    if output or save or manifest:
        _output.name_files(form, output, saved=save, manifest=manifest)


def evaluate_files(
    qrels: str, runs: Sequence[str], measures: Sequence[str], choices: Mapping[str, Any]
) -> tuple[PreparedQrels, list[PreparedRun], list[Evaluation]]:
    """The judgments, the runs joined with them, and the evaluation of each run; `choices` are the other options."""
    from rankproof.measuring.evaluate import measure_run
    from rankproof.measuring.names import parse
    from rankproof.measuring.prepare import prepare_qrels
    from rankproof.measuring.run_sources import settle_reading
    from rankproof.reading.collect import named_columns

    reading, settings = from_options(ReadingOptions, choices), from_options(Settings, choices)
    if reading.columns:
        named_columns(reading.columns, qrels, runs)
    settled = reading.collapse or reading.unmapped or reading.collapse_qrels or reading.columns
    gold = settle_reading(reading.on_record()) if settled else {}
    judged = prepare_qrels(qrels, reading.qrels_format, allow=reading.allow, **gold)
    prepare_run = run_preparer(from_options(EngineOptions, choices), judged, reading)
    variants = parse(measures, settings.dialect)
    prepared, evaluations = [], []
    for path in watched(runs, "measuring"):
        prepared.append(prepare_run(path))
        evaluations.append(measure_run(prepared[-1], variants, settings))
    if len(runs) > 1:  # under names that tell them apart: their paths, where two would have one name
        names = distinct_names([evaluation.run_name for evaluation in evaluations], runs)
        evaluations = [replace(old, run_name=name) for old, name in zip(evaluations, names, strict=True)]
    return judged, prepared, evaluations
