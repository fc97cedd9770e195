"""Benchmark: every mode run, measured and compared with every other, with what each stage bought."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rankproof.flow.benchmarking.ceilings import ceiling_of
from rankproof.flow.benchmarking.latency import latency_of
from rankproof.flow.benchmarking.rescues import rescue_of
from rankproof.flow.compare import compare_runs
from rankproof.flow.joining import join_run, prepare_qrels
from rankproof.flow.pipelines.running import Runner
from rankproof.measures._text import parse
from rankproof.records.benchmark import Benchmark, BenchmarkConfig, ModeRow
from rankproof.records.collection import Query
from rankproof.records.comparison import ALL_QUERIES, Comparison
from rankproof.records.outcome import ModeOutcome
from rankproof.records.qrels import Qrels
from rankproof.records.settings import DEFAULT_SETTINGS

# Where fusions are looked at: what a person sees on a first page.
FIRST_PAGE = 10


def benchmark(
    config: BenchmarkConfig, queries: Sequence[Query], qrels: Qrels, runner: Runner, dataset_hash: str, documents: int
) -> tuple[Benchmark, dict[str, ModeOutcome]]:
    """All modes on the same queries: the report, and what every mode gave."""
    runner.open(list(config.modes.values()))
    outcomes = {name: runner.run(name, pipeline) for name, pipeline in config.modes.items()}
    judged = prepare_qrels(qrels)
    runs = {name: join_run(judged, outcomes[name].as_run(), name=name) for name in _baseline_first(config)}
    texts = {query.query_id: query.text for query in queries}
    columns = {query.query_id: dict(query.columns) for query in queries}
    comparison = compare_runs(
        runs, parse(list(config.measures)), DEFAULT_SETTINGS, config.design,
        topics=texts, queries=columns if config.by else None, by=config.by,
    )  # fmt: skip
    rows = []
    for name, outcome in outcomes.items():
        rows.append(
            ModeRow(
                name,
                outcome.pipeline.text,
                config.before.get(name),
                latency_of(outcome.milliseconds),
                dict(Counter(f"{failure.stage}: {failure.kind}" for failure in outcome.failures)),
                ceiling_of(outcome, judged, qrels, config.measures[0]),
                rescue_of(outcome, qrels, FIRST_PAGE),
                {found.step.name: dict(found.identity) for found in outcome.steps},
            )
        )
    best = {measure: leader(comparison, measure) for measure in config.measures}
    return Benchmark(config, tuple(rows), comparison, best, dataset_hash, len(queries), documents), outcomes


def leader(comparison: Comparison, measure: str) -> str | None:
    """The mode that is shown to be better than every other; None where chance cannot be ruled out for one of them."""
    wins: Mapping[str, set[str]] = {system: set() for system in comparison.systems}
    for contrast in comparison.contrasts:
        if contrast.measure == measure and contrast.segment == ALL_QUERIES:
            if contrast.direction == "better":
                wins[contrast.candidate].add(contrast.baseline)
            elif contrast.direction == "worse":
                wins[contrast.baseline].add(contrast.candidate)
    ahead = [system for system, beaten in wins.items() if len(beaten) == len(comparison.systems) - 1]
    return ahead[0] if ahead else None


def _baseline_first(config: BenchmarkConfig) -> list[str]:
    return [config.baseline, *(name for name in config.modes if name != config.baseline)]
