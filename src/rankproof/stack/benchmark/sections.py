"""A benchmark as sections: the modes, what each stage buys, what happens inside, what users get, and the advice."""

from __future__ import annotations

from collections.abc import Iterator

from rankproof.kernel.sections import (
    Section,
    confidence_interval,
    counted,
    interval,
    number,
    p_phrase,
    p_text,
    signed,
    verdict_word,
)
from rankproof.measuring.grade_shares import UNJUDGED
from rankproof.proving.records import Comparison
from rankproof.proving.sections import comparison_sections
from rankproof.stack.benchmark.failed import named
from rankproof.stack.benchmark.records import Advice, Benchmark, ModeComparison, ModeRow, ModeSummary
from rankproof.stack.benchmark.time_sections import TIMES, latencies, throughputs, untimed
from rankproof.stack.benchmark.times import Latency
from rankproof.stack.benchmark.worth import TOKENS_PAID, WORTH, listed, price_columns, worth


def ceilings(benchmark: Benchmark) -> Section:
    """What each rerank won and lost, and could have won."""
    rows = [
        ("mode", "reranks", "recall there", "before", "after", "at best", "won of possible", "won/same/lost", "in/out"),
    ]
    reranks = [(row.mode, row.ceiling) for row in benchmark.rows if row.ceiling is not None]
    for mode, c in reranks:
        queries = f"{c.wins}/{c.same}/{c.losses}"
        rows.append(
            (mode, f"first {c.depth}", f"{c.recall:.1%}", number(c.before), number(c.after), number(c.best),
             "nothing to win" if c.won is None else f"{round(100 * c.won)}%", queries, f"{c.entered}/{c.left}")
        )  # fmt: skip
    if not reranks:
        return Section("")
    _, first = reranks[0]
    lines = (
        f"{first.measure}; at best: the same documents in the best order; recall there: the share of the relevant "
        f"documents among those that it reranks; won/same/lost: queries; in/out: relevant documents moved into the "
        f"first {first.k} and out of them, all queries together.",
    )
    return Section("What a rerank won, lost and could have won", lines, tuple(rows), folded=True)


def reaches(benchmark: Benchmark) -> Section:
    """What a stage after each mode could reach at best."""
    measure = benchmark.config.measures[0]
    reachable = [(row.mode, row.reach) for row in benchmark.rows if row.reach is not None]
    values = {e.run_name: e[measure].mean for e in benchmark.comparison.evaluations}
    rows = [("mode", "documents a query", "recall", measure, "at best")]
    rows += [
        (mode, f"{r.documents:.1f}", f"{r.recall:.1%}", number(values[mode]), number(r.best)) for mode, r in reachable
    ]
    if not reachable:
        return Section("")
    lines = (
        "Recall: the share of the relevant documents among those that a mode gives, which no stage after it can raise; "
        "at best: with them in the best order.",
    )
    return Section("Ceiling of each mode", lines, tuple(rows), folded=True)


def fusions(benchmark: Benchmark) -> Section:
    """Relevant documents in the head of each fusion and of its inputs."""
    rescues = [(row.mode, row.rescue) for row in benchmark.rows if row.rescue is not None]
    rows = [("mode", "input", "input has", "brought", "dropped", "fusion has", "change")]
    lines = []
    for mode, r in rescues:
        for name, brought in r.rescued.items():
            lost = r.lost[name]
            before = r.relevant - brought + lost
            change = f"{brought - lost:+d}" if brought != lost else "0"
            rows.append((mode, name, str(before), str(brought), str(lost), str(r.relevant), change))
        lines.append(
            f"{mode}: {r.new} of its {r.relevant} were in no input's first {r.k}; {r.dropped} that some input had "
            "there are gone."
        )
    if not rescues:
        return Section("")
    k = rescues[0][1].k
    return Section(f"Relevant documents that a fusion brought into the first {k}", tuple(lines), tuple(rows), 2, True)


def notes(benchmark: Benchmark) -> tuple[str, ...]:
    """What steps say of their answers, and which modes they are in."""
    modes: dict[str, list[str]] = {}
    for row in benchmark.rows:
        for step, notes_of_step in row.notes.items():
            for name, text in notes_of_step.items():
                modes.setdefault(f"{step}: {name}: {text}", []).append(row.mode)
    return tuple(f"{note} (in {', '.join(names)})" for note, names in modes.items())


def failures(benchmark: Benchmark) -> tuple[tuple[str, ...], ...]:
    """How many of each kind, and the first of them in words."""
    return tuple(
        (f"{row.mode}: {count} x {kind}", *([row.examples[kind]] if kind in row.examples else []))
        for row in benchmark.rows
        for kind, count in row.failures.items()
    )


