"""The work behind `rankproof benchmark`, `search` and `runs fetch`: data read, modes run, files written."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.shared.output import note, ticking
from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel.sections import counted, some

if TYPE_CHECKING:
    from rankproof.kernel.manifest import ExperimentManifest
    from rankproof.kernel.progress import Progress
    from rankproof.reading.collection import Query
    from rankproof.reading.datasets.records import Dataset
    from rankproof.reading.hit_documents import HitDocuments
    from rankproof.reading.records import Run
    from rankproof.stack.asking.ask import FetchProgress
    from rankproof.stack.benchmark.datasets.config import DatasetsConfig
    from rankproof.stack.benchmark.kept import KeptAnswers
    from rankproof.stack.benchmark.records import Benchmark, BenchmarkConfig
    from rankproof.stack.engines.contract import Asker
    from rankproof.stack.pipeline import AskAll, Runner
    from rankproof.stack.records import ModeOutcome, Step, StepOutcome


# What differs from one run to the next: seconds, and how many answers were stored before.
Observed = Mapping[str, object]
QRELS = "qrels.trec"
MANIFEST = "manifest.json"
# How many queries a note names.
NAMED = 3


def run_benchmark(
    config: BenchmarkConfig,
    dataset: Dataset,
    folder: str,
    cache: str | None,
    began: float,
    progress: Progress | None = None,
) -> tuple[Benchmark, Observed]:
    """Runs every mode on the judged queries, compares them, and writes all files; `began` is when the work began."""
    result, outcomes = run_modes(config, dataset, cache, progress)
    observed = {"seconds": round(time.perf_counter() - began, 6), **kept_answers(result.kept)}
    return write_everything(folder, config, dataset, result, outcomes, observed), observed


def kept_answers(kept: Mapping[str, KeptAnswers]) -> dict[str, object]:
    """What came from the store and what the probes showed, for `observed`; told on the way."""
    from rankproof.stack.benchmark.kept import kept_dict, kept_lines

    for line in kept_lines(kept):
        note(line)
    return kept_dict(kept)


def forget_answers(config: BenchmarkConfig, cache: str | None) -> None:
    """All answers of live engines at once: of a run that is stopped, no old ones may stand beside the new."""
    from rankproof.stack.asking.answers import Answers

    folder = cache or os.path.join(config.folder, CACHE)
    if os.path.isdir(folder):
        with Answers(os.path.join(folder, "answers.jsonl")) as keep:
            keep.forget()


def run_modes(
    config: BenchmarkConfig, dataset: Dataset, cache: str | None, progress: Progress | None = None
) -> tuple[Benchmark, Mapping[str, ModeOutcome]]:
    """Every mode run on the judged queries and compared; nothing is written but the cache."""
    from rankproof.stack.benchmark.run import benchmark

    refuse_split_ids(dataset)
    queries = dataset.judged_queries
    documents = 0 if dataset.corpus is None else len(dataset.corpus)
    with running(config, dataset, queries, cache, progress) as runner:
        result, outcomes = benchmark(config, queries, dataset.asked_qrels, runner, dataset.content_hash, documents)
    warnings = (*result.comparison.warnings, *left_out_queries(dataset))
    return replace(result, comparison=replace(result.comparison, warnings=warnings)), outcomes


def write_everything(
    folder: str,
    config: BenchmarkConfig,
    dataset: Dataset,
    result: Benchmark,
    outcomes: Mapping[str, ModeOutcome],
    observed: Observed,
) -> Benchmark:
    """Writes every file of a benchmark, the manifest last; the benchmark with its manifest, as the page shows it."""
    from rankproof.measuring.report import write_manifest
    from rankproof.proving.movement import titled_later

    write_runs(folder, config, dataset, outcomes, observed, {row.mode: row.latency.by_query for row in result.rows})
    record = put_on_record(folder, config, dataset, result, observed)
    manifest = {key: value for key, value in record.to_dict().items() if key != "observed"}
    rankings = result.comparison.rankings
    if dataset.corpus is not None:
        rankings = titled_later(rankings, dataset.corpus.titles)
    result = replace(result, comparison=replace(result.comparison, manifest=manifest, rankings=rankings))
    write_reports(folder, result, observed)
    write_manifest(os.path.join(folder, MANIFEST), record)
    return result


def write_runs(
    folder: str,
    config: BenchmarkConfig,
    dataset: Dataset,
    outcomes: Mapping[str, ModeOutcome],
    observed: Observed,
    latencies: Mapping[str, Mapping[str, float]] | None = None,
) -> dict[str, Any]:
    """A run and a latency file for each mode, and the manifest of them all; each file whole or not at all.

    Where answers of engines had fields that are kept, the documents lie beside the run. They are written before it and
    name its hash, so that a run never stands beside the documents of another one unnoticed.

    `latencies` are milliseconds by mode and query, of requests that were sent one at a time. Without them the files
    have the times of the fetch, with as many requests under way as the limits allow; the manifest says which.
    """
    from rankproof.kernel.atomic import replace_file
    from rankproof.kernel.jsontext import to_json
    from rankproof.reading.hit_documents import HitDocuments, path_beside
    from rankproof.reading.write import format_for, pieces
    from rankproof.stack.benchmark.manifest import fetch_manifest

    for name, outcome in outcomes.items():
        _refuse_ids(name, outcome)
    files = {}
    for below in ("runs", "latency"):
        os.makedirs(os.path.join(folder, below), exist_ok=True)
    for name, outcome in outcomes.items():
        run, latency = f"runs/{name}.run", f"latency/{name}.tsv"
        content = b"".join(pieces(_run_of(outcome), format_for(run, "run", "trec")))
        digest = sha256(content).hexdigest()
        told = HitDocuments.of(outcome.hit_fields(), digest)
        beside = path_beside(run)
        if told.documents:
            replace_file(os.path.join(folder, beside), told.pieces())
        else:
            with suppress(FileNotFoundError):
                os.remove(os.path.join(folder, beside))  # those of an earlier run, which is replaced
        replace_file(os.path.join(folder, run), [content])
        fetched = zip(outcome.query_ids, outcome.milliseconds.tolist(), strict=True)
        times = fetched if latencies is None else latencies[name].items()
        replace_file(os.path.join(folder, latency), _latency_lines(times))
        kept = {"hit_documents": beside} if told.documents else {}
        files[name] = {"run": run, "latency": latency, "sha256": digest, **kept}
        tell_unseen(name, outcome, told)
    document = fetch_manifest(config, dataset, outcomes, files, observed, one_at_a_time=latencies is not None)
    replace_file(os.path.join(folder, "fetch.json"), [f"{to_json(document, indent=2)}\n".encode()])
    return document


def tell_unseen(name: str, outcome: ModeOutcome, told: HitDocuments) -> None:
    """A note of the fields that a configuration keeps and no hit had: the place may be written wrongly."""
    steps = [step.step for step in outcome.steps if step.step.shelf == "engines"]
    asked = {field: where for step in steps for field, where in step.values.get("hit_fields", {}).items()}
    unseen = [f"{field} ({where})" for field, where in asked.items() if field not in told.names]
    if unseen and any(map(len, outcome.rankings)):
        note(f"{name}: no hit had {some(unseen, NAMED)}. Check hit_fields in the configuration.")


def put_on_record(
    folder: str, config: BenchmarkConfig, dataset: Dataset, result: Benchmark, observed: Observed
) -> ExperimentManifest:
    """Writes the judgments and an evaluation report for each mode; the manifest by which all can be computed again.

    The runs are read back from their files: what was written is what the hashes speak of.
    """
    from rankproof.measuring.prepare import join_run, prepare_qrels
    from rankproof.measuring.report import write_report
    from rankproof.reading.write import write
    from rankproof.stack.benchmark.failed import left_in
    from rankproof.stack.benchmark.manifest import benchmark_manifest, mode_report

    qrels = os.path.join(folder, QRELS)
    write(left_in(dataset.asked_qrels, result.failed), qrels, "trec")
    judged = prepare_qrels(qrels, None, config.allow)
    runs = {}
    for evaluation in result.comparison.evaluations:
        name = evaluation.run_name
        path = os.path.join(folder, "runs", f"{name}.run")
        runs[path] = join_run(judged, path, name=name, allow=config.allow)
        place = os.path.join(folder, "modes", name)
        os.makedirs(place, exist_ok=True)
        write_report(
            os.path.join(place, "EvaluationReport.json"),
            mode_report(result, evaluation, runs[path], dataset.name, observed),
        )
    return benchmark_manifest(config, result, (qrels, judged), runs, observed)


def write_reports(folder: str, result: Benchmark, observed: Observed) -> None:
    """The reports of the whole, each file whole or not at all."""
    from rankproof.kernel import shelf
    from rankproof.kernel.atomic import replace_file

    for form, file in (
        ("json", "BenchmarkReport.json"),
        ("markdown", "BenchmarkComparison.md"),
        ("html", "BenchmarkReport.html"),
    ):
        report = shelf.find("reports", form)
        text = report.benchmark(result, per_query=form == "json", observed=observed)
        replace_file(os.path.join(folder, file), [text.encode("utf-8", "surrogateescape")])


def _refuse_ids(name: str, outcome: ModeOutcome) -> None:
    """InputError for an id that would make two columns of a run's line, before anything is written."""
    for query, ranking in zip(outcome.query_ids, outcome.rankings, strict=True):
        for each in (query, *ranking.doc_ids):
            if len(each.split()) != 1:
                raise InputError(
                    f"{name}, query {query!r}: the id {each!r} is empty or contains white space, which a run file "
                    "cannot hold. Name a field that has an id in one piece."
                )


