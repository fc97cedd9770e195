"""Benchmark: every mode run, measured and compared with every other, with what each stage bought.

Every stage has to earn its place: one goes from the baseline to the first mode that is shown to be better than the one
held, and on from there, until no mode is shown to be better. A mode with a higher mean whose lead may be chance is not
gone to: it costs more and what it buys is not known. A mode that is shown to be better has the better mean too, so the
way ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from rankproof.errors import InputError, UsageError
from rankproof.kernel import shelf
from rankproof.measuring.evaluate import measure_run
from rankproof.measuring.grade_shares import grade_shares
from rankproof.measuring.names import parse
from rankproof.measuring.prepare import PreparedQrels, join_run, prepare_qrels
from rankproof.measuring.records import DEFAULT_SETTINGS, Result
from rankproof.proving.compare import compare_evaluations, compare_runs
from rankproof.proving.records import ALL_QUERIES, Comparison
from rankproof.reading.collection import Corpus, Query
from rankproof.reading.ranking import Ranking
from rankproof.reading.records import Qrels
from rankproof.stack.asking.limits import Limits
from rankproof.stack.benchmark.failed import NO_ANSWER, answered_only, failed_of, left_in, without_stand_ins
from rankproof.stack.benchmark.latency import time_modes
from rankproof.stack.benchmark.prices import LATENCY, Amount, amounts_of
from rankproof.stack.benchmark.records import (
    Advice,
    Benchmark,
    BenchmarkConfig,
    Ceiling,
    ModeComparison,
    ModeRow,
    ModeSummary,
    Reach,
    Rescue,
)
from rankproof.stack.benchmark.reranks import check_reranks, unbroken, warnings_of
from rankproof.stack.benchmark.times import NOT_TIMED, Latency, ModeTimes
from rankproof.stack.pipeline import Runner
from rankproof.stack.records import ModeOutcome, StepOutcome


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
    """InputError where no query at all has an answer: its numbers would be those of nothing."""
    if mode.query_ids and len(unanswered(mode)) == len(mode.query_ids):
        first = next(failure for failure in mode.failures if failure.fallback == NO_ANSWER)
        raise InputError(
            f"{mode.name}: no query has an answer, so nothing is written. "
            f"{first.query_id}: {first.kind}: {first.message}"
        )


def own_steps(mode: ModeOutcome, others: Collection[str]) -> Iterator[StepOutcome]:
    """From the last step back, up to a fusion, an engine, or a step that is another mode; `others` are their keys.

    A step that gives other ids is the last one: what flowed into it was not judged.
    """
    by_key = {outcome.step.key: outcome for outcome in mode.steps}
    step = mode.pipeline
    while True:
        yield by_key[step.key]
        if step.shelf == "engines" or step.fuses or step.inputs[0].key in others:
            return
        if shelf.find("stages", step.name).keeps == "other":
            return
        step = step.inputs[0]


def rerank_depth(outcome: StepOutcome) -> int | None:
    """How many of the first a rerank reorders; None for a step that is no rerank to a depth."""
    if outcome.step.shelf != "stages":
        return None
    stage = shelf.find("stages", outcome.step.name)
    if stage.keeps != "set" or stage.depth is None:
        return None
    return int(outcome.step.values[stage.depth])


Orders = dict[str, list[str]]


def reach_of(mode: ModeOutcome, judged: PreparedQrels, grades: Qrels, measure: str) -> Reach:
    """What the mode hands on."""
    orders = _orders(mode, mode.rankings)
    most = max((len(docs) for docs in orders.values()), default=0)
    best = {query: _best(docs, len(docs), grades.get(query, {})) for query, docs in orders.items()}
    return Reach(
        documents=sum(len(docs) for docs in orders.values()) / max(len(orders), 1),
        recall=_result(judged, orders, f"R@{max(most, 1)}").mean,
        best=_result(judged, best, measure).mean,
    )


def ceiling_of(
    mode: ModeOutcome, judged: PreparedQrels, grades: Qrels, measure: str, k: int, others: Collection[str] = ()
) -> Ceiling | None:
    """The ceiling of the mode's own last rerank to a depth; None where it has none."""
    reranks = ((outcome, rerank_depth(outcome)) for outcome in own_steps(mode, others))
    last, depth = next(((outcome, depth) for outcome, depth in reranks if depth is not None), (None, None))
    if last is None or depth is None:
        return None
    (before,) = (outcome for outcome in mode.steps if outcome.step.key == last.step.inputs[0].key)
    incoming, reranked = _orders(mode, before.rankings), _orders(mode, last.rankings)
    best = {query: _best(docs, depth, grades.get(query, {})) for query, docs in incoming.items()}
    was, now = (_result(judged, _cut(orders, mode.depth), measure) for orders in (incoming, reranked))
    sign = -1 if was.better == "lower" else 1
    gains = [sign * (now.by_query[query] - was.by_query[query]) for query in was.by_query if query in now.by_query]
    moved = [_moved(incoming[query][:k], reranked[query][:k], grades.get(query, {})) for query in incoming]
    return Ceiling(
        measure,
        depth,
        recall=_result(judged, incoming, f"R@{depth}").mean,
        before=was.mean,
        after=now.mean,
        best=_result(judged, _cut(best, mode.depth), measure).mean,
        wins=sum(gain > 0 for gain in gains),
        same=sum(gain == 0 for gain in gains),
        losses=sum(gain < 0 for gain in gains),
        k=k,
        entered=sum(entered for entered, _ in moved),
        left=sum(left for _, left in moved),
    )


