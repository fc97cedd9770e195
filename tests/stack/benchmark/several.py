"""Benchmarks on several datasets whose values are given: for tests of what is made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rankproof.proving.score_tables import compare_scores
from rankproof.stack.benchmark.datasets.config import DatasetsConfig, datasets_config_of
from rankproof.stack.benchmark.datasets.over import over_datasets
from rankproof.stack.benchmark.datasets.records import MultiBenchmark
from rankproof.stack.benchmark.failed import FailedBound, FailedQueries
from rankproof.stack.benchmark.records import Benchmark, ModeRow
from rankproof.stack.benchmark.run import UNTIMED

MEASURE = "nDCG@10"
# By mode the value of each query.
Values = Mapping[str, Sequence[float]]


def config_for(datasets: Sequence[str], modes: Sequence[str]) -> DatasetsConfig:
    """The configuration of such a benchmark; the first mode is the baseline."""
    return datasets_config_of(
        {
            "benchmark": {"measures": [MEASURE], "latency_queries": 0, "name": "several"},
            "datasets": {name: name for name in datasets},
            "modes": {mode: f"bm25(k1={at + 1})" for at, mode in enumerate(modes)},
        },
        "several.toml",
    )


def part(config: DatasetsConfig, name: str, values: Values) -> Benchmark:
    """What a benchmark on one of the datasets would have measured."""
    tables = [{f"q{i}": {MEASURE: float(value)} for i, value in enumerate(own)} for own in values.values()]
    found = compare_scores(
        tables[0], tables[1:], names=tuple(values), ranges={MEASURE: (0, 1)}, correction="holm", all_pairs=True
    )
    rows = tuple(ModeRow(mode, mode, None, UNTIMED) for mode in values)
    return Benchmark(config.configs[name], rows, found, {}, name, len(tables[0]), 0)


def several(values: Mapping[str, Values]) -> MultiBenchmark:
    """The verdict over datasets with these values."""
    config = config_for(tuple(values), tuple(next(iter(values.values()))))
    return over_datasets(config, {name: part(config, name, own) for name, own in values.items()})


def with_failed(found: MultiBenchmark, dataset: str, mode: str, other: str, low: float, high: float) -> MultiBenchmark:
    """The same where a query of the mode failed on the dataset, with these bounds there."""
    failed = FailedQueries("undecided", 9, {mode: ("q1",)}, (FailedBound(MEASURE, mode, other, low, high),))
    parts = {**found.parts, dataset: replace(found.parts[dataset], failed=failed)}
    return over_datasets(found.config, parts)
