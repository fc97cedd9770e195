"""What goes on inside a benchmark's modes: what reranks won and lost, what modes hand on, what fusions brought."""

from __future__ import annotations

from rankproof.records.benchmark import Benchmark, Ceiling
from rankproof.records.show import number
from rankproof.reports._sections import Section


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
