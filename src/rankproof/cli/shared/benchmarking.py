"""The work behind `rankproof benchmark`, `search` and `runs fetch`: data read, modes run, files written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.shared.progress import ticking
from rankproof.errors import InputError, UnknownName, UsageError

if TYPE_CHECKING:
    from rankproof.kernel.progress import Progress
    from rankproof.reading.collection import Query
    from rankproof.reading.datasets.records import Dataset
    from rankproof.stack.asking.ask import FetchProgress as Far
    from rankproof.stack.benchmark.records import Benchmark, BenchmarkConfig
    from rankproof.stack.engines.contract import Asker
    from rankproof.stack.pipelines.run import Runner
    from rankproof.stack.records import ModeOutcome, Step, StepOutcome


QRELS = "qrels.trec"
MANIFEST = "manifest.json"


def write_everything(
    folder: str,
    config: BenchmarkConfig,
    dataset: Dataset,
    found: Benchmark,
    outcomes: Mapping[str, ModeOutcome],
    observed: Mapping[str, Any],
) -> Benchmark:
    """Every file of a benchmark, the manifest last; the benchmark with its manifest, as the page shows it."""
    from rankproof.measuring.report import write_manifest

    write_runs(folder, config, dataset, outcomes, observed)
    record = put_on_record(folder, config, dataset, found, observed)
    shown = {key: value for key, value in record.to_dict().items() if key != "observed"}
    found = replace(found, comparison=replace(found.comparison, manifest=shown))
    write_reports(folder, found, observed)
    write_manifest(os.path.join(folder, MANIFEST), record)
    return found


def write_runs(
    folder: str,
    config: BenchmarkConfig,
    dataset: Dataset,
    outcomes: Mapping[str, ModeOutcome],
    observed: Mapping[str, Any],
) -> dict[str, Any]:
    """A run and a latency file for each mode, and the manifest of them all; each file whole or not at all."""
    from rankproof.kernel.atomic import replace_file
    from rankproof.kernel.jsontext import to_json
    from rankproof.reading.collect import read_run
    from rankproof.reading.write import format_for, pieces
    from rankproof.stack.benchmark.manifest import fetch_manifest

    for name, outcome in outcomes.items():
        _refuse_ids(name, outcome)
    files = {}
    for below in ("runs", "latency"):
        os.makedirs(os.path.join(folder, below), exist_ok=True)
    for name, outcome in outcomes.items():
        run, latency = f"runs/{name}.run", f"latency/{name}.tsv"
        content = b"".join(pieces(read_run(outcome.as_run(), name=name), format_for(run, "run", "trec")))
        replace_file(os.path.join(folder, run), [content])
        replace_file(os.path.join(folder, latency), _latency_lines(outcome))
        files[name] = {"run": run, "latency": latency, "sha256": sha256(content).hexdigest()}
    document = fetch_manifest(config, dataset, outcomes, files, observed)
    replace_file(os.path.join(folder, "fetch.json"), [f"{to_json(document, indent=2)}\n".encode()])
    return document


def put_on_record(
    folder: str, config: BenchmarkConfig, dataset: Dataset, found: Benchmark, observed: Mapping[str, Any]
) -> Any:
    """Writes the judgments and an evaluation report for each mode; the manifest by which all can be computed again.

    The runs are read back from their files: what was written is what the hashes speak of.
    """
    from rankproof.measuring.join import join_run, prepare_qrels
    from rankproof.measuring.report import write_report
    from rankproof.reading.write import write
    from rankproof.stack.benchmark.manifest import benchmark_manifest, mode_report

    qrels = os.path.join(folder, QRELS)
    write(dataset.qrels, qrels, "trec")
    judged = prepare_qrels(qrels)
    runs = {}
    for evaluation in found.comparison.evaluations:
        name = evaluation.run_name
        path = os.path.join(folder, "runs", f"{name}.run")
        runs[path] = join_run(judged, path, name=name)
        place = os.path.join(folder, "modes", name)
        os.makedirs(place, exist_ok=True)
        write_report(
            os.path.join(place, "EvaluationReport.json"),
            mode_report(found, evaluation, runs[path], dataset.name, observed),
        )
    return benchmark_manifest(config, found, (qrels, judged), runs, observed)


def write_reports(folder: str, found: Benchmark, observed: Mapping[str, Any]) -> None:
    """The reports of the whole, each file whole or not at all."""
    from rankproof.kernel import shelf
    from rankproof.kernel.atomic import replace_file

    for form, file in (
        ("json", "BenchmarkReport.json"),
        ("markdown", "BenchmarkComparison.md"),
        ("html", "BenchmarkReport.html"),
    ):
        report = shelf.find("reports", form)
        text = report.benchmark(found, per_query=form == "json", observed=observed)
        replace_file(os.path.join(folder, file), [text.encode("utf-8", "surrogateescape")])


def _refuse_ids(name: str, outcome: ModeOutcome) -> None:
    """InputError for an id that would make two columns of a run's line, before anything is written."""
    for query, ranking in zip(outcome.query_ids, outcome.rankings, strict=True):
        for given in (query, *ranking.doc_ids):
            if len(given.split()) != 1:
                raise InputError(
                    f"{name}, query {query!r}: the id {given!r} is empty or has white space in it, which a run file "
                    "cannot hold. Name a field that has an id in one piece."
                )


