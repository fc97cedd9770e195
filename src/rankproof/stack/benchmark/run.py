"""Benchmark: every mode run, measured and compared with every other, with what each stage bought.

Every stage has to earn its place: one goes from the baseline to the first mode that is shown to be better than the one
held, and on from there, until no mode is shown to be better. A mode with a higher mean whose lead may be chance is not
gone to: it costs more and what it buys is not known. A mode that is shown to be better has the better mean too, so the
way ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

from rankproof.errors import InputError
from rankproof.measuring.evaluate import measure_run
from rankproof.measuring.grade_shares import grade_shares
from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.names import parse
from rankproof.measuring.prepare import PreparedQrels, PreparedRun, join_run, prepare_qrels
from rankproof.measuring.records import DEFAULT_SETTINGS
from rankproof.proving.compare import compare_evaluations, compare_runs
from rankproof.proving.movement import rankings_later
from rankproof.proving.per_unit import warnings_of_evaluations
from rankproof.proving.records import ALL_QUERIES, Comparison, Design, Family
from rankproof.reading.collection import Corpus, Query
from rankproof.reading.records import Qrels
from rankproof.stack.asking.limits import Limits
from rankproof.stack.benchmark.failed import NO_ANSWER, answered_only, failed_of, left_in, without_stand_ins
from rankproof.stack.benchmark.inside import ceiling_of, reach_of, rescue_of
from rankproof.stack.benchmark.kept import kept_of, probe_warnings
from rankproof.stack.benchmark.latency import time_modes
from rankproof.stack.benchmark.prices import LATENCY, Amount, amounts_of
from rankproof.stack.benchmark.records import (
    Advice,
    Benchmark,
    BenchmarkConfig,
    ModeComparison,
    ModeRow,
    ModeSummary,
)
from rankproof.stack.benchmark.reranks import check_reranks, unbroken, warnings_of
from rankproof.stack.benchmark.targets import decide_targets, unmet
from rankproof.stack.benchmark.time_sections import indexes_of
from rankproof.stack.benchmark.times import NOT_TIMED, Latency, ModeTimes
from rankproof.stack.benchmark.withheld import left_out_sentence, withhold
from rankproof.stack.pipeline import Runner
from rankproof.stack.records import ModeOutcome


def unbeaten(gains: Mapping[str, float], prices: Mapping[str, float]) -> tuple[str, ...]:
    """Of the modes that have a price, those that no other one beats, cheapest first; more gain is better.

    >>> unbeaten({"a": 0.5, "b": 0.6, "c": 0.55}, {"a": 1.0, "b": 2.0, "c": 3.0})
    ('a', 'b')
    """
    priced = {name: (gains[name], -prices[name]) for name in prices if gains[name] == gains[name]}
    left = [
        name
        for name, own in priced.items()
        if not any(other[0] >= own[0] and other[1] >= own[1] and other != own for other in priced.values())
    ]
    return tuple(sorted(left, key=lambda name: (prices[name], name)))


def unanswered(mode: ModeOutcome) -> set[str]:
    """The queries without an answer. A stage that failed is another matter: the incoming order stood in."""
    return {failure.query_id for failure in mode.failures if failure.fallback == NO_ANSWER}


def refuse_silence(mode: ModeOutcome) -> None:
    """InputError where no query at all has an answer, or a document: its numbers would be those of nothing."""
    if mode.query_ids and len(unanswered(mode)) == len(mode.query_ids):
        first = next(failure for failure in mode.failures if failure.fallback == NO_ANSWER)
        raise InputError(
            f"{mode.name}: no query has an answer, so nothing is written. "
            f"{first.query_id}: {first.kind}: {first.message}"
        )
    if mode.query_ids and not any(len(ranking.doc_ids) for ranking in mode.rankings):
        raise InputError(
            f"{mode.name}: all {len(mode.query_ids):,} queries have an empty answer, so nothing is written. Check the "
            "index, the names of fields and where hits are in the answer: `rankproof search` asks one query."
        )


def advise(benchmark: Benchmark) -> Advice:
    """What to ship by the first measure; nothing where failed queries leave it open."""
    measure = benchmark.config.measures[0]
    checks = {row.mode: row.rerank for row in benchmark.rows if row.rerank is not None}
    modes = [row.mode for row in benchmark.rows if unbroken(row.mode, checks) == row.mode]
    if benchmark.open_since or len(benchmark.rows) == 1:
        return _advice(benchmark, measure, (), modes)
    start = unbroken(benchmark.config.baseline, checks)
    return _advice(benchmark, measure, shipping_path(start, modes, partial(benchmark.held, measure)), modes)


def shipping_path(start: str, modes: Collection[str], held: Callable[[str, str], ModeComparison]) -> tuple[str, ...]:
    """From one significantly better mode to the next, as far as there is one; `held` holds a mode against another."""
    path = [start]
    while True:
        others = (mode for mode in modes if mode != path[-1])
        first = next((mode for mode in others if held(mode, path[-1]).shown == "better"), None)
        if first is None:
            return tuple(path)
        path.append(first)


def _advice(benchmark: Benchmark, measure: str, path: Sequence[str], modes: Collection[str]) -> Advice:
    return Advice(
        measure,
        path[-1] if path else None,
        tuple(path),
        tuple(_summary(benchmark, row, measure) for row in benchmark.rows),
        {row.mode: row.latency.p50 for row in benchmark.rows if row.latency.p50 is not None},
        benchmark.failed,
        tuple(row.mode for row in benchmark.rows if row.mode not in modes),
        benchmark.config.left_out,
        unmet(benchmark.targets, path[-1]) if path else "",
    )


def _summary(benchmark: Benchmark, row: ModeRow, measure: str) -> ModeSummary:
    (mean,) = (e[measure].mean for e in benchmark.comparison.evaluations if e.run_name == row.mode)
    base = benchmark.config.baseline
    others = row.inputs or ((base,) if row.mode != base else ())
    comparisons = tuple(benchmark.held(measure, row.mode, other) for other in others)
    return ModeSummary(row.mode, mean, comparisons, sum(row.failures.values()))


UNTIMED = Latency(0, why=NOT_TIMED)
# Where heads of rankings are looked at: what a person sees on a first page.
FIRST_PAGE = 10


def benchmark(
    config: BenchmarkConfig, queries: Sequence[Query], qrels: Qrels, runner: Runner, dataset_hash: str, documents: int
) -> tuple[Benchmark, dict[str, ModeOutcome]]:
    """All modes on the same queries: the report, and what every mode gave. A failed query has an empty ranking."""
    runner.open(list(config.modes.values()))
    outcomes = {name: without_stand_ins(runner.run(name, pipeline)) for name, pipeline in config.modes.items()}
    for outcome in outcomes.values():
        refuse_silence(outcome)
    limits = Limits(**config.limits)
    times = time_modes(runner, outcomes, config.timing, limits, config.design.seed, config.design.confidence)
    corpus = runner.ground.corpus
    report = measured(config, queries, qrels, outcomes, dataset_hash, documents, corpus, times)
    return replace(report, indexes=indexes_of(runner, outcomes)), outcomes


def measured(
    config: BenchmarkConfig,
    queries: Sequence[Query],
    qrels: Qrels,
    outcomes: Mapping[str, ModeOutcome],
    dataset_hash: str,
    documents: int,
    corpus: Corpus | None = None,
    times: Mapping[str, ModeTimes] | None = None,
) -> Benchmark:
    """The report on what every mode gave, now or earlier; tokens are counted in the texts of the corpus.

    `times` were taken in a pass of their own; a mode that is not among them was not timed.
    """
    asked = len(queries)
    kept = kept_of(outcomes)
    outcomes = {name: without_stand_ins(outcome) for name, outcome in outcomes.items()}
    whole, whole_qrels = outcomes, qrels
    failed = failed_of(outcomes, qrels, config.measures, config.failed)
    qrels = left_in(qrels, failed)
    outcomes = {name: answered_only(outcome, failed) for name, outcome in outcomes.items()}
    still = {query for outcome in outcomes.values() for query in outcome.query_ids}
    queries = [query for query in queries if query.query_id in still]
    judged = prepare_qrels(qrels)
    runs = {name: join_run(judged, outcomes[name].as_run(), name=name) for name in _baseline_first(config)}
    topics = {query.query_id: query.text for query in queries}
    comparison = _compared(config, runs, topics)
    checks = check_reranks(config.reranks, outcomes, {name: unanswered(mode) for name, mode in outcomes.items()})
    partly = left_out_sentence(len(outcomes), config.left_out)
    first = (partly, "" if failed is None else failed.sentence, *warnings_of(checks), *probe_warnings(kept))
    comparison = replace(
        comparison,
        grade_shares=grade_shares(runs, depth=FIRST_PAGE),
        warnings=(*filter(None, first), *comparison.warnings),
    )
    by_segment = _by_segment(config, comparison, queries)
    open_ = bool(partly) or (failed is not None and failed.undecided)
    broken = [name for name, check in checks.items() if check.verdict == "broken"]
    sound = [name for name in runs if name not in broken]
    comparison = withhold(comparison, open_, broken)
    amounts = amounts_of(list(outcomes.values()), corpus, config.view)
    taken = times or {}
    rows = tuple(
        replace(
            _row(config, outcome, judged, qrels),
            amounts=amounts.get(name),
            latency=taken[name].latency if name in taken else UNTIMED,
            rerank=checks.get(name),
            throughput=taken[name].throughput if name in taken else None,
        )
        for name, outcome in outcomes.items()
    )
    report = Benchmark(
        config,
        rows,
        comparison,
        {measure: None if open_ else leader(comparison, measure, sound) for measure in config.measures},
        dataset_hash,
        asked,
        documents,
        None if by_segment is None else withhold(by_segment, open_, broken),
        {} if open_ else _unbeaten(config, [row for row in rows if not row.broken], comparison),
        failed=failed,
        kept=kept,
        targets=decide_targets(
            config.targets,
            whole,
            whole_qrels,
            config.failed,
            {row.mode: row.latency for row in rows},
            broken,
            config.design.confidence,
        ),
    )
    return replace(report, advice=advise(report))


def _compared(config: BenchmarkConfig, runs: Mapping[str, PreparedRun], topics: Mapping[str, str]) -> Comparison:
    variants = parse(list(config.measures))
    if len(runs) == 1:
        ((name, run),) = runs.items()
        return measured_alone(name, run, variants, config.design, topics)
    return compare_runs(runs, variants, DEFAULT_SETTINGS, config.design, topics=topics, rankings=True)


def measured_alone(
    name: str, run: PreparedRun, variants: tuple[Variant, ...], design: Design, topics: Mapping[str, str]
) -> Comparison:
    """A comparison without contrasts: the evaluation of one mode in the place where several would stand."""
    evaluation = replace(measure_run(run, variants, DEFAULT_SETTINGS), run_name=name)
    measures = tuple(text for text, result in evaluation.results.items() if result.labels is None)
    results = [evaluation.results[text] for text in measures]
    query_ids = tuple(dict.fromkeys(query for r in results for query in (*r.query_ids, *r.undefined)))
    return Comparison(
        systems=(name,),
        measures=measures,
        contrasts=(),
        evaluations=(evaluation,),
        family=Family(1, 0, len(measures), 1, 0),
        significance=design.significance,
        correction="none",
        level=design.confidence,
        seed=design.seed,
        query_ids=query_ids,
        topics={query: topics[query] for query in query_ids if query in topics},
        warnings=tuple(warnings_of_evaluations((evaluation,))),
        rankings=rankings_later({name: run}, variants, DEFAULT_SETTINGS, query_ids),
    )


def leader(comparison: Comparison, measure: str, among: Collection[str] | None = None) -> str | None:
    """The mode that is shown to be better than every other; None where chance cannot be ruled out for one of them.

    among   the modes that count; all of them by default
    """
    systems = comparison.systems if among is None else among
    wins: Mapping[str, set[str]] = {system: set() for system in systems}
    for contrast in comparison.contrasts:
        if {contrast.candidate, contrast.baseline} - wins.keys():
            continue
        if contrast.measure == measure and contrast.segment == ALL_QUERIES:
            if contrast.direction == "better":
                wins[contrast.candidate].add(contrast.baseline)
            elif contrast.direction == "worse":
                wins[contrast.baseline].add(contrast.candidate)
    ahead = [system for system, beaten in wins.items() if len(beaten) == len(wins) - 1 > 0]
    return ahead[0] if ahead else None


def _row(config: BenchmarkConfig, outcome: ModeOutcome, judged: PreparedQrels, qrels: Qrels) -> ModeRow:
    name, measure = outcome.name, config.measures[0]
    others = {step.key: other for other, step in config.modes.items() if other != name}
    failures = [(f"{failure.stage}: {failure.kind}", failure) for failure in outcome.failures]
    examples: dict[str, str] = {}
    cost = Amount(None) if config.prices is None else config.prices.of(outcome)
    for kind, failure in failures:
        examples.setdefault(kind, f"query {failure.query_id}: {failure.message}; instead: {failure.fallback}")
    return ModeRow(
        name,
        outcome.pipeline.text,
        config.before.get(name),
        UNTIMED,
        dict(Counter(kind for kind, _ in failures)),
        ceiling_of(outcome, judged, qrels, measure, FIRST_PAGE, others),
        rescue_of(outcome, qrels, FIRST_PAGE, others, others),
        outcome.by_step("identity"),
        config.inputs.get(name, ()),
        examples,
        cost.mean,
        reach_of(outcome, judged, qrels, measure),
        {step: notes for step, notes in outcome.by_step("notes").items() if notes},
        unpriced=cost.why,
    )


def _by_segment(config: BenchmarkConfig, comparison: Comparison, queries: Sequence[Query]) -> Comparison | None:
    """Segments are a question of their own: their many tests do not blunt those over all queries."""
    if not config.by or len(config.modes) == 1:
        return None
    columns = {query.query_id: dict(query.columns) for query in queries}
    by_segment = compare_evaluations(comparison.evaluations, config.design, queries=columns, by=config.by)
    return replace(by_segment, topics=comparison.topics)


def _unbeaten(config: BenchmarkConfig, rows: Sequence[ModeRow], comparison: Comparison) -> dict[str, tuple[str, ...]]:
    """By each price that quality is looked at, where two modes or more have it."""
    measure = config.measures[0]
    results = {evaluation.run_name: evaluation[measure] for evaluation in comparison.evaluations}
    gains = {name: -result.mean if result.better == "lower" else result.mean for name, result in results.items()}
    names = ("time" if name == LATENCY else name for name in (*config.view.names, "cost"))
    by_price = {what: {row.mode: p for row in rows if (p := row.price(what)) is not None} for what in names}
    return {what: unbeaten(gains, prices) for what, prices in by_price.items() if len(prices) > 1}


def _baseline_first(config: BenchmarkConfig) -> list[str]:
    return [config.baseline, *(name for name in config.modes if name != config.baseline)]
