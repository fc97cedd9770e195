"""Compare systems: differences with 95% confidence intervals."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.shared import options
from rankproof.cli.shared import output as _output
from rankproof.cli.shared import scores as _scores
from rankproof.cli.shared.option_help import long_help
from rankproof.cli.shared.options import (
    DEFAULT_MEASURES,
    EngineOptions,
    ReadingOptions,
    ShelfName,
    chosen_form,
    from_options,
    refuse_outputs,
    refuse_second_stdin,
    run_preparer,
)
from rankproof.cli.shared.output import watched
from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import counted
from rankproof.measuring.records import Settings
from rankproof.proving.records import Design

if TYPE_CHECKING:
    from rankproof.kernel.manifest import ExperimentManifest
    from rankproof.proving.manifest import Given
    from rankproof.proving.records import Comparison


@click.command(
    "compare",
    cls=long_help(
        "measures", "baseline", "significance", "correction", "confidence", "topics", "by", "per_query", "form",
        "as_json", "output", "html",
    ),
)  # fmt: skip
@click.argument("files", metavar="QRELS BASELINE CANDIDATE... [MEASURE]...", nargs=-1, required=True, type=click.Path())
@options.statistics
@click.option(
    "--baseline",
    metavar="RUN",
    help="The baseline, by its path or name; the first run otherwise. May be a further file.",
)
@click.option(
    "--primary",
    type=click.Choice(["first", "all"]),
    default="first",
    show_default=True,
    help="Which measures decide: the first, with the others secondary to it, or all in one family of tests.",
)
@options.queries
@options.holes
@click.option(
    "--reuse-check",
    metavar="GROUPS",
    type=click.Path(),
    help="Say whether verdicts stand without the judgments that one group alone contributed: a CSV file with the "
    "columns run and group, and file for further runs of the pool.",
)
@click.option(
    "--pool-depth",
    metavar="K",
    type=click.IntRange(1),
    help="With --reuse-check: how many documents of each run were judged.",
)
@_scores.scores
@click.option("--saved", is_flag=True, help="The files are reports kept by `rankproof evaluate --save`, without QRELS.")
@click.option("-q", "--per-query", is_flag=True, help="Show each query's values too.")
@_output.full_option
@click.option(
    "--format", "form", type=ShelfName("reports", "comparison"), help="The form of the answer; table by default."
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json; errors come as JSON too.")
@click.option("-o", "--output", type=click.Path(), help="Write to this file, whole or not at all.")
@click.option("--html", type=click.Path(), help="Write the HTML report to this file too.")
@click.option(
    "--corpus", type=click.Path(), help="With --html: documents as JSON lines, whose titles stand beside their ids."
)
@click.option("--charts", type=click.Path(), help="Write the charts into this folder too, as SVG.")
@options.record
@options.reading
@options.engine
def command(
    files: Sequence[str],
    saved: bool,
    as_scores: bool,
    per_query: bool,
    full: bool,
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
    """Compare each CANDIDATE with BASELINE on QRELS. A folder or a pattern in quotes stands for the runs in it.

    \b
    rankproof compare qrels.trec bm25.run dense.run ndcg@10
    rankproof compare qrels.trec bm25.run dense.run -m "nDCG@10 RR@10"
    rankproof compare qrels.trec runs/ --baseline bm25 --test wilcoxon
    rankproof compare qrels.trec bm25.run dense.run hybrid.run --topics topics.tsv --html report.html
    rankproof compare qrels.trec a.run b.run c.run --correction tukey --format latex
    rankproof compare qrels.trec a.run b.run --reuse-check groups.csv --pool-depth 10
    rankproof compare --saved bm25.json dense.json
    rankproof compare --scores old.csv new.csv -m "faithfulness answer_relevancy" --range faithfulness=0:1
    """
    form = chosen_form(form, as_json)
    if choices["corpus"] is not None and (saved or (html is None and form != "html")):
        raise UsageError(
            "--corpus has the titles of documents for the page of rankings that were read: add --html FILE"
            + (", and give the judgments and the runs, since kept reports hold no rankings." if saved else ".")
        )
    if not as_scores:
        files = _named_files(files, choices, saved)
    refuse_outputs(output, html, manifest, read=files)
    refuse_second_stdin([*files, choices["reuse_check"]])
    from rankproof.kernel import shelf

    report, page = shelf.find("reports", form), shelf.find("reports", "html") if html else None
    began = time.perf_counter()
    compared = compare_inputs(files, choices, as_scores, saved, rankings=form == "html" or html is not None)
    if manifest is not None or html is not None:
        compared = put_on_record(compared, experiment, dataset_version, notes)
    observed = {"seconds": round(time.perf_counter() - began, 6)}
    if manifest is not None:
        write_record(manifest, compared, observed)
    if page is not None:
        _output.give(page.comparison(compared.comparison, per_query=True, observed=observed), html)
    if charts is not None:
        write_charts(charts, compared.comparison)
    shown = {"per_query": per_query, "observed": observed}
    _output.give_report(report, "comparison", compared.comparison, full, output, **shown)
    _output.name_files(form, output, html=html, charts=charts, manifest=manifest)


def _named_files(files: Sequence[str], choices: dict[str, Any], saved: bool) -> Sequence[str]:
    """Judgments, where there are any, and runs with the baseline first; measures among the files go to `choices`."""
    baseline = choices.pop("baseline")
    if baseline is None and (saved or all(map(os.path.isfile, files))):
        return files
    from rankproof.cli.shared.given import baseline_first, runs_and_measures

    qrels, runs = ([], list(files)) if saved else (list(files[:1]), list(files[1:]))
    if not saved:
        runs, choices["measures"] = runs_and_measures(runs, choices["measures"])
    if baseline is not None:
        return [*qrels, *baseline_first(runs, baseline)]
    if len(runs) > 1 and runs[0] not in files:  # a folder or a pattern had the first run
        _output.note(f"the baseline is {runs[0]}, the first by name; --baseline RUN takes another.")
    return [*qrels, *runs]


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """A comparison and, where runs were read for it, the inputs that its manifest names."""

    comparison: Comparison
    design: Design
    qrels: Given | None = None
    runs: tuple[Given, ...] = ()
    reading: ReadingOptions | None = None
    by: tuple[str, ...] = ()
    queries: str | None = None
    others: Mapping[str, str | None] | None = None
    record: ExperimentManifest | None = None


def compare_inputs(
    files: Sequence[str], choices: dict[str, Any], as_scores: bool, saved: bool, rankings: bool = False
) -> Compared:
    """Tables of scores, kept reports or runs compared; options that are for another kind of input are refused."""
    if as_scores or any(map(choices.get, _scores.OF_SCORES)):
        _scores.refuse_other_input(as_scores)
    if as_scores:
        return compare_tables(files, choices)
    return compare_reports(files, choices) if saved else compare_files(files, choices, rankings)


def compare_files(files: Sequence[str], choices: dict[str, Any], rankings: bool = False) -> Compared:
    """QRELS BASELINE CANDIDATE... compared, with the rankings that a page shows where one is written."""
    if len(files) < 3:
        raise UsageError(
            f"A comparison takes judgments, a baseline and at least one candidate: QRELS BASELINE CANDIDATE...; "
            f"got {counted(len(files), 'file')}. With --saved it takes kept reports instead."
        )
    from rankproof.measuring.names import parse
    from rankproof.measuring.prepare import prepare_qrels
    from rankproof.measuring.run_sources import settle_reading
    from rankproof.proving.compare import compare
    from rankproof.proving.manifest import Given
    from rankproof.reading.collect import named_columns
    from rankproof.reading.naming import distinct_names
    from rankproof.reading.pool_groups import documents_of, read_pool_groups

    design, settings = from_options(Design, choices), from_options(Settings, choices)
    measures = parse(choices["measures"] or DEFAULT_MEASURES, settings.dialect)
    reading, engine = from_options(ReadingOptions, choices), from_options(EngineOptions, choices)
    by, pool, titles = tuple(choices["by"]), choices["pool"], None
    if choices["corpus"] is not None:
        from rankproof.reading.datasets.documents import titles_in

        titles = titles_in(choices["corpus"])
    named_columns(reading.columns, files[0], files[1:])
    qrels = prepare_qrels(files[0], reading.qrels_format, reading.allow, **settle_reading(reading.on_record()))
    prepare_run = run_preparer(engine, qrels, reading)
    runs = [prepare_run(path) for path in watched(files[1:], "reading")]
    names = distinct_names([run.name for run in runs], files[1:])
    groups, further = None, {}
    if choices["reuse_check"] is not None:
        groups = read_pool_groups(choices["reuse_check"], dict(zip(names, files[1:], strict=True)))
        further = {name: prepare_run(path) for name, path in watched(list(groups.files.items()), "reading")}
    elif choices["pool_depth"] is not None:
        raise UsageError("--pool-depth is for --reuse-check GROUPS, which says whose judgments to leave out. Add it.")
    comparison = compare(
        qrels,
        runs[0],
        runs[1:],
        measures,
        names=names,
        reuse_groups=groups,
        contributors=further,
        pool_depth=choices["pool_depth"],
        topics=choices["topics"],
        queries=choices["queries"],
        by=by,
        universe="open" if choices["open_universe"] else "union",
        pool=None if pool is None else documents_of(pool),
        beyond=not choices["no_beyond"],
        rankings=rankings,
        **asdict(settings),
        **asdict(design),
    )
    if titles is not None:
        from rankproof.proving.movement import titled_later

        comparison = replace(comparison, rankings=titled_later(comparison.rankings, titles))
    return Compared(
        comparison,
        design,
        Given(files[0], qrels),
        tuple(Given(path, run) for path, run in zip(files[1:], runs, strict=True)),
        reading,
        by,
        choices["queries"],
        {
            "topics": choices["topics"],
            "pool": pool,
            "reuse groups": choices["reuse_check"],
            **({} if groups is None else {f"contributor {name}": path for name, path in groups.files.items()}),
        },
    )


def compare_reports(files: Sequence[str], choices: Mapping[str, Any]) -> Compared:
    """Kept reports compared: values alone, on the same judgments by their content."""
    from rankproof.measuring.report import evaluation_of, read_report
    from rankproof.proving.compare import compare_evaluations
    from rankproof.reading.naming import distinct_names

    if choices["reuse_check"] is not None or choices["pool_depth"] is not None:
        raise UsageError(
            "Kept reports hold values and no rankings, which tell who contributed which judgment. For --reuse-check "
            "give the judgments and the runs: QRELS BASELINE CANDIDATE..."
        )
    measured = ("measures", "pool", "depth", "judged_only", "columns", "master", "memory")
    late = [f"--{name.replace('_', '-')}" for name in measured if choices[name]]
    late += ["--engine"] if choices["engine"] != "local" else []
    if late:
        raise UsageError(f"Kept reports are already measured: {', '.join(late)} must be said to `rankproof evaluate`.")
    evaluations = [evaluation_of(read_report(path)) for path in files]
    names = distinct_names([evaluation.run_name for evaluation in evaluations], files)
    evaluations = [replace(e, run_name=name) for e, name in zip(evaluations, names, strict=True)]
    design = from_options(Design, choices)
    comparison = compare_evaluations(evaluations, design, queries=choices["queries"], by=tuple(choices["by"]))
    alone = "kept reports hold values and no rankings: ties and unjudged documents were not looked at"
    comparison = replace(comparison, fine_print=(*comparison.fine_print, alone))
    return Compared(_with_topics(comparison, choices["topics"]), design)


def _with_topics(comparison: Comparison, path: str | None) -> Comparison:
    if path is None:
        return comparison
    from rankproof.reading.collect import read_topics

    topics = read_topics(path)
    return replace(comparison, topics={query: topics[query] for query in comparison.query_ids if query in topics})


def compare_tables(files: Sequence[str], choices: Mapping[str, Any]) -> Compared:
    """Tables of scores compared, the first system being the baseline unless another is named."""
    from rankproof.proving.score_tables import baseline_first, compare_scores, systems_of

    design, own = from_options(Design, choices), _scores.score_choices(choices)
    about = () if choices["queries"] else (*design.sampling.named, *choices["by"])
    tables = systems_of(
        files, choices["measures"] or None, unit=own.pop("unit"), system=own.pop("system"), repeats=own.pop("repeats"),
        about=about, format=own.pop("format"),
    )  # fmt: skip
    baseline, *candidates = baseline_first(tables, choices["baseline"], files)
    comparison = compare_scores(
        baseline, candidates, queries=choices["queries"], by=tuple(choices["by"]), **own, **asdict(design)
    )
    return Compared(_with_topics(comparison, choices["topics"]), design)


def put_on_record(compared: Compared, name: str, dataset_version: str, notes: Sequence[str]) -> Compared:
    """With its manifest, which the HTML report shows too. Kept reports have no runs to get the numbers again from."""
    if compared.qrels is None or compared.reading is None:
        return compared
    from rankproof.proving.manifest import manifest_of

    record = manifest_of(
        compared.comparison,
        compared.qrels,
        compared.runs,
        design=compared.design,
        reading=compared.reading.on_record(),
        queries=compared.queries,
        by=compared.by,
        others=compared.others,
        name=name,
        dataset_version=dataset_version,
        notes=notes,
    )
    shown = {key: value for key, value in record.to_dict().items() if key != "observed"}
    return replace(compared, record=record, comparison=replace(compared.comparison, manifest=shown))


def write_record(path: str, compared: Compared, observed: Mapping[str, float]) -> None:
    """Writes the manifest."""
    from rankproof.measuring.report import write_manifest

    if compared.record is None:
        raise UsageError("A manifest names the runs it can be verified with, and kept reports have none.")
    record = compared.record
    write_manifest(path, replace(record, observed={**record.observed, **observed}))


def write_charts(folder: str, comparison: Comparison) -> None:
    """Writes every chart as SVG."""
    from rankproof.kernel.atomic import replace_file
    from rankproof.reports.charts import charts
    from rankproof.reports.charts.drawing import to_svg

    plots = charts(comparison)
    try:
        os.makedirs(folder, exist_ok=True)
    except FileExistsError:
        raise InputError(f"{folder} is a file. Name a folder for the charts, or one that can be made.") from None
    for name, plot in watched(list(plots.items()), "drawing"):
        replace_file(os.path.join(folder, f"{name}.svg"), [to_svg(plot).encode()])
