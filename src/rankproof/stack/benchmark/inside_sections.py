"""What happens inside modes as sections: reranks, what each mode hands on, fusions."""

from __future__ import annotations

from rankproof.kernel.sections import Section, number
from rankproof.stack.benchmark.records import Benchmark


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