# A grade of which no mode has as much is left out; that nothing is unjudged is worth saying.
LEAST_SHARE = 0.0005
SIGNS = {"better": "+", "worse": "-", "not shown": " "}


def grades(benchmark: Benchmark) -> Section:
    """Shares of each grade in the first documents, unjudged ones apart."""
    shares = benchmark.comparison.grade_shares
    if shares is None:
        return Section("")
    used = [
        i
        for i, part in enumerate(shares.parts)
        if part == UNJUDGED or any(row[i] >= LEAST_SHARE for row in shares.shares)
    ]
    parts = [part if isinstance(part, str) else f"grade {part}" for part in shares.parts]
    by_mode = dict(zip(shares.systems, shares.shares, strict=True))
    rows = [("mode", *(parts[i] for i in used))]
    rows += [(row.mode, *(f"{by_mode[row.mode][i]:.1%}" for i in used)) for row in benchmark.rows]
    return Section(f"Grades in the first {shares.depth}", (), tuple(rows), folded=True)


def segments(benchmark: Benchmark) -> Section:
    """The mean of the first measure by segment and mode, and where a difference from the baseline is significant."""
    by_segment = benchmark.by_segment
    if by_segment is None:
        return Section("")
    measure, base = benchmark.config.measures[0], benchmark.config.baseline
    modes = [row.mode for row in benchmark.rows]
    rows = [("queries", "n", *modes)]
    marks: set[str] = set()
    for segment, queries in by_segment.segments.items():
        means, directions = _segment(by_segment, measure, segment, base)
        directions = {} if benchmark.undecided else directions
        marks |= set(directions.values())
        cells = [number(means[mode]) + SIGNS[directions.get(mode, "not shown")] for mode in modes]
        rows.append((segment, str(len(queries)), *cells))
    after = f"after the correction over {by_segment.family.counts}"
    if benchmark.undecided:
        line = f"Which segments differ from {base} is undecided: queries failed. Means are over those answered."
    elif marks <= {"not shown"}:
        line = f"No segment differs significantly from {base}, {after}."
    else:
        line = f"+ significantly better, - significantly worse than {base}, {after}."
    if marks <= {"not shown"}:
        rows = [tuple(cell.rstrip() for cell in row) for row in rows]
    return Section(f"{measure} by segment", (line,), tuple(rows))


def _segment(
    comparison: Comparison, measure: str, segment: str, baseline: str
) -> tuple[dict[str, float], dict[str, str]]:
    """Means by mode, and the directions of the differences from the baseline."""
    means: dict[str, float] = {}
    directions: dict[str, str] = {}
    for contrast in comparison.contrasts:
        if contrast.measure == measure and contrast.segment == segment:
            means[contrast.baseline], means[contrast.candidate] = contrast.baseline_mean, contrast.candidate_mean
            if contrast.baseline == baseline:
                directions[contrast.candidate] = contrast.direction
    return means, directions


def stages(benchmark: Benchmark, measure: str, folded: bool = False) -> Section:
    """A line for each difference somebody asks about; what decides is the corrected p."""
    comparison = benchmark.comparison
    corrected = comparison.correction != "none"
    p = f"p ({comparison.correction})" if corrected else "p"
    level = "adjusted CI" if corrected else confidence_interval(comparison.level, short=True)
    rows: list[tuple[str, ...]] = [("mode", "against", "difference", level, p, "won/same/lost", "result")]
    wider: tuple[str, ...] = ()
    for row in benchmark.rows:
        for other, what in against(benchmark, row).items():
            held = benchmark.held(measure, row.mode, other)
            rows.append((row.mode, f"{other} ({what})", *_difference(held)))
            wider = (WIDER,) if held.reaches_zero else wider
    lines = (
        f"Confidence intervals (CI) and p are adjusted over {comparison.family.counts}; a difference is significant "
        f"where p is at most {1 - comparison.level:.4g}.",
        *wider,
    )
    return Section(f"What each stage buys in {measure}", lines if corrected else (), tuple(rows), 2, folded=folded)


def against(benchmark: Benchmark, row: ModeRow) -> dict[str, str]:
    """The modes that a mode is held against, and what they are to it."""
    base = benchmark.config.baseline
    before = dict.fromkeys(row.inputs, "before" if row.rescue is None else "input")  # of its fusion
    others = {other: f"{what}, baseline" if other == base else what for other, what in before.items()}
    if row.mode != base and base not in others:
        others[base] = "baseline"
    return others