def _latency_lines(outcome: ModeOutcome) -> Iterator[bytes]:
    for query, time in zip(outcome.query_ids, outcome.milliseconds.tolist(), strict=True):
        if time == time:  # an answer that was kept has no time
            yield f"{query}\t{time:.6f}\n".encode("utf-8", "surrogateescape")


# Beside the configuration, unless said otherwise: what is dear to make and the same next time.
CACHE = ".rankproof-cache"


def only(config: BenchmarkConfig, modes: Sequence[str]) -> BenchmarkConfig:
    """The configuration with these modes alone, and the baseline."""
    if not modes:
        return config
    for mode in modes:
        if mode not in config.modes:
            raise UnknownName("mode of this benchmark", mode, config.modes)
    wanted = {config.baseline, *modes}
    return replace(
        config,
        modes={name: step for name, step in config.modes.items() if name in wanted},
        before={name: before for name, before in config.before.items() if name in wanted and before in wanted},
        inputs={name: tuple(m for m in on if m in wanted) for name, on in config.inputs.items() if name in wanted},
    )


def dataset_of(config: BenchmarkConfig, judged: bool = True) -> Dataset:
    """The data that the configuration names, from its folder; without judgments there is something to ask at least."""
    from rankproof.reading.datasets.read import read_dataset

    what = config.dataset
    path = os.path.join(config.folder, what)
    found = read_dataset(path if ":" not in what and not os.path.isabs(what) else what, split=config.split or None)
    if judged and not found.judged_queries:
        raise UsageError(f"{what} has no query with text and judgments: there is nothing to measure.")
    if not found.asked_queries:
        raise UsageError(f"{what} has no query with text: there is nothing to ask.")
    return found


@contextmanager
def running(
    config: BenchmarkConfig,
    dataset: Dataset,
    queries: Sequence[Query],
    cache: str | None,
    progress: Progress | None = None,
) -> Iterator[Runner]:
    """Somebody who runs pipelines on the data; answers of live engines are kept in the cache folder as they come.

    `progress` is told how far it is; a line on the terminal when nobody is named.
    """
    from rankproof.kernel.cache import FolderCache
    from rankproof.reading.collect import read_run
    from rankproof.stack.asking.answers import Answers
    from rankproof.stack.asking.ask import ask_step
    from rankproof.stack.asking.limits import Limits
    from rankproof.stack.pipelines.run import Runner
    from rankproof.stack.records import Ground

    folder = cache or os.path.join(config.folder, CACHE)
    _make(folder)
    limits = Limits(**config.limits)
    watching = ticking() if progress is None else nullcontext(progress)
    with watching as tell, Answers(os.path.join(folder, "answers.jsonl")) as keep:
        if keep.damaged:
            which = "1 kept answer is" if keep.damaged == 1 else f"{keep.damaged} kept answers are"
            click.echo(f"{keep.path}: {which} damaged; what is missing is asked again", err=True)

        def ask(asker: Asker, step: Step, asked: Sequence[Query], depth: int) -> StepOutcome:
            def told(far: Far) -> None:
                tell(f"{step.name}: query", far.done, far.total)

            return ask_step(
                asker, step, asked, depth, limits=limits, keep=keep, seed=config.design.seed, on_progress=told
            )

        ground = Ground(dataset.corpus, FolderCache(folder), config.folder, read_run=read_run, progress=tell)
        runner = Runner(queries, config.depth, ground, ask, tell)
        try:
            yield runner
        finally:
            runner.close()


def _make(folder: str) -> None:
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"The cache {folder} cannot be made: {error.strerror or error}. Name another folder: --cache FOLDER"
        ) from None
