"""Recorded: a benchmark put on record: a report of each mode, and the manifest of the whole."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from rankproof.flow.evaluation_report import report_of
from rankproof.flow.manifest import Given, manifest_of
from rankproof.flow.prepared import PreparedQrels, PreparedRun
from rankproof.records.benchmark import Benchmark, BenchmarkConfig
from rankproof.records.evaluation import Evaluation
from rankproof.records.evaluation_report import EvaluationReport
from rankproof.records.jsontext import to_json
from rankproof.records.manifest import ExperimentManifest


def mode_report(
    found: Benchmark, evaluation: Evaluation, run: PreparedRun, dataset: str, observed: Mapping[str, Any]
) -> EvaluationReport:
    """The evaluation of one mode on record, as `rankproof evaluate --save` writes it."""
    return report_of(
        evaluation,
        run_sha256=run.content_hash(),
        qrels=dataset,
        diagnoses=[d for d in found.comparison.diagnoses if d.run == evaluation.run_name],
        observed=observed,
    )


def benchmark_manifest(
    config: BenchmarkConfig,
    found: Benchmark,
    qrels: tuple[str, PreparedQrels],
    runs: Mapping[str, PreparedRun],
    observed: Mapping[str, Any],
) -> ExperimentManifest:
    """The manifest of the comparison over all queries. `runs` are by path, in the order of the comparison."""
    rows = {row.mode: row for row in found.rows}
    modes = [rows[evaluation.run_name] for evaluation in found.comparison.evaluations]
    split = f", split {config.split}" if config.split else ""
    return manifest_of(
        found.comparison,
        Given(*qrels),
        [Given(path, run) for path, run in runs.items()],
        design=config.design,
        name=config.name,
        dataset_version=found.dataset_hash,
        index_snapshots={row.mode: sha256(to_json(row.identity).encode()).hexdigest() for row in modes},
        notes=(
            f"dataset: {config.dataset}{split}",
            f"depth: {config.depth}",
            *(f"{row.mode} = {row.pipeline}" for row in modes),
        ),
        observed=observed,
    )