def _difference(held: ModeComparison) -> tuple[str, ...]:
    queries = "/".join(map(str, held.queries))
    result = verdict_word(held.shown)
    value = "none" if held.difference is None else signed(held.difference)
    if held.low is None or held.high is None:
        return value, "none", "none", queries, result
    return value, interval(held.low, held.high), p_text(held.p), queries, result


VERDICT = "Verdict by "
WIDER = "Where it is although its interval reaches 0: intervals that hold all together are wider than the tests."


def verdict(advice: Advice) -> Section:
    """What to ship, then a line for each stage."""
    lines = (
        f"{summary.mode}: {' '.join(_stage_sentences(advice, summary))}" for summary in advice.modes if summary.against
    )
    return Section(f"{VERDICT}{advice.measure}", (ship(advice), *lines))


def if_answered(benchmark: Benchmark) -> Section:
    """Differences beside what failed queries could make of them, as bad and as good as the measure can be."""
    failed = benchmark.failed
    if failed is None:
        return Section("")
    header = ("measure", "mode", "against", f"over {counted(failed.compared, 'query', 'queries')}", "with any answers")
    rows: list[tuple[str, ...]] = [header]
    for measure in benchmark.config.measures:
        for row in benchmark.rows:
            for other in against(benchmark, row):
                ends, held = failed.bound(measure, row.mode, other), benchmark.held(measure, row.mode, other)
                value = "none" if held.difference is None else signed(held.difference)
                rows.append((measure, row.mode, other, value, "unbounded" if ends is None else interval(*ends)))
    lines = (
        f"{failed.what[0].upper()}{failed.what[1:]}; {failed.treatment}.",
        *named(failed),
        f"With any answers: the difference over all {failed.queries} queries if the failed ones had gone as badly or "
        "as well as the measure can; values of the modes that answered are kept.",
        *dict.fromkeys(f"Unbounded: {bound.why}." for bound in failed.bounds if bound.why),
    )
    return Section("Failed queries", lines, tuple(rows), 3)


def ship(advice: Advice) -> str:
    """The sentence that answers the question."""
    if advice.ship is None:
        return "UNDECIDED" if advice.failed is None else advice.failed.sentence
    mode, left = ("other mode", f" Left out as BROKEN: {listed([*advice.broken])}.") if advice.broken else ("mode", "")
    left += "" if advice.failed is None else f" {advice.failed.sentence}"
    if len(advice.path) == 1:
        return f"Ship {advice.ship}: no {mode} is significantly better.{left}"
    way = ", which is significantly better than ".join(reversed(advice.path[:-1]))
    return (
        f"Ship {advice.ship}. It is significantly better than {way}. No {mode} is significantly better than it.{left}"
    )


def _stage_sentences(advice: Advice, summary: ModeSummary) -> Iterator[str]:
    for held in summary.against:
        yield _held(held)
    if summary.failures:
        kept = ", and the order before the stage was kept for them" if advice.failed is None else ""
        yield f"{counted(summary.failures, 'answer')} failed{kept}."
    own = advice.times.get(summary.mode)
    before = [advice.times.get(held.other) for held in summary.against]
    if own is not None:
        instead = f" instead of {before[0]:,.1f}" if len(before) == 1 and before[0] is not None else ""
        yield f"{own:,.1f} ms a query{instead}."


def _held(held: ModeComparison) -> str:
    if held.difference is None or held.p is None:
        return f"No test against {held.other} could be made."
    numbers = f"{signed(held.difference)}, {p_phrase(held.p)}"
    if held.shown == "undecided":
        return f"Undecided against {held.other}: {numbers} over the queries that every mode answered."
    if held.shown != "not shown":
        return f"Significantly {held.shown} than {held.other}: {numbers}."
    return f"Not significantly different from {held.other}: {numbers}."


BEST = "* significantly better than every other mode, after the correction"
BEFOREHAND = "times: what is built, loaded or encoded beforehand does not count"


def benchmark_sections(benchmark: Benchmark, per_query: bool, every_measure: bool = True) -> list[Section]:
    """The parts that have something to say. A form that can fold may fold those that are marked so.

    every_measure   a stage table for each measure, and not for the first alone
    """
    first, *others = benchmark.config.measures if every_measure else benchmark.config.measures[:1]
    parts = [
        Section(title(benchmark), leaders(benchmark), _values(benchmark), starred=any(benchmark.best.values())),
        Section("Pipelines", tuple(f"{row.mode} = {row.pipeline}" for row in benchmark.rows), folded=True, code=True),
        *([verdict(benchmark.advice)] if benchmark.advice is not None else []),
        if_answered(benchmark),
        stages(benchmark, first),
        *(stages(benchmark, measure, folded=True) for measure in others),
        latencies(benchmark),
        throughputs(benchmark),
        Section(WORTH, worth(benchmark)),
        segments(benchmark),
        Section("Failures that were survived", failures(benchmark)),
        ceilings(benchmark),
        reaches(benchmark),
        fusions(benchmark),
        grades(benchmark),
        Section("What engines and stages say", notes(benchmark)),
    ]
    for section in comparison_sections(benchmark.comparison, per_query):
        if section.title == "Warnings":
            parts.append(section)
        elif section.title == "Each query":
            parts.append(Section(section.title, section.lines, section.table, section.names, folded=True))
        elif section.title == "Fine print":
            parts.append(Section(section.title, (*section.lines, *fine_print(benchmark)), folded=True))
    return [section for section in parts if section.lines or section.table]