def _run_of(outcome: ModeOutcome) -> Run:
    """The rankings as a run. No ranking has a document twice or a score that is not finite, so the checks of reading
    are only asked to explain a run without rows, or ids that are not text."""
    from rankproof.core import Rows
    from rankproof.reading.collect import read_run
    from rankproof.reading.records import DEFAULT_ORDER, Run

    rankings = outcome.as_run()
    rows = Rows.from_dicts(rankings)
    if len(rows) == 0 or rows.undecodable:
        return read_run(rankings, name=outcome.name)
    return Run.of(rows, DEFAULT_ORDER, outcome.name)


def _latency_lines(times: Iterable[tuple[str, float]]) -> Iterator[bytes]:
    for query, milliseconds in times:
        if milliseconds == milliseconds:  # a stored answer has no time
            yield f"{query}\t{milliseconds:.6f}\n".encode("utf-8", "surrogateescape")


# The cache folder, beside the configuration by default: what is expensive to make and the same next time.
CACHE = ".rankproof-cache"


def only(config: BenchmarkConfig, modes: Sequence[str]) -> BenchmarkConfig:
    """The configuration with these modes alone, and the baseline."""
    if not modes:
        return config
    for mode in modes:
        if mode not in config.modes:
            raise UnknownName("mode of this benchmark", mode, config.modes)
    chosen = {config.baseline, *modes}
    return replace(
        config,
        modes={name: step for name, step in config.modes.items() if name in chosen},
        before={name: before for name, before in config.before.items() if name in chosen and before in chosen},
        inputs={name: tuple(m for m in on if m in chosen) for name, on in config.inputs.items() if name in chosen},
        left_out=tuple(name for name in config.modes if name not in chosen),
    )


