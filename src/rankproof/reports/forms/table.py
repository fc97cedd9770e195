"""A plain text table for reading: aligned columns, the best value of each measure marked with `*`.

Four decimals; whole numbers as such; `undefined` where a query has no value. Below the table stands the fine
print: what the measures mean here, the order, the queries, how much is judged. With several runs, lines that
hold for all of them stand once and the others begin with the run's name. Commands show the headlines, and everything
with `--full`. On a terminal the text fits its width: wider tables go on below by groups of columns, and sentences are
broken between words. In a pipe and in a file every row and every sentence is one line, so that the same input gives the
same text everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rankproof.kernel.sections import WHOLE, Screen, aligned, fitted, printable, sections_text, wrapped
from rankproof.reports.forms.contract import Report
from rankproof.reports.grid import Grid, grid, notes, short_notes

if TYPE_CHECKING:
    from rankproof.measuring.records import Evaluation
    from rankproof.proving.leaderboard_records import Leaderboard
    from rankproof.proving.records import Comparison
    from rankproof.proving.verdict import Verdict
    from rankproof.stack.benchmark.datasets.records import MultiBenchmark
    from rankproof.stack.benchmark.records import Benchmark

# What shows comparisons, benchmarks and verdicts is loaded when there is one: a table of evaluations needs none of it.

BEST = "* best of these runs; `rankproof compare` says whether it is more than chance"
MORE = "More: --full (definitions of the measures, order, shares of judged documents)"


def render(
    evaluations: Sequence[Evaluation], *, per_query: bool, observed: Mapping[str, object], screen: Screen = WHOLE
) -> str:
    """The table, an empty line, the fine print; or what of it makes the numbers other numbers."""
    table = grid(evaluations, per_query, screen.columns)
    rows, marked = _marked(table)
    below = [BEST] if marked else []
    below += map(printable, notes(evaluations) if screen.full else short_notes(evaluations))
    if not screen.full:
        below.append(MORE)
    if screen.width is None:
        return "\n".join([*aligned(rows, table.names), "", *below]).rstrip() + "\n"
    lines = [*fitted(rows, table.names, screen.width), ""]
    for note in below:
        lines += wrapped(note, screen.width)
    return "\n".join(lines).rstrip() + "\n"


def comparison(
    comparison: Comparison, *, per_query: bool, observed: Mapping[str, object], screen: Screen = WHOLE
) -> str:
    """The parts of the comparison, each under its title; or its headlines."""
    if screen.full:
        from rankproof.proving.sections import comparison_sections

        return sections_text(comparison_sections(comparison, per_query), screen.width)
    from rankproof.proving.summary import comparison_summary

    short = comparison_summary(comparison, per_query, screen.columns, wraps=screen.width is not None)
    return sections_text(short, screen.width)


def benchmark(benchmark: Benchmark, *, per_query: bool, observed: Mapping[str, object], screen: Screen = WHOLE) -> str:
    """The parts of the benchmark, each under its title; what stages buy in the first measure. Or its headlines."""
    from rankproof.stack.benchmark.sections import benchmark_sections

    if screen.full:
        return sections_text(benchmark_sections(benchmark, per_query, False), screen.width)
    from rankproof.stack.benchmark.summary import benchmark_summary

    short = benchmark_summary(benchmark, per_query, screen.columns, wraps=screen.width is not None)
    return sections_text(short, screen.width)


def datasets(
    benchmark: MultiBenchmark, *, per_query: bool, observed: Mapping[str, object], screen: Screen = WHOLE
) -> str:
    """The parts of a benchmark on several datasets that are over them; or its headlines."""
    from rankproof.stack.benchmark.datasets.sections import datasets_sections, datasets_summary

    if screen.full:
        return sections_text(datasets_sections(benchmark, per_query), screen.width)
    short = datasets_summary(benchmark, per_query, screen.columns, wraps=screen.width is not None)
    return sections_text(short, screen.width)


def _marked(table: Grid) -> tuple[list[list[str]], bool]:
    """Header and rows, and whether some value is marked as the best; the others then keep the room of the mark."""
    marked = False
    for row in table.rows:
        for cell in row:
            marked = marked or cell.best
    room = " " if marked else ""
    lines = [[*table.header[: table.names]]]
    for name in table.header[table.names :]:
        lines[0].append(name + room)
    for row in table.rows:
        lines.append([])
        for i, cell in enumerate(row):
            lines[-1].append(cell.text if i < table.names else cell.text + ("*" if cell.best else room))
    return lines, marked


def verdict(verdict: Verdict, *, observed: Mapping[str, object], screen: Screen = WHOLE) -> str:
    """The verdict with its rules in a table, words for those that did not pass, and the fine print; or headlines."""
    from rankproof.reports.verdict_sections import verdict_sections, verdict_summary

    parts = verdict_sections(verdict) if screen.full else verdict_summary(verdict, screen.columns)
    return sections_text(parts, screen.width)


def leaderboard(leaderboard: Leaderboard, *, observed: Mapping[str, object], screen: Screen = WHOLE) -> str:
    """The systems by rank, what the marks mean, and the best against the second."""
    return sections_text([leaderboard.section], screen.width)


OFFERS = (
    Report(
        "table", __doc__, render, ".txt", "text/plain", comparison, verdict, benchmark=benchmark, on_screen=True,
        leaderboard=leaderboard, datasets=datasets,
    ),
)  # fmt: skip
