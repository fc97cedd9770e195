"""What users of a benchmark's modes get: grades on the first page, and each kind of query."""

from __future__ import annotations

from rankproof.records.benchmark import Benchmark
from rankproof.records.comparison import Comparison
from rankproof.records.gradeshares import UNJUDGED
from rankproof.records.show import number
from rankproof.reports._sections import Section

# A grade of which no mode has as much is left out; that nothing is unjudged is worth saying.
LEAST_SHARE = 0.0005
SHOWN = {"better": "+", "worse": "-", "not shown": " "}


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
    """The mean of the first measure by segment and mode, and where a difference from the baseline is shown."""
    found = benchmark.by_segment
    if found is None:
        return Section("")
    measure, base = benchmark.config.measures[0], benchmark.config.baseline
    modes = [row.mode for row in benchmark.rows]
    rows = [("queries", "n", *modes)]
    marks = set()
    for segment, queries in found.segments.items():
        means, shown = _segment(found, measure, segment, base)
        marks |= set(shown.values())
        cells = [number(means[mode]) + SHOWN[shown.get(mode, "not shown")] for mode in modes]
        rows.append((segment, str(len(queries)), *cells))
    if marks <= {"not shown"}:
        rows = [tuple(cell.rstrip() for cell in row) for row in rows]
        line = f"No difference from {base} is shown in a segment, after the correction over {found.family.tests} tests."
    else:
        line = f"+ better, - worse than {base}: shown after the correction over {found.family.tests} tests."
    return Section(f"{measure} by segment", (line,), tuple(rows))


def _segment(
    comparison: Comparison, measure: str, segment: str, baseline: str
) -> tuple[dict[str, float], dict[str, str]]:
    """Means by mode, and what is shown against the baseline."""
    means: dict[str, float] = {}
    shown: dict[str, str] = {}
    for contrast in comparison.contrasts:
        if contrast.measure == measure and contrast.segment == segment:
            means[contrast.baseline], means[contrast.candidate] = contrast.baseline_mean, contrast.candidate_mean
            if contrast.baseline == baseline:
                shown[contrast.candidate] = contrast.direction
    return means, shown
