"""A Markdown table for a pull request or a README: the best value of each measure in bold, fine print below.

GitHub's table syntax. Four decimals; whole numbers as such; `undefined` where a query has no value. The
fine print follows as a list.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from rankproof.kernel.sections import Section, printable
from rankproof.measuring.records import Evaluation
from rankproof.proving.leaderboard_records import Leaderboard
from rankproof.proving.records import Comparison
from rankproof.proving.sections import comparison_sections
from rankproof.proving.verdict import Verdict
from rankproof.reports.forms.contract import Report
from rankproof.reports.grid import GridCell, grid, notes
from rankproof.stack.benchmark.datasets.records import MultiBenchmark
from rankproof.stack.benchmark.records import Benchmark
from rankproof.stack.benchmark.sections import benchmark_sections

MARKS = {"PASS": "✅ PASS", "FAIL": "❌ FAIL", "UNDECIDED": "❔ UNDECIDED"}


def render(evaluations: Sequence[Evaluation], *, per_query: bool, observed: Mapping[str, object]) -> str:
    """The table, an empty line, the fine print as a list."""
    values = grid(evaluations, per_query)
    table = _table(map(escaped, values.header), (map(_grid_cell, row) for row in values.rows), values.names)
    below = [f"- {escaped(note)}" for note in notes(evaluations)]
    return "\n".join([table, *(["", *below] if below else [])]) + "\n"


def comparison(comparison: Comparison, *, per_query: bool, observed: Mapping[str, object]) -> str:
    """The sections of the comparison, each under a heading."""
    return sections_markdown(comparison_sections(comparison, per_query))


def benchmark(benchmark: Benchmark, *, per_query: bool, observed: Mapping[str, object]) -> str:
    """The sections of the benchmark, each under a heading; what not everybody reads is folded."""
    return sections_markdown(benchmark_sections(benchmark, per_query))


def datasets(benchmark: MultiBenchmark, *, per_query: bool, observed: Mapping[str, object]) -> str:
    """What is over the datasets, each part under a heading; what not everybody reads is folded."""
    from rankproof.stack.benchmark.datasets.sections import datasets_sections

    return sections_markdown(datasets_sections(benchmark, per_query))


def verdict(verdict: Verdict, *, observed: Mapping[str, object]) -> str:
    """The verdict with its rules in a table, words for those that did not pass, and the fine print folded."""
    # Evaluations need no trials: their modules load only for a verdict.
    from rankproof.reports.verdict_sections import verdict_sections

    rules, *others = verdict_sections(verdict)
    header, *rows = rules.table
    marked = tuple((MARKS[status], *cells) for status, *cells in rows)
    title = rules.title.replace(verdict.status, MARKS[verdict.status], 1)
    head = _section(replace(rules, title=title, table=(header, *marked)), "##")
    return f"{head}\n\n{sections_markdown(others)}" if others else f"{head}\n"


def leaderboard(leaderboard: Leaderboard, *, observed: Mapping[str, object]) -> str:
    """The systems by rank under a heading, with what the marks mean."""
    return sections_markdown([leaderboard.section])


OFFERS = (
    Report(
        "markdown", __doc__, render, ".md", "text/markdown", comparison, verdict, benchmark=benchmark,
        leaderboard=leaderboard, datasets=datasets,
    ),
)  # fmt: skip


def sections_markdown(parts: Sequence[Section]) -> str:
    """The sections, each under a heading; it ends in a line end."""
    return "\n\n".join(_section(part) for part in parts) + "\n"


def _section(section: Section, heading: str = "###") -> str:
    """One section. GitHub and GitLab fold `details`; elsewhere it is read in full."""
    blocks = []
    if section.table:
        header, *rows = section.table
        cells = ([_cell(section, at, text) for at, text in enumerate(row)] for row in rows)
        blocks.append(_table(map(escaped, header), cells, section.names))
    if section.code:
        fence = "```"
        blocks.append("\n".join([fence, *(printable(line) for line in section.lines if isinstance(line, str)), fence]))
    elif section.lines:
        blocks.append("\n".join(_item(section, line) for line in section.lines))
    if section.folded:
        head = f"<details><summary>{html.escape(printable(section.title))}</summary>"
        return "\n\n".join([head, *blocks, "</details>"])
    return "\n\n".join([f"{heading} {escaped(section.title)}", *blocks])


def _item(section: Section, line: str | tuple[str, ...]) -> str:
    first, *below = (line,) if isinstance(line, str) else line
    # Where the best values are bold, the line that explains their star says so.
    text = f"Bold: {escaped(first[2:])}." if section.starred and first.startswith("* ") else escaped(first)
    return "\n".join([f"- {text}", *(f"  - {escaped(inner)}" for inner in below)])


def _cell(section: Section, column: int, text: str) -> str:
    if section.starred and column >= section.names and text.endswith("*"):
        return f"**{escaped(text[:-1])}**"
    return escaped(text).strip()


def _grid_cell(cell: GridCell) -> str:
    return f"**{escaped(cell.text)}**" if cell.best else escaped(cell.text)


def _table(header: Iterable[str], rows: Iterable[Iterable[str]], names: int) -> str:
    """The lines of a table: the first `names` columns to the left, the others to the right."""
    first = list(header)
    rule = ["---" if at < names else "---:" for at in range(len(first))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (first, rule, *rows))


def escaped(text: str) -> str:
    """The text with Markdown's own characters written out, on one line."""
    flat = printable(re.sub(r"\s", " ", text))
    return re.sub(r"([\\`*_|<>\[\]~])", r"\\\1", flat)
