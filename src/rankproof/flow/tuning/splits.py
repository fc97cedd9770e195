"""Splits: the queries that are searched on, and those that are left untouched until there is a winner."""

from __future__ import annotations

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.flow.datasets.normal import normal
from rankproof.flow.datasets.splitting import split
from rankproof.records.dataset import Dataset
from rankproof.records.tuning import TuneConfig

DEV, TEST = "dev", "test"


def halves(config: TuneConfig, dataset: Dataset) -> tuple[Dataset, Dataset]:
    """Dev and test: the splits that are named, or a draw that keeps segments balanced and equal texts together."""
    if config.dev:
        if not dataset.splits:
            raise UsageError(
                f"{dataset.source} has no splits. Say share in [tune] in place of dev and test, or make some with "
                "`rankproof dataset split`."
            )
        for name in (config.dev, config.test):
            if name not in dataset.splits:
                raise UnknownName(f"split of {dataset.source}", name, dataset.splits)
        dev, test = dataset.part(config.dev), dataset.part(config.test)
        for part in (dev, test):
            if not part.judged_queries:
                raise InputError(f"{part.name} has no query with text and judgments: there is nothing to measure.")
        return dev, test
    parts = split(dataset, {DEV: config.share, TEST: 1 - config.share}, config.benchmark.by, config.seed)
    return parts[DEV], parts[TEST]


def leaked(dev: Dataset, test: Dataset) -> int:
    """How many test queries have a text that a dev query has too: they are not untouched."""
    seen = {normal(query.text) for query in dev.judged_queries}
    return sum(normal(query.text) in seen for query in test.judged_queries)
