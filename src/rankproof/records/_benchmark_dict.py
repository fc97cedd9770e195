"""A Benchmark as plain dicts, lists, numbers and texts: the document `benchmark/1`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rankproof.records._comparison_dict import to_dict as comparison_dict
from rankproof.records.benchmark import Benchmark, ModeRow


def to_dict(benchmark: Benchmark, by_query: bool = True) -> dict[str, Any]:
    """All of it. Times are not in it: they differ from one time to the next and belong under `observed`."""
    config = benchmark.config
    return {
        "name": config.name,
        "dataset": {
            "source": config.dataset,
            "split": config.split or None,
            "sha256": benchmark.dataset_hash,
            "queries": benchmark.queries,
            "documents": benchmark.documents,
        },
        "baseline": config.baseline,
        "measures": list(config.measures),
        "depth": config.depth,
        "modes": [_row(row) for row in benchmark.rows],
        "best": dict(benchmark.best),
        "comparison": comparison_dict(benchmark.comparison, by_query),
    }


def times(benchmark: Benchmark) -> dict[str, Any]:
    """Milliseconds of single queries, by mode."""
    return {row.mode: asdict(row.latency) for row in benchmark.rows}


def _row(row: ModeRow) -> dict[str, Any]:
    ceiling = None if row.ceiling is None else {**asdict(row.ceiling), "won": row.ceiling.won}
    rescue = None if row.rescue is None else {**asdict(row.rescue), "rescued": dict(row.rescue.rescued)}
    return {
        "mode": row.mode,
        "pipeline": row.pipeline,
        "before": row.before,
        "failures": dict(row.failures),
        "ceiling": ceiling,
        "rescue": rescue,
        "identity": {step: dict(found) for step, found in row.identity.items()},
    }
