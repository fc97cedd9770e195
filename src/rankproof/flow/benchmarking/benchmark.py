"""Benchmark: every mode run, measured and compared with every other, with what each stage bought."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rankproof.errors import UsageError
from rankproof.flow.benchmarking.advice import advise
from rankproof.flow.benchmarking.ceilings import ceiling_of, reach_of
from rankproof.flow.benchmarking.frontier import unbeaten
from rankproof.flow.benchmarking.latency import latency_of
from rankproof.flow.benchmarking.rescues import rescue_of
from rankproof.flow.benchmarking.unanswered import refuse_silence, warning_of
from rankproof.flow.compare import compare_evaluations, compare_runs
from rankproof.flow.gradeshares import grade_shares
from rankproof.flow.joining import join_run, prepare_qrels
from rankproof.flow.pipelines.running import Runner
from rankproof.flow.prepared import PreparedQrels
from rankproof.measures._text import parse
from rankproof.records.benchmark import Benchmark, BenchmarkConfig, ModeRow
from rankproof.records.collection import Query
from rankproof.records.comparison import ALL_QUERIES, Comparison
from rankproof.records.outcome import ModeOutcome
from rankproof.records.qrels import Qrels
from rankproof.records.settings import DEFAULT_SETTINGS

# Where heads of rankings are looked at: what a person sees on a first page.
FIRST_PAGE = 10


def benchmark(
    config: BenchmarkConfig, queries: Sequence[Query], qrels: Qrels, runner: Runner, dataset_hash: str, documents: int
) -> tuple[Benchmark, dict[str, ModeOutcome]]:
    """All modes on the same queries: the report, and what every mode gave."""
    refuse_alone(config)
    runner.open(list(config.modes.values()))
    outcomes = {name: runner.run(name, pipeline) for name, pipeline in config.modes.items()}
    for outcome in outcomes.values():
        refuse_silence(outcome)
    judged = prepare_qrels(qrels)
    runs = {name: join_run(judged, outcomes[name].as_run(), name=name) for name in _baseline_first(config)}
    comparison = compare_runs(
        runs, parse(list(config.measures)), DEFAULT_SETTINGS, config.design,
        topics={query.query_id: query.text for query in queries},
    )  # fmt: skip
    missing = [warning for outcome in outcomes.values() if (warning := warning_of(outcome))]
    comparison = replace(
        comparison,
        grade_shares=grade_shares(runs, depth=FIRST_PAGE),
        warnings=(*missing, *comparison.warnings),
    )
    rows = tuple(_row(config, outcome, judged, qrels) for outcome in outcomes.values())
    found = Benchmark(
        config,
        rows,
        comparison,
        {measure: leader(comparison, measure) for measure in config.measures},
        dataset_hash,
        len(queries),
        documents,
        _by_segment(config, comparison, queries),
        _unbeaten(rows, comparison, config.measures[0]),
    )
    return replace(found, advice=advise(found)), outcomes


def refuse_alone(config: BenchmarkConfig) -> None:
    """An error where there is nothing to compare; asked before the work."""
    if len(config.modes) < 2:
        raise UsageError(
            f"A benchmark compares modes, and there is only {next(iter(config.modes))!r} here. Add a second line to "
            "[modes], or use `rankproof runs fetch` and `rankproof evaluate` for one alone."
        )


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


def _row(config: BenchmarkConfig, outcome: ModeOutcome, judged: PreparedQrels, qrels: Qrels) -> ModeRow:
    name, measure = outcome.name, config.measures[0]
    others = {step.key: other for other, step in config.modes.items() if other != name}
    failures = [(f"{failure.stage}: {failure.kind}", failure) for failure in outcome.failures]
    examples: dict[str, str] = {}
    for kind, failure in failures:
        examples.setdefault(kind, f"query {failure.query_id}: {failure.message}; instead: {failure.fallback}")
    return ModeRow(
        name,
        outcome.pipeline.text,
        config.before.get(name),
        latency_of(outcome.milliseconds),
        dict(Counter(kind for kind, _ in failures)),
        ceiling_of(outcome, judged, qrels, measure, FIRST_PAGE, others),
        rescue_of(outcome, qrels, FIRST_PAGE, others, others),
        outcome.by_step("identity"),
        config.inputs.get(name, ()),
        examples,
        None if config.prices is None else config.prices.of(name, outcome.pipeline),
        reach_of(outcome, judged, qrels, measure),
        {step: notes for step, notes in outcome.by_step("notes").items() if notes},
    )


def _by_segment(config: BenchmarkConfig, comparison: Comparison, queries: Sequence[Query]) -> Comparison | None:
    """Segments are a question of their own: their many tests do not blunt those over all queries."""
    if not config.by:
        return None
    columns = {query.query_id: dict(query.columns) for query in queries}
    found = compare_evaluations(comparison.evaluations, config.design, queries=columns, by=config.by)
    return replace(found, topics=comparison.topics)


def _unbeaten(rows: Sequence[ModeRow], comparison: Comparison, measure: str) -> dict[str, tuple[str, ...]]:
    results = {evaluation.run_name: evaluation[measure] for evaluation in comparison.evaluations}
    gains = {name: -found.mean if found.better == "lower" else found.mean for name, found in results.items()}
    times = {row.mode: row.latency.p50 for row in rows if row.latency.p50 is not None}
    costs = {row.mode: row.cost for row in rows if row.cost is not None}
    return {what: unbeaten(gains, prices) for what, prices in (("time", times), ("cost", costs)) if len(prices) > 1}


def _baseline_first(config: BenchmarkConfig) -> list[str]:
    return [config.baseline, *(name for name in config.modes if name != config.baseline)]