def read_either(path: str) -> BenchmarkConfig | DatasetsConfig:
    """The configuration in a TOML file: of one dataset, or of several where it has a table [datasets]."""
    from rankproof.reading.source import read_toml
    from rankproof.stack.benchmark.config import STARTER_HINT, config_of, names_several

    document = read_toml(path, STARTER_HINT)
    folder, name = os.path.dirname(path) or ".", os.path.splitext(os.path.basename(path))[0]
    if names_several(document):
        from rankproof.stack.benchmark.datasets.config import datasets_config_of

        return datasets_config_of(document, path, folder, name)
    return config_of(document, path, folder, name)


def folder_of(name: str) -> str:
    """Where reports lie when nobody says where."""
    return f"{name.replace(' ', '-').replace(os.sep, '-')}-report"


def dataset_of(config: BenchmarkConfig, judged: bool = True) -> Dataset:
    """The data that the configuration names, from its folder; without `judged`, queries are enough."""
    dataset, name = read_data(config), config.dataset
    if judged and not dataset.judged_queries:
        raise UsageError(f"{name} has no query with text and judgments: there is nothing to measure.")
    if not dataset.asked_queries:
        raise UsageError(f"{name} has no query with text: there is nothing to ask.")
    for line in left_out_queries(dataset):
        note(line)
    return dataset


