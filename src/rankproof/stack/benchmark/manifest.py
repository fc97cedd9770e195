"""Manifests of benchmarks and of fetched runs: which pipelines answered which queries, and result hashes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from hashlib import sha256

from rankproof.kernel.documents import now, versions
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.manifest import ExperimentManifest
from rankproof.kernel.version import __version__
from rankproof.measuring.prepare import PreparedQrels, PreparedRun
from rankproof.measuring.records import Evaluation
from rankproof.measuring.report import EvaluationReport, report_of
from rankproof.proving.manifest import Given, manifest_of
from rankproof.reading.datasets.records import Dataset
from rankproof.stack.asking.limits import Limits
from rankproof.stack.benchmark.records import Benchmark, BenchmarkConfig
from rankproof.stack.pipeline import asks_live_engine
from rankproof.stack.records import ModeOutcome


def fetch_manifest(
    config: BenchmarkConfig,
    dataset: Dataset,
    outcomes: Mapping[str, ModeOutcome],
    files: Mapping[str, Mapping[str, str]],
    observed: Mapping[str, object],
    one_at_a_time: bool = False,
) -> dict[str, object]:
    """The document `fetch/1`. `files` has for each mode the paths of its run and latencies, and the run's SHA-256.

    `one_at_a_time`: the latencies are of requests that were sent one at a time, and not of the fetch.
    """
    at_once = Limits(**config.limits).concurrency
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
                "requests_at_once": 1 if one_at_a_time or not asks_live_engine(outcome.pipeline) else at_once,
                "queries": len(outcome.query_ids),
                "documents": sum(len(ranking) for ranking in outcome.rankings),
                "failures": dict(Counter(f"{failure.stage}: {failure.kind}" for failure in outcome.failures)),
                "identity": outcome.by_step("identity"),
            }
            for name, outcome in outcomes.items()
        ],
        "observed": {"time": now(), **observed},
    }


def mode_report(
    benchmark: Benchmark, evaluation: Evaluation, run: PreparedRun, dataset: str, observed: Mapping[str, object]
) -> EvaluationReport:
    """The evaluation of one mode on record, as `rankproof evaluate --save` writes it."""
    return report_of(
        evaluation,
        run_sha256=run.content_hash(),
        qrels=dataset,
        diagnoses=[d for d in benchmark.comparison.diagnoses if d.run == evaluation.run_name],
        observed=observed,
    )


def benchmark_manifest(
    config: BenchmarkConfig,
    benchmark: Benchmark,
    qrels: tuple[str, PreparedQrels],
    runs: Mapping[str, PreparedRun],
    observed: Mapping[str, object],
) -> ExperimentManifest:
    """The manifest of the comparison over all queries. `runs` are by path, in the order of the comparison."""
    rows = {row.mode: row for row in benchmark.rows}
    modes = [rows[evaluation.run_name] for evaluation in benchmark.comparison.evaluations]
    several = len(modes) > 1
    split = f", split {config.split}" if config.split else ""
    return manifest_of(
        benchmark.comparison if several else list(benchmark.comparison.evaluations),
        Given(*qrels),
        [Given(path, run) for path, run in runs.items()],
        design=config.design if several else None,
        name=config.name,
        dataset_version=benchmark.dataset_hash,
        index_snapshots={row.mode: sha256(to_json(row.identity).encode()).hexdigest() for row in modes},
        notes=(
            f"dataset: {config.dataset}{split}",
            f"depth: {config.depth}",
            *([f"left out: {', '.join(config.left_out)}"] if config.left_out else []),
            *([] if benchmark.failed is None else [f"failed queries: {benchmark.failed.sentence}"]),
            *(f"{row.mode} = {row.pipeline}" for row in modes),
        ),
        reading={"allow": config.allow} if config.allow else None,
        observed=observed,
    )