def title(benchmark: Benchmark) -> str:
    """Name and size."""
    config = benchmark.config
    documents = f", {counted(benchmark.documents, 'document')}" if benchmark.documents else ""
    queries = counted(benchmark.queries, "query", "queries")
    return f"{config.name}: {counted(len(benchmark.rows), 'mode')} on {queries}{documents}"


def fine_print(benchmark: Benchmark) -> list[str]:
    """What belongs to a benchmark and not to every comparison."""
    lines = [BEFOREHAND]
    if benchmark.config.prices is not None:
        lines.append(
            "cost: of 1,000 queries, the sum of the prices that the configuration gives to a mode's steps, or to the "
            f"mode; what has no price costs nothing{TOKENS_PAID if benchmark.config.prices.tokens else ''}"
        )
    if "tokens" in benchmark.config.view.names:
        view = benchmark.config.view
        lines.append(
            f"tokens: of the texts of the first {view.prompt_depth} documents, by the regular expression "
            f"{view.pattern}; a document that was made of chunks has the text of its best one"
        )
    if "calls" in benchmark.config.view.names:
        lines.append(
            "calls: questions to a language model for a query, answers from the cache included; not embeddings"
        )
    apart = benchmark.by_segment
    if apart is not None:
        corrected = f"corrected by {apart.correction}" if apart.correction != "none" else "not corrected"
        lines.append(f"segments: a family of their own, {apart.family}, {corrected}")
    return lines


def _values(benchmark: Benchmark) -> tuple[tuple[str, ...], ...]:
    measures = benchmark.config.measures
    prices = price_columns(benchmark)
    rows = [("mode", *measures, "p50 ms", "p95 ms", "p99 ms", "max ms", *(header for header, _ in prices))]
    evaluations = {evaluation.run_name: evaluation for evaluation in benchmark.comparison.evaluations}
    marked = any(benchmark.best.values())
    for row in benchmark.rows:
        values = [
            number(evaluations[row.mode][measure].mean)
            + ("*" if benchmark.best[measure] == row.mode else " " if marked else "")
            for measure in measures
        ]
        rows.append((row.mode, *values, *_times(row.latency), *(cells[row.mode] for _, cells in prices)))
    return tuple(rows)


def _times(latency: Latency) -> tuple[str, ...]:
    times = (latency.p50, latency.p95, latency.p99, latency.most)
    return tuple("not measured" if milliseconds is None else f"{milliseconds:.1f}" for milliseconds in times)


def leaders(benchmark: Benchmark) -> tuple[str, ...]:
    """Who leads significantly; else who has the best mean, and who may be as good."""
    lines = [BEST] if any(benchmark.best.values()) else []
    measure = benchmark.config.measures[0]
    if benchmark.undecided:
        lines.append(
            f"Which mode is the best in {measure} is undecided: queries failed. Values are over those answered."
        )
    elif benchmark.best[measure] is None:
        results = {e.run_name: e[measure] for e in benchmark.comparison.evaluations}
        sign = -1 if next(iter(results.values())).better == "lower" else 1
        top = max(results, key=lambda name: sign * results[name].mean)
        worse = {c.baseline for c in benchmark.comparison.contrasts
                 if (c.measure, c.candidate, c.direction) == (measure, top, "better")}  # fmt: skip
        worse |= {c.candidate for c in benchmark.comparison.contrasts
                  if (c.measure, c.baseline, c.direction) == (measure, top, "worse")}  # fmt: skip
        open_ = [name for name in results if name != top and name not in worse]
        lines.append(
            f"No mode is significantly better than all others in {measure}: {top} has the best mean, "
            f"and {listed(open_)} {'is' if len(open_) == 1 else 'are'} not significantly worse."
        )
    if any(row.latency.queries for row in benchmark.rows):
        lines.append(TIMES)
    return (*lines, *untimed(benchmark))