def left_out_queries(dataset: Dataset) -> list[str]:
    """Which queries cannot be asked, in a sentence; none where all can."""
    mute = dataset.wordless_queries
    if not mute:
        return []
    are = "query has no text and is" if len(mute) == 1 else "queries have no text and are"
    return [f"{len(mute):,} {are} left out ({some(mute, NAMED)})."]


def refuse_split_ids(dataset: Dataset) -> None:
    """InputError for ids that would make two columns of a run's line, before anything is asked."""
    split = [finding for finding in dataset.findings if finding.code == "id_with_white_space"]
    if split:
        raise InputError(f"{dataset.source}: {split[0].message} {split[0].remedy}")


def read_data(config: BenchmarkConfig) -> Dataset:
    """The data that the configuration names, whatever is in it."""
    from rankproof.reading.datasets.read import read_dataset

    name = config.dataset
    path = os.path.join(config.folder, name)
    inside = ":" not in name and not os.path.isabs(name)
    return read_dataset(path if inside else name, split=config.split or None, allow=config.allow)


@contextmanager
def running(
    config: BenchmarkConfig,
    dataset: Dataset,
    queries: Sequence[Query],
    cache: str | None,
    progress: Progress | None = None,
) -> Iterator[Runner]:
    """What runs pipelines on the data. Answers of live engines are written to the cache folder as they arrive.

    `progress` is called with how far the work is; by default a line on the terminal shows it.
    """
    from rankproof.kernel.cache import FolderCache
    from rankproof.kernel.llm.spending import Spending
    from rankproof.reading.collect import read_run
    from rankproof.stack.pipeline import Runner, asks_live_engine
    from rankproof.stack.records import Ground

    folder = cache or os.path.join(config.folder, CACHE)
    make_folder(folder)
    live = any(asks_live_engine(pipeline) for pipeline in config.modes.values())
    with (
        ticking() if progress is None else nullcontext(progress) as report,
        _asking(config, folder, report) if live else nullcontext() as ask_all,
    ):
        spending = None if config.ceiling is None else Spending(config.ceiling)
        read = partial(read_run, allow=config.allow) if config.allow else read_run
        ground = Ground(dataset.corpus, FolderCache(folder), config.folder, 0, read, report, spending)
        runner = Runner(queries, config.depth, ground, ask_all, report)
        try:
            yield runner
        finally:
            runner.close()


@contextmanager
def _asking(config: BenchmarkConfig, folder: str, report: Progress) -> Iterator[AskAll]:
    """What asks a live engine all queries, within the limits of the configuration; answers are stored in the folder."""
    from rankproof.stack.asking.answers import Answers
    from rankproof.stack.asking.ask import ask_step
    from rankproof.stack.asking.limits import Limits

    limits = Limits(**config.limits)
    with Answers(os.path.join(folder, "answers.jsonl")) as keep:
        if keep.damaged:
            are = "is" if keep.damaged == 1 else "are"
            answers = f"{counted(keep.damaged, 'kept answer')} {are} damaged"
            click.echo(f"{keep.path}: {answers}; what is missing is asked again", err=True)

        def ask_all(asker: Asker, step: Step, queries: Sequence[Query], depth: int) -> StepOutcome:
            def report_progress(far: FetchProgress) -> None:
                report(f"{step.name}: query", far.done, far.total)

            outcome = ask_step(
                asker, step, queries, depth, limits=limits, keep=keep, seed=config.design.seed,
                on_progress=report_progress,
            )  # fmt: skip
            if outcome.probe is not None and outcome.probe.verdict != "same":
                note(outcome.probe.sentence(step.name))
            return outcome

        yield ask_all


def make_folder(folder: str) -> None:
    """Makes it where it is not there."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"The cache {folder} cannot be made: {error.strerror or error}. Name another folder: --cache FOLDER"
        ) from None
