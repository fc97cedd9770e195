"""A Benchmark as plain dicts, lists, numbers and texts: the document `benchmark/1`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rankproof.records._comparison_dict import to_dict as comparison_dict
from rankproof.records.benchmark import Benchmark, ModeRow


def to_dict(benchmark: Benchmark, by_query: bool = True) -> dict[str, Any]:
    """All of it. Times are not in it: they differ from one time to the next and belong under `observed`."""
    config = benchmark.config
    apart = benchmark.by_segment
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
        "advice": None if benchmark.advice is None else benchmark.advice.to_dict(),
        "cost": _cost(benchmark),
        "comparison": comparison_dict(benchmark.comparison, by_query),
        "by_segment": None if apart is None else comparison_dict(apart, by_query=False),
    }


def times(benchmark: Benchmark) -> dict[str, Any]:
    """Milliseconds of single queries, by mode."""
    return {row.mode: asdict(row.latency) for row in benchmark.rows}


def unbeaten_in_time(benchmark: Benchmark) -> list[str]:
    """The modes that no other one beats in both time and the first measure, fastest first."""
    return list(benchmark.unbeaten.get("time", ()))


def _cost(benchmark: Benchmark) -> dict[str, Any] | None:
    prices = benchmark.config.prices
    if prices is None:
        return None
    return {"currency": prices.currency, "queries": 1000, "unbeaten": list(benchmark.unbeaten.get("cost", ()))}


def _row(row: ModeRow) -> dict[str, Any]:
    ceiling = None if row.ceiling is None else {**asdict(row.ceiling), "won": row.ceiling.won}
    return {
        "mode": row.mode,
        "pipeline": row.pipeline,
        "before": row.before,
        "inputs": list(row.inputs),
        "cost": row.cost,
        "failures": dict(row.failures),
        "examples": dict(row.examples),
        "ceiling": ceiling,
        "reach": None if row.reach is None else asdict(row.reach),
        "rescue": None if row.rescue is None else asdict(row.rescue),
        "identity": {step: dict(found) for step, found in row.identity.items()},
        "notes": {step: dict(found) for step, found in row.notes.items()},
    }
