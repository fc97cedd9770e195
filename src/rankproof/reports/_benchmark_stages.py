"""The stage table of a benchmark: each mode against those it builds on, and against the baseline."""

from __future__ import annotations

from rankproof.records.benchmark import Benchmark, ModeRow
from rankproof.records.comparison import ALL_QUERIES, Comparison, Contrast
from rankproof.records.estimate import Estimate
from rankproof.records.words import interval, p_text, percent, signed
from rankproof.reports._sections import Section

TURNED = {"better": "worse", "worse": "better", "not shown": "not shown"}


def stages(benchmark: Benchmark, measure: str, folded: bool = False) -> Section:
    """A line for each difference somebody asks about; what decides is the corrected p."""
    comparison = benchmark.comparison
    corrected = comparison.correction != "none"
    p = f"p ({comparison.correction})" if corrected else "p"
    level = f"{percent(comparison.level)} interval"
    rows: list[tuple[str, ...]] = [("mode", "against", "difference", level, p, "won/same/lost", "shown")]
    for row in benchmark.rows:
        for other, what in against(benchmark, row).items():
            rows.append((row.mode, f"{other} ({what})", *_difference(comparison, row.mode, other, measure)))
    lines = (
        f"An interval is of its difference alone; p is corrected over {comparison.family.tests} tests, and a "
        f"difference is shown where p is at most {1 - comparison.level:.4g}.",
    )
    return Section(f"What each stage buys in {measure}", lines if corrected else (), tuple(rows), 2, folded=folded)


def against(benchmark: Benchmark, row: ModeRow) -> dict[str, str]:
    """The modes that a mode is held against, and what they are to it."""
    base = benchmark.config.baseline
    before = dict.fromkeys(row.inputs, "before" if row.rescue is None else "input")  # of its fusion
    found = {other: f"{what}, baseline" if other == base else what for other, what in before.items()}
    if row.mode != base and base not in found:
        found[base] = "baseline"
    return found


def contrast_of(comparison: Comparison, measure: str, before: str, after: str) -> tuple[Contrast, int]:
    """The contrast of two modes, and whether its difference is after minus before (1) or the other way (-1)."""
    for contrast in comparison.contrasts:
        if contrast.measure == measure and contrast.segment == ALL_QUERIES:
            if (contrast.baseline, contrast.candidate) == (before, after):
                return contrast, 1
            if (contrast.baseline, contrast.candidate) == (after, before):
                return contrast, -1
    raise KeyError(f"no contrast of {before} and {after} in {measure}")


def _difference(comparison: Comparison, mode: str, other: str, measure: str) -> tuple[str, ...]:
    contrast, sign = contrast_of(comparison, measure, other, mode)
    answer = contrast.difference
    counts = (contrast.wins, contrast.ties, contrast.losses)[:: 1 if sign > 0 else -1]
    queries = "/".join(map(str, counts))
    shown = contrast.direction if sign > 0 else TURNED[contrast.direction]
    if not isinstance(answer, Estimate):
        value = "none" if answer.value is None else signed(sign * answer.value)
        return value, "none", "none", queries, shown
    low, high = (answer.low, answer.high) if sign > 0 else (-answer.high, -answer.low)
    return signed(sign * answer.value), interval(low, high), p_text(contrast.p_value), queries, shown
