"""A plain text table for reading: aligned columns, the best value of each measure marked with `*`.

Four decimals; whole numbers as such; `undefined` where a query has no value. Below the table stands the fine
print: what the measures mean here, the order, the queries, how much is judged. With several runs, lines that
hold for all of them stand once and the others begin with the run's name. The same input gives the same text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rankproof.kernel.sections import aligned, printable, sections_text
from rankproof.reports.forms.contract import Report
from rankproof.reports.grid import Grid, grid, notes

if TYPE_CHECKING:
    from rankproof.measuring.records import Evaluation
    from rankproof.proving.records import Comparison
    from rankproof.proving.verdict import Verdict
    from rankproof.stack.benchmark.records import Benchmark

# What shows comparisons, benchmarks and verdicts is loaded when there is one: a table of evaluations needs none of it.

BEST = "* best of these runs; whether the difference is more than chance is another question"


def render(evaluations: Sequence[Evaluation], *, per_query: bool, observed: Mapping[str, object]) -> str:
    """The table, an empty line, the fine print."""
    table = grid(evaluations, per_query)
    rows, marked = _marked(table)
    below = [BEST] if marked else []
    below += map(printable, notes(evaluations))
    return "\n".join([*aligned(rows, table.names), "", *below]).rstrip() + "\n"


def comparison(comparison: Comparison, *, per_query: bool, observed: Mapping[str, object]) -> str:
    """The parts of the comparison, each under its title."""
    from rankproof.proving.sections import comparison_sections

    return sections_text(comparison_sections(comparison, per_query))


def benchmark(benchmark: Benchmark, *, per_query: bool, observed: Mapping[str, object]) -> str:
    """The parts of the benchmark, each under its title; what stages buy in the first measure."""
    from rankproof.stack.benchmark.sections import benchmark_sections

    return sections_text(benchmark_sections(benchmark, per_query, False))


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


def verdict(verdict: Verdict, *, observed: Mapping[str, object]) -> str:
    """The verdict with its rules in a table, words for those that did not pass, and the fine print."""
    from rankproof.reports.verdict_sections import verdict_text

    return verdict_text(verdict)


OFFERS = (Report("table", __doc__, render, ".txt", "text/plain", comparison, verdict, benchmark=benchmark),)
