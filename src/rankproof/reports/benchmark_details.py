"""Inside a benchmark's modes: what reranks won and lost, and what users get."""

from __future__ import annotations

from rankproof.kernel.wording import number
from rankproof.measuring.grade_shares import UNJUDGED
from rankproof.proving.records import Comparison
from rankproof.reports.comparison_sections import Section
from rankproof.stack.benchmark.records import Benchmark, Ceiling


def ceilings(benchmark: Benchmark) -> Section:
    """What each rerank won and lost, and could have won."""
    rows = [
        ("mode", "reranks", "recall there", "before", "after", "at best", "won of possible", "won/same/lost", "in/out"),
    ]
    found = [(row.mode, row.ceiling) for row in benchmark.rows if row.ceiling is not None]
    for mode, c in found:
        queries = f"{c.wins}/{c.same}/{c.losses}"
        rows.append(
            (mode, f"first {c.depth}", f"{c.recall:.1%}", number(c.before), number(c.after), number(c.best),
             _won(c), queries, f"{c.entered}/{c.left}")
        )  # fmt: skip
    if not found:
        return Section("")
    _, first = found[0]
    lines = (
        f"{first.measure}; at best: the same documents in the best order; recall there: the share of the relevant "
        f"documents among those that it reranks; won/same/lost: queries; in/out: relevant documents moved into the "
        f"first {first.k} and out of them, all queries together.",
    )
    return Section("What a rerank won, lost and could have won", lines, tuple(rows), folded=True)


def _won(ceiling: Ceiling) -> str:
    if ceiling.won is None:
        return "nothing to win"
    return f"{round(100 * ceiling.won)}%"


def reaches(benchmark: Benchmark) -> Section:
    """What a stage after each mode could reach at best."""
    measure = benchmark.config.measures[0]
    found = [(row.mode, row.reach) for row in benchmark.rows if row.reach is not None]
    values = {e.run_name: e[measure].mean for e in benchmark.comparison.evaluations}
    rows = [("mode", "documents a query", "recall", measure, "at best")]
    rows += [(mode, f"{r.documents:.1f}", f"{r.recall:.1%}", number(values[mode]), number(r.best)) for mode, r in found]
    if not found:
        return Section("")
    lines = (
        "Recall: the share of the relevant documents among those that a mode gives, which no stage after it can raise; "
        "at best: with them in the best order.",
    )
    return Section("Ceiling of each mode", lines, tuple(rows), folded=True)


def fusions(benchmark: Benchmark) -> Section:
    """Relevant documents in the head of each fusion and of its inputs."""
    found = [(row.mode, row.rescue) for row in benchmark.rows if row.rescue is not None]
    rows = [("mode", "input", "input has", "brought", "dropped", "fusion has", "change")]
    lines = []
    for mode, r in found:
        for name, brought in r.rescued.items():
            lost = r.lost[name]
            had = r.relevant - brought + lost
            change = f"{brought - lost:+d}" if brought != lost else "0"
            rows.append((mode, name, str(had), str(brought), str(lost), str(r.relevant), change))
        lines.append(
            f"{mode}: {r.new} of its {r.relevant} were in no input's first {r.k}; {r.dropped} that some input had "
            "there are gone."
        )
    if not found:
        return Section("")
    k = found[0][1].k
    return Section(f"Relevant documents that a fusion brought into the first {k}", tuple(lines), tuple(rows), 2, True)


def notes(benchmark: Benchmark) -> tuple[str, ...]:
    """What steps say of their answers, and which modes they are in."""
    modes: dict[str, list[str]] = {}
    for row in benchmark.rows:
        for step, told in row.notes.items():
            for name, text in told.items():
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
