"""Compare systems query by query: what a difference is worth, who pays for it, and what the numbers cannot see."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.shared import options
from rankproof.cli.shared import options as _engine
from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import DEFAULT_MEASURES, ShelfName
from rankproof.cli.shared.progress import watched
from rankproof.cli.shared.usage import chosen_form, refuse_outputs, refuse_second_stdin
from rankproof.errors import InputError, UsageError
from rankproof.measuring.records import Settings
from rankproof.proving.records import Design

if TYPE_CHECKING:
    from rankproof.kernel.manifest import ExperimentManifest
    from rankproof.measuring.prepare import PreparedQrels, PreparedRun
    from rankproof.proving.records import Comparison


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
    form = chosen_form(form, as_json)
    refuse_second_stdin(files)
    refuse_outputs(output, html, manifest)
    from rankproof.kernel import shelf

    report, page = shelf.find("reports", form), shelf.find("reports", "html") if html else None
    began = time.perf_counter()
    compared = from_reports(files, choices) if saved else from_runs(files, choices)
    if manifest is not None or html is not None:
        compared = put_on_record(compared, experiment, dataset_version, notes)
    found = compared.comparison
    observed = {"seconds": round(time.perf_counter() - began, 6)}
    if manifest is not None:
        keep(manifest, compared, observed)
    if page is not None:
        _output.give(page.comparison(found, per_query=True, observed=observed), html)
    if charts is not None:
        draw(charts, found)
    _output.give(report.comparison(found, per_query=per_query, observed=observed), output)


READING = ("order", "lower_is_better", "collapse", "drop_self", "threads", "run_format")


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """A comparison and, where runs were read for it, what it was made from."""

    comparison: Comparison
    design: Design
    judged: tuple[str, PreparedQrels] | None = None
    runs: tuple[tuple[str, PreparedRun], ...] = ()
    reading: Mapping[str, Any] | None = None
    by: tuple[str, ...] = ()
    files: Mapping[str, str | None] | None = None
    record: ExperimentManifest | None = None


def from_runs(files: Sequence[str], choices: dict[str, Any]) -> Compared:
    """QRELS BASELINE CANDIDATE... compared."""
    if len(files) < 3:
        raise UsageError(
            f"A comparison takes judgments, a baseline and at least one candidate: QRELS BASELINE CANDIDATE...; "
            f"got {len(files)} {'file' if len(files) == 1 else 'files'}. With --saved it takes kept reports instead."
        )
    from rankproof.cli.shared.options import preparing
    from rankproof.measuring.join import prepare_qrels
    from rankproof.measuring.names import parse
    from rankproof.proving.compare import compare_runs, named_apart
    from rankproof.reading.collect import documents_of

    design, settings = _design(choices), _settings(choices)
    variants = parse(choices.pop("measures") or DEFAULT_MEASURES)
    allow, qrels_format = choices.pop("allow"), choices.pop("qrels_format")
    reading = {name: choices.pop(name) for name in READING}
    judged = prepare_qrels(files[0], qrels_format, allow)
    how = {**reading, "format": reading["run_format"]}
    del how["run_format"]
    prepare_run = preparing(choices.pop("engine"), choices.pop("master"), choices.pop("memory"), judged)
    prepared = [prepare_run(run, allow=allow, **how) for run in watched(files[1:], "reading")]
    topics, pool = choices.pop("topics"), choices.pop("pool")
    by = tuple(choices.pop("by"))
    found = compare_runs(
        named_apart(prepared, files[1:]),
        variants,
        settings,
        design,
        topics=_topics(topics),
        queries=choices["queries"],
        by=by,
        universe="open" if choices.pop("open_universe") else "union",
        pool=None if pool is None else documents_of(pool),
        beyond=not choices.pop("no_beyond"),
    )
    return Compared(
        found,
        design,
        (files[0], judged),
        tuple(zip(files[1:], prepared, strict=True)),
        {**reading, "allow": allow, "qrels_format": qrels_format},
        by,
        {"topics": topics, "pool": pool, "queries": choices["queries"]},
    )


def from_reports(files: Sequence[str], choices: dict[str, Any]) -> Compared:
    """Kept reports compared: values alone, on the same judgments by their content."""
    from rankproof.measuring.report import evaluation_of, read_report
    from rankproof.proving.compare import compare_evaluations
    from rankproof.reading.naming import distinct_names

    measured = ("measures", "pool", "depth", "judged_only", "master", "memory")
    said = [f"--{name.replace('_', '-')}" for name in measured if choices[name]]
    said += ["--engine"] if choices["engine"] != "local" else []
    if said:
        raise UsageError(f"Kept reports are already measured: {', '.join(said)} must be said to `rankproof evaluate`.")
    evaluations = [evaluation_of(read_report(path)) for path in files]
    names = distinct_names([evaluation.run_name for evaluation in evaluations], files)
    evaluations = [replace(e, run_name=name) for e, name in zip(evaluations, names, strict=True)]
    design = _design(choices)
    found = compare_evaluations(evaluations, design, queries=choices["queries"], by=tuple(choices["by"]))
    topics = _topics(choices["topics"])
    return Compared(replace(found, topics={q: topics[q] for q in found.query_ids if q in topics}), design)


def put_on_record(compared: Compared, name: str, dataset_version: str, notes: Sequence[str]) -> Compared:
    """With its manifest, which the HTML report shows too. Kept reports have no runs to get the numbers again from."""
    if compared.judged is None:
        return compared
    from rankproof.proving.manifest import READING as DECIDES
    from rankproof.proving.manifest import Given, manifest_of

    files = dict(compared.files or {})
    record = manifest_of(
        compared.comparison,
        Given(*compared.judged),
        [Given(*run) for run in compared.runs],
        design=compared.design,
        reading={name: value for name, value in (compared.reading or {}).items() if name in DECIDES},
        queries=files.pop("queries"),
        by=compared.by,
        others=files,
        name=name,
        dataset_version=dataset_version,
        notes=notes,
    )
    shown = {key: value for key, value in record.to_dict().items() if key != "observed"}
    return replace(compared, record=record, comparison=replace(compared.comparison, manifest=shown))


def keep(path: str, compared: Compared, observed: Mapping[str, Any]) -> None:
    """Writes the manifest."""
    from rankproof.measuring.report import write_manifest

    if compared.record is None:
        raise UsageError("A manifest names the runs it can be verified with, and kept reports have none.")
    record = compared.record
    write_manifest(path, replace(record, observed={**record.observed, **observed}))


def draw(folder: str, comparison: Comparison) -> None:
    """Writes every chart as PNG and as SVG."""
    from rankproof.kernel.atomic import replace_file
    from rankproof.reports.charts.all import charts
    from rankproof.reports.charts.frame import to_png, to_svg

    specs = charts(comparison)
    try:
        os.makedirs(folder, exist_ok=True)
    except FileExistsError:
        raise InputError(f"{folder} is a file. Name a folder for the charts, or one that can be made.") from None
    for name, spec in watched(list(specs.items()), "drawing"):
        replace_file(os.path.join(folder, f"{name}.svg"), [to_svg(spec).encode()])
        replace_file(os.path.join(folder, f"{name}.png"), [to_png(spec)])


def _design(choices: dict[str, Any]) -> Design:
    names = {field.name for field in fields(Design)} & choices.keys()
    return Design(**{name: choices.pop(name) for name in names})


def _settings(choices: dict[str, Any]) -> Settings:
    names = {field.name for field in fields(Settings)} & choices.keys()
    return Settings(**{name: choices.pop(name) for name in names})


def _topics(path: str | None) -> Mapping[str, str]:
    if path is None:
        return {}
    from rankproof.reading.collect import read_topics

    return read_topics(path)
