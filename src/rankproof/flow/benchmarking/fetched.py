"""Fetched: the manifest of runs that pipelines made: what was asked of what, and the hashes of what came."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from rankproof import __version__
from rankproof.flow.versions import now, versions
from rankproof.records.benchmark import BenchmarkConfig
from rankproof.records.dataset import Dataset
from rankproof.records.outcome import ModeOutcome


def fetch_manifest(
    config: BenchmarkConfig,
    dataset: Dataset,
    outcomes: Mapping[str, ModeOutcome],
    files: Mapping[str, Mapping[str, str]],
    observed: Mapping[str, Any],
) -> dict[str, Any]:
    """The document `fetch/1`. `files` has for each mode the paths of its run and latencies, and the run's SHA-256."""
    return {
        "rankproof": __version__,
        "schema": "fetch/1",
        "name": config.name,
        "dataset": {
            "source": config.dataset,
            "split": config.split or None,
            "sha256": dataset.content_hash,
            "queries": max((len(outcome.query_ids) for outcome in outcomes.values()), default=0),
            "documents": 0 if dataset.corpus is None else len(dataset.corpus),
        },
        "depth": config.depth,
        "seed": config.design.seed,
        "versions": dict(versions()),
        "modes": [
            {
                "mode": name,
                "pipeline": outcome.pipeline.text,
                "key": outcome.pipeline.key,
                **files[name],
                "queries": len(outcome.query_ids),
                "documents": sum(len(ranking) for ranking in outcome.rankings),
                "failures": dict(Counter(f"{failure.stage}: {failure.kind}" for failure in outcome.failures)),
                "identity": outcome.by_step("identity"),
            }
            for name, outcome in outcomes.items()
        ],
        "observed": {"time": now(), **observed},
    }