def _result(judged: PreparedQrels, orders: Orders, text: str) -> Result:
    return measure_run(join_run(judged, orders), parse(text), DEFAULT_SETTINGS)[text]


def _orders(mode: ModeOutcome, rankings: Sequence[Ranking]) -> Orders:
    return {query: list(ranking.doc_ids) for query, ranking in zip(mode.query_ids, rankings, strict=True)}


def _cut(orders: Orders, depth: int) -> Orders:
    """As deep as modes are measured."""
    return {query: docs[:depth] for query, docs in orders.items()}


def _best(docs: list[str], depth: int, grades: Mapping[str, int]) -> list[str]:
    """The first `depth` by grade; unjudged ones count as not relevant."""
    return [*sorted(docs[:depth], key=lambda doc: -grades.get(doc, 0)), *docs[depth:]]


def _moved(before: list[str], after: list[str], grades: Mapping[str, int]) -> tuple[int, int]:
    """How many relevant documents came into the head, and how many left it."""
    relevant = {doc for doc, grade in grades.items() if grade > 0}
    return len(relevant & set(after) - set(before)), len(relevant & set(before) - set(after))


def rescue_of(
    mode: ModeOutcome, grades: Qrels, k: int, names: Mapping[str, str] | None = None, others: Collection[str] = ()
) -> Rescue | None:
    """Of the fusion among the mode's own steps; None where there is none. `names` are of modes, by key."""
    fusion = next((own for own in own_steps(mode, others) if own.step.fuses), None)
    if fusion is None:
        return None
    by_key = {outcome.step.key: outcome for outcome in mode.steps}
    named = names or {}
    heads = {named.get(step.key, step.text): _heads(by_key[step.key], k) for step in fusion.step.inputs}
    fused = _heads(fusion, k)
    rescued, lost = dict.fromkeys(heads, 0), dict.fromkeys(heads, 0)
    relevant = dropped = new = 0
    for at, query in enumerate(mode.query_ids):
        good = {doc for doc, grade in grades.get(query, {}).items() if grade > 0}
        fused_relevant = good & fused[at]
        before = good & set().union(*(head[at] for head in heads.values()))
        for name, head in heads.items():
            rescued[name] += len(fused_relevant - head[at])
            lost[name] += len(good & head[at] - fused_relevant)
        relevant += len(fused_relevant)
        dropped += len(before - fused_relevant)
        new += len(fused_relevant - before)
    return Rescue(k, relevant, rescued, lost, dropped, new)


def _heads(outcome: StepOutcome, k: int) -> list[set[str]]:
    return [set(ranking.doc_ids[:k]) for ranking in outcome.rankings]


def advise(benchmark: Benchmark) -> Advice:
    """What to ship by the first measure; nothing where failed queries leave it open."""
    measure, failed = benchmark.config.measures[0], benchmark.failed
    checks = {row.mode: row.rerank for row in benchmark.rows if row.rerank is not None}
    modes = [row.mode for row in benchmark.rows if unbroken(row.mode, checks) == row.mode]
    if failed is not None and failed.undecided:
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
    refuse_alone(config)
    runner.open(list(config.modes.values()))
    outcomes = {name: without_stand_ins(runner.run(name, pipeline)) for name, pipeline in config.modes.items()}
    for outcome in outcomes.values():
        refuse_silence(outcome)
    limits = Limits(**config.limits)
    times = time_modes(runner, outcomes, config.timing, limits, config.design.seed, config.design.confidence)
    corpus = runner.ground.corpus
    return measured(config, queries, qrels, outcomes, dataset_hash, documents, corpus, times), outcomes


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
    outcomes = {name: without_stand_ins(outcome) for name, outcome in outcomes.items()}
    failed = failed_of(outcomes, qrels, config.measures, config.failed)
    qrels = left_in(qrels, failed)
    outcomes = {name: answered_only(outcome, failed) for name, outcome in outcomes.items()}
    still = {query for outcome in outcomes.values() for query in outcome.query_ids}
    queries = [query for query in queries if query.query_id in still]
    judged = prepare_qrels(qrels)
    runs = {name: join_run(judged, outcomes[name].as_run(), name=name) for name in _baseline_first(config)}
    comparison = compare_runs(
        runs, parse(list(config.measures)), DEFAULT_SETTINGS, config.design,
        topics={query.query_id: query.text for query in queries}, rankings=True,
    )  # fmt: skip
    checks = check_reranks(config.reranks, outcomes, {name: unanswered(mode) for name, mode in outcomes.items()})
    comparison = replace(
        comparison,
        grade_shares=grade_shares(runs, depth=FIRST_PAGE),
        warnings=(*([] if failed is None else [failed.sentence]), *warnings_of(checks), *comparison.warnings),
    )
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
    open_ = failed is not None and failed.undecided
    report = Benchmark(
        config,
        rows,
        comparison,
        {measure: None if open_ else leader(comparison, measure) for measure in config.measures},
        dataset_hash,
        asked,
        documents,
        _by_segment(config, comparison, queries),
        {} if open_ else _unbeaten(config, rows, comparison),
        failed=failed,
    )
    return replace(report, advice=advise(report))


def refuse_alone(config: BenchmarkConfig) -> None:
    """UsageError where there is nothing to compare; called before anything runs."""
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
    if not config.by:
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
