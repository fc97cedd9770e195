"""The work behind `rankproof benchmark run` on several datasets: one dataset at a time, then the verdict over them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from rankproof.cli.shared import benchmarking
from rankproof.cli.shared.benchmarking import Observed
from rankproof.cli.shared.output import ticking
from rankproof.cli.shared.root import Interrupted
from rankproof.errors import RankproofError, UnknownName
from rankproof.kernel.sections import some

if TYPE_CHECKING:
    from rankproof.kernel.progress import Progress
    from rankproof.stack.benchmark.datasets.config import DatasetsConfig
    from rankproof.stack.benchmark.datasets.records import MultiBenchmark
    from rankproof.stack.benchmark.records import Benchmark, BenchmarkConfig

# Below the report's folder a folder for each dataset, as a benchmark on it alone writes it.
FOLDER = "datasets"
REPORTS = (("json", "BenchmarkReport.json"), ("markdown", "BenchmarkComparison.md"), ("html", "BenchmarkReport.html"))


def run_datasets(
    config: DatasetsConfig, folder: str, cache: str | None, began: float
) -> tuple[MultiBenchmark, Observed]:
    """Runs every mode on every dataset, one dataset after the other, and writes all files, those of the whole last.

    What is missing or wrong on any of them is found before the first is run. Documents and indexes of a dataset are
    given back before the next one is read.
    """
    from rankproof.stack.benchmark.datasets.over import over_datasets

    overlaps = _look_over(config, cache)
    _remove_older(folder)
    parts: dict[str, Benchmark] = {}
    seen: dict[str, object] = {}
    for at, (name, own) in enumerate(config.configs.items(), 1):
        place, there = os.path.join(folder, FOLDER, name), cache_of(own, cache, name)
        try:
            with ticking() as report, of_dataset(name):
                which = f"{name} ({at} of {len(config.configs)})"
                parts[name], seen[name] = _one(own, place, there, _says(report, which))
        except KeyboardInterrupt:
            raise Interrupted(_stopped(name, tuple(parts))) from None
    result = over_datasets(config, parts, overlaps)
    observed: Observed = {"seconds": round(time.perf_counter() - began, 6), FOLDER: seen}
    _write(folder, result, observed)
    return result, observed


def _stopped(at: str, done: Sequence[str]) -> str:
    written = f"what is written is of {some(done)} alone" if done else "nothing was written"
    return f"Interrupted on {at}; {written}. The same command goes on: what was asked and encoded is kept."


def _one(config: BenchmarkConfig, folder: str, cache: str, report: Progress) -> tuple[Benchmark, Observed]:
    """One dataset's benchmark, without what holds its documents: those are needed for its own page alone."""
    from rankproof.kernel.later import Later

    dataset = benchmarking.dataset_of(config)
    result, observed = benchmarking.run_benchmark(config, dataset, folder, cache, time.perf_counter(), report)
    return replace(result, comparison=replace(result.comparison, rankings=Later(lambda: None))), observed


def cache_of(config: BenchmarkConfig, cache: str | None, dataset: str) -> str:
    """The folder for what is expensive to make on a dataset: answers of one are never those of another."""
    return os.path.join(cache or os.path.join(config.folder, benchmarking.CACHE), FOLDER, dataset)


@contextmanager
def of_dataset(name: str) -> Iterator[None]:
    """Errors say which dataset they are of."""
    try:
        yield
    except RankproofError as error:
        error.args = (f"Dataset {name}: {error}", *error.args[1:])
        raise


def _says(report: Progress, where: str) -> Progress:
    def said(what: str, done: int, total: int) -> None:
        report(f"{where}: {what}", done, total)

    return said


def _look_over(config: DatasetsConfig, cache: str | None) -> tuple[str, ...]:
    """Reads every dataset and opens every mode on it, before anything is run; warnings of what datasets share."""
    from rankproof.stack.benchmark.datasets.over import SharedData

    data = SharedData()
    for name, own in config.configs.items():
        with ticking() as report, of_dataset(name):
            dataset = benchmarking.dataset_of(own)
            queries = dataset.judged_queries
            for column in own.by:
                if column not in dataset.columns:
                    raise UnknownName("column of its queries", column, dataset.columns)
            with benchmarking.running(own, dataset, queries, cache_of(own, cache, name), report) as runner:
                runner.open(list(own.modes.values()))
        data.add(name, dataset.content_hash, queries)
        del dataset, queries, runner
    return data.warnings


def _remove_older(folder: str) -> None:
    """The page over all datasets of an earlier run: beside new pages of some of them it would not be true."""
    for _, file in REPORTS:
        with suppress(FileNotFoundError):
            os.remove(os.path.join(folder, file))


def _write(folder: str, result: MultiBenchmark, observed: Mapping[str, object]) -> None:
    from rankproof.kernel import shelf
    from rankproof.kernel.atomic import replace_file

    for form, file in REPORTS:
        text = shelf.find("reports", form).datasets(result, per_query=False, observed=observed)
        replace_file(os.path.join(folder, file), [text.encode("utf-8", "surrogateescape")])
