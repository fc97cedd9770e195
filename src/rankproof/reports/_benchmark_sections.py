"""What a benchmark says, part by part: the stage table first, then why, then the comparison behind it."""

from __future__ import annotations

from rankproof.records.benchmark import Benchmark, Latency, ModeRow
from rankproof.records.comparison import ALL_QUERIES, Comparison, Contrast
from rankproof.records.estimate import Estimate
from rankproof.records.show import number
from rankproof.records.words import interval, p_text, percent, signed
from rankproof.reports._sections import Section, sections

BEST = "* shown to be better than every other mode, after the correction"


def benchmark_sections(benchmark: Benchmark, per_query: bool) -> list[Section]:
    """The parts that have something to say."""
    config = benchmark.config
    title = (
        f"{config.name}: {len(benchmark.rows)} modes on {benchmark.queries} queries, {benchmark.documents} documents"
    )
    found = [
        Section(title, tuple(f"{row.mode} = {row.pipeline}" for row in benchmark.rows), _values(benchmark)),
        *(_stages(benchmark, measure) for measure in config.measures[:1]),
        Section("What a rerank could have won", _ceilings(benchmark)),
        Section("What a fusion brought", _rescues(benchmark)),
        Section("Failures that were survived", _failures(benchmark)),
        Section("Segments", (), _segments(benchmark.comparison, config.measures[0])),
    ]
    behind = [
        s for s in sections(benchmark.comparison, per_query) if s.title in ("Warnings", "Each query", "Fine print")
    ]
    return [section for section in (*found, *behind) if section.lines or section.table]


def _values(benchmark: Benchmark) -> tuple[tuple[str, ...], ...]:
    measures = benchmark.config.measures
    rows = [("mode", *measures, "p50 ms", "p95 ms", "max ms")]
    evaluations = {evaluation.run_name: evaluation for evaluation in benchmark.comparison.evaluations}
    for row in benchmark.rows:
        values = [
            number(evaluations[row.mode][measure].mean) + ("*" if benchmark.best[measure] == row.mode else " ")
            for measure in measures
        ]
        rows.append((row.mode, *values, *_times(row.latency)))
    return tuple(rows)


def _times(latency: Latency) -> tuple[str, str, str]:
    def shown(milliseconds: float | None) -> str:
        return "kept" if milliseconds is None else f"{milliseconds:.1f}"

    return shown(latency.p50), shown(latency.p95), shown(latency.most)


def _stages(benchmark: Benchmark, measure: str) -> Section:
    """Each mode against the one it builds on, and against the baseline."""
    level = percent(benchmark.comparison.level)
    base = benchmark.config.baseline
    rows = [
        (
            "mode",
            "builds on",
            "difference",
            f"{level} interval",
            "p adjusted",
            f"from {base}",
            f"{level} interval",
            "p adjusted",
        )
    ]
    rows += [
        (
            row.mode,
            row.before or "-",
            *_difference(benchmark, row, row.before, measure),
            *_difference(benchmark, row, base, measure),
        )
        for row in benchmark.rows
    ]
    lines = (BEST,) if any(benchmark.best.values()) else ("No mode is shown to be better than every other one.",)
    return Section(f"What each stage buys in {measure}", lines, tuple(rows), 2)


def _difference(benchmark: Benchmark, row: ModeRow, other: str | None, measure: str) -> tuple[str, str, str]:
    if other is None or other == row.mode:
        return "-", "-", "-"
    contrast, sign = contrast_of(benchmark.comparison, measure, other, row.mode)
    answer = contrast.difference
    if not isinstance(answer, Estimate):
        return "0.0000" if answer.value == 0 else "none", "none", "none"
    low, high = (answer.low, answer.high) if sign > 0 else (-answer.high, -answer.low)
    return signed(sign * answer.value), interval(low, high), p_text(contrast.p_value)


def contrast_of(comparison: Comparison, measure: str, before: str, after: str) -> tuple[Contrast, int]:
    """The contrast of two modes, and whether its difference is after minus before (1) or the other way (-1)."""
    for contrast in comparison.contrasts:
        if contrast.measure == measure and contrast.segment == ALL_QUERIES:
            if (contrast.baseline, contrast.candidate) == (before, after):
                return contrast, 1
            if (contrast.baseline, contrast.candidate) == (after, before):
                return contrast, -1
    raise KeyError(f"no contrast of {before} and {after} in {measure}")


def _ceilings(benchmark: Benchmark) -> tuple[str, ...]:
    lines = []
    for row in benchmark.rows:
        if row.ceiling is None:
            continue
        c = row.ceiling
        won = "nothing could be won" if c.won is None else f"{c.won:.0%} of what could be won"
        lines.append(
            f"{row.mode}: {c.measure} {number(c.before)} -> {number(c.after)}; with the same {c.depth} documents "
            f"at best {number(c.best)} ({won}); they hold {c.recall:.1%} of the relevant ones."
        )
    return tuple(lines)


def _rescues(benchmark: Benchmark) -> tuple[str, ...]:
    lines = []
    for row in benchmark.rows:
        if row.rescue is not None:
            brought = ", ".join(f"{count} that {text} had not there" for text, count in row.rescue.rescued.items())
            lines.append(
                f"{row.mode}: relevant documents in the first {row.rescue.k}: {brought}; "
                f"{row.rescue.dropped} that an input had there were dropped."
            )
    return tuple(lines)


def _failures(benchmark: Benchmark) -> tuple[str, ...]:
    return tuple(f"{row.mode}: {count} x {kind}" for row in benchmark.rows for kind, count in row.failures.items())


def _segments(comparison: Comparison, measure: str) -> tuple[tuple[str, ...], ...]:
    """The mean of the first measure by segment and mode."""
    if not comparison.segments:
        return ()
    rows = [("queries", "n", *comparison.systems)]
    for segment, queries in comparison.segments.items():
        means: dict[str, float] = {}
        for contrast in comparison.contrasts:
            if contrast.measure == measure and contrast.segment == segment:
                means[contrast.baseline], means[contrast.candidate] = contrast.baseline_mean, contrast.candidate_mean
        rows.append((segment, str(len(queries)), *(number(means[system]) for system in comparison.systems)))
    return tuple(rows)
