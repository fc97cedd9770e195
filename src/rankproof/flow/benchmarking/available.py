"""Available: the modes of a benchmark that can run here, and what the others lack."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from rankproof.errors import UsageError
from rankproof.flow.pipelines.running import Runner
from rankproof.records.benchmark import BenchmarkConfig


def lacking(config: BenchmarkConfig, runner: Runner) -> dict[str, str]:
    """For each mode that cannot be opened why not, in the words of the item that cannot."""
    found = {}
    for name, pipeline in config.modes.items():
        try:
            runner.open([pipeline])
        except UsageError as error:
            found[name] = str(error)
    return found


def without(config: BenchmarkConfig, modes: Container[str]) -> BenchmarkConfig:
    """The configuration less these modes; the first of the others is the baseline where that was one of them."""
    left = {name: step for name, step in config.modes.items() if name not in modes}
    baseline = config.baseline if config.baseline in left else next(iter(left), "")
    return replace(
        config,
        modes=left,
        baseline=baseline,
        before={name: before for name, before in config.before.items() if name in left and before in left},
        inputs={name: tuple(mode for mode in on if mode in left) for name, on in config.inputs.items() if name in left},
    )
