"""Advice: what a benchmark says about shipping, in its first measure.

Every stage has to earn its place: one goes from the baseline to the first mode that is shown to be better than the one
held, and on from there, until no mode is shown to be better. A mode with a higher mean whose lead may be chance is not
gone to: it costs more and what it buys is not known. A mode that is shown to be better has the better mean too, so the
way ends.
"""

from __future__ import annotations

from collections.abc import Mapping

from rankproof.records.advice import Advice, Held, Rung
from rankproof.records.benchmark import Benchmark, ModeRow
from rankproof.records.comparison import Direction
from rankproof.records.estimate import Estimate
from rankproof.reports._benchmark_stages import contrast_of

_TURNED: Mapping[Direction, Direction] = {"better": "worse", "worse": "better", "not shown": "not shown"}


def advise(benchmark: Benchmark) -> Advice:
    """What to ship by the first measure."""
    measure = benchmark.config.measures[0]
    modes = [row.mode for row in benchmark.rows]
    path = [benchmark.config.baseline]
    while True:
        better = [m for m in modes if m != path[-1] and _held(benchmark, m, path[-1], measure).shown == "better"]
        if not better:
            break
        path.append(better[0])
    return Advice(
        measure,
        path[-1],
        tuple(path),
        tuple(_rung(benchmark, row, measure) for row in benchmark.rows),
        {row.mode: row.latency.p50 for row in benchmark.rows if row.latency.p50 is not None},
    )


def _rung(benchmark: Benchmark, row: ModeRow, measure: str) -> Rung:
    (mean,) = (e[measure].mean for e in benchmark.comparison.evaluations if e.run_name == row.mode)
    base = benchmark.config.baseline
    others = row.inputs or ((base,) if row.mode != base else ())
    held = tuple(_held(benchmark, row.mode, other, measure) for other in others)
    return Rung(row.mode, mean, held, sum(row.failures.values()))


def _held(benchmark: Benchmark, mode: str, other: str, measure: str) -> Held:
    contrast, sign = contrast_of(benchmark.comparison, measure, other, mode)
    answer = contrast.difference
    shown = contrast.direction if sign > 0 else _TURNED[contrast.direction]
    if not isinstance(answer, Estimate):
        return Held(other, None if answer.value is None else sign * answer.value, None, None, None, shown)
    low, high = (answer.low, answer.high) if sign > 0 else (-answer.high, -answer.low)
    return Held(other, sign * answer.value, low, high, contrast.p_value, shown)
