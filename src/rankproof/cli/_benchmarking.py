"""The work behind `rankproof benchmark` and `rankproof search`: data read, modes run, reports written."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from rankproof.errors import UnknownName, UsageError

if TYPE_CHECKING:
    from rankproof.flow.pipelines.running import Runner
    from rankproof.records.benchmark import Benchmark, BenchmarkConfig
    from rankproof.records.collection import Query
    from rankproof.records.dataset import Dataset
    from rankproof.records.outcome import ModeOutcome

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
    )


def dataset_of(config: BenchmarkConfig) -> Dataset:
    """The data that the configuration names, from its folder."""
    from rankproof.flow.datasets import read_dataset

    what = config.dataset
    path = os.path.join(config.folder, what)
    found = read_dataset(path if ":" not in what and not os.path.isabs(what) else what, split=config.split or None)
    if not found.judged_queries:
        raise UsageError(f"{what} has no query with text and judgments: there is nothing to measure.")
    return found


@contextmanager
def running(config: BenchmarkConfig, dataset: Dataset, queries: Sequence[Query], cache: str | None) -> Iterator[Runner]:
    """Somebody who runs pipelines on the data; answers of live engines are kept in the cache folder as they come."""
    from rankproof.flow.asking.limits import Limits
    from rankproof.flow.asking.steps import ask_step
    from rankproof.flow.collect import read_run
    from rankproof.flow.pipelines.running import Runner
    from rankproof.records.ground import Ground
    from rankproof.store.answers import Answers
    from rankproof.store.cache import FolderCache

    folder = cache or os.path.join(config.folder, CACHE)
    os.makedirs(folder, exist_ok=True)
    ground = Ground(dataset.corpus, FolderCache(folder), config.folder, read_run=read_run)
    with Answers(os.path.join(folder, "answers.jsonl")) as keep:
        runner = Runner(
            queries,
            config.depth,
            ground,
            lambda asker, step, asked, depth: ask_step(
                asker, step, asked, depth, limits=Limits(), keep=keep, seed=config.design.seed
            ),
            _progress(),
        )
        try:
            yield runner
        finally:
            runner.close()


def _progress() -> Callable[[str, int, int], None]:
    """A line on a terminal that says which step is at which query; silence elsewhere."""
    from rankproof.flow.pipelines.running import silent

    if not sys.stderr.isatty():
        return silent

    def tell(step: str, done: int, total: int) -> None:
        end = "\n" if done == total else ""
        sys.stderr.write(f"\r{step}: {done} of {total} queries{end}")
        sys.stderr.flush()

    return tell


def write_runs(
    folder: str,
    config: BenchmarkConfig,
    dataset: Dataset,
    outcomes: Mapping[str, ModeOutcome],
    observed: Mapping[str, Any],
) -> dict[str, Any]:
    """A run and a latency file for each mode, and the manifest of them all; each file whole or not at all."""
    from rankproof.flow.benchmarking.fetched import fetch_manifest
    from rankproof.records.jsontext import to_json
    from rankproof.store.atomic import replace_file

    files = {}
    for below in ("runs", "latency"):
        os.makedirs(os.path.join(folder, below), exist_ok=True)
    for name, outcome in outcomes.items():
        run, latency = os.path.join("runs", f"{name}.run"), os.path.join("latency", f"{name}.tsv")
        content = b"".join(_run_lines(name, outcome))
        replace_file(os.path.join(folder, run), [content])
        replace_file(os.path.join(folder, latency), _latency_lines(outcome))
        files[name] = {"run": run, "latency": latency, "sha256": sha256(content).hexdigest()}
    document = fetch_manifest(config, dataset, outcomes, files, observed)
    replace_file(os.path.join(folder, "fetch.json"), [f"{to_json(document, indent=2)}\n".encode()])
    return document


def write_reports(folder: str, found: Benchmark, observed: Mapping[str, Any]) -> None:
    """The reports of the whole, each file whole or not at all."""
    from rankproof import shelf
    from rankproof.store.atomic import replace_file

    for form, file in (
        ("json", "BenchmarkReport.json"),
        ("markdown", "BenchmarkComparison.md"),
        ("html", "BenchmarkReport.html"),
    ):
        report = shelf.find("reports", form)
        text = report.benchmark(found, per_query=form == "json", observed=observed)
        replace_file(os.path.join(folder, file), [text.encode("utf-8", "surrogateescape")])


def _run_lines(name: str, outcome: ModeOutcome) -> Iterator[bytes]:
    for query, ranking in zip(outcome.query_ids, outcome.rankings, strict=True):
        for rank, (doc, score) in enumerate(zip(ranking.doc_ids, ranking.scores.tolist(), strict=True), 1):
            yield f"{query} Q0 {doc} {rank} {score!r} {name}\n".encode("utf-8", "surrogateescape")


def _latency_lines(outcome: ModeOutcome) -> Iterator[bytes]:
    for query, time in zip(outcome.query_ids, outcome.milliseconds.tolist(), strict=True):
        if time == time:  # an answer that was kept has no time
            yield f"{query}\t{time:.6f}\n".encode("utf-8", "surrogateescape")
