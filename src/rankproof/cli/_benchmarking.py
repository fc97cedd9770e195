"""The work behind `rankproof benchmark`, `search` and `runs fetch`: data read, modes run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from rankproof.cli._benchmark_files import refuse_folder, write_everything, write_reports, write_runs
from rankproof.cli._ticker import ticking
from rankproof.errors import UnknownName, UsageError

if TYPE_CHECKING:
    from rankproof.engines._contract import Asker
    from rankproof.flow.asking.ask import Progress as Far
    from rankproof.flow.pipelines.running import Runner
    from rankproof.records.benchmark import BenchmarkConfig
    from rankproof.records.collection import Query
    from rankproof.records.dataset import Dataset
    from rankproof.records.ground import Progress
    from rankproof.records.outcome import StepOutcome
    from rankproof.records.pipeline import Step

__all__ = ["dataset_of", "only", "refuse_folder", "running", "write_everything", "write_reports", "write_runs"]

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
    from rankproof.flow.datasets import read_dataset

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
    from rankproof.flow.asking.limits import Limits
    from rankproof.flow.asking.steps import ask_step
    from rankproof.flow.collect import read_run
    from rankproof.flow.pipelines.running import Runner
    from rankproof.records.ground import Ground
    from rankproof.store.answers import Answers
    from rankproof.store.cache import FolderCache

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
