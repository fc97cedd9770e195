"""A Markdown table for a pull request or a README: the best value of each measure in bold, fine print below.

GitHub's table syntax. Four decimals; whole numbers as such; `undefined` where a query has no value. The
fine print follows as a list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rankproof.records.benchmark import Benchmark
from rankproof.records.comparison import Comparison
from rankproof.records.evaluation import Evaluation
from rankproof.records.verdict import Verdict
from rankproof.reports._align import printable
from rankproof.reports._benchmark_sections import benchmark_sections
from rankproof.reports._contract import Report
from rankproof.reports._grid import Cell, grid, notes
from rankproof.reports._sections import Section, sections


def render(evaluations: Sequence[Evaluation], *, per_query: bool, observed: Mapping[str, Any]) -> str:
    """The table, an empty line, the fine print as a list."""
    found = grid(evaluations, per_query)
    rule = ["---" if i < found.names else "---:" for i in range(len(found.header))]
    lines = [_row(map(escaped, found.header)), _row(rule), *(_row(map(_cell, row)) for row in found.rows)]
    below = [f"- {escaped(note)}" for note in notes(evaluations)]
    return "\n".join([*lines, *(["", *below] if below else [])]) + "\n"


def comparison(comparison: Comparison, *, per_query: bool, observed: Mapping[str, Any]) -> str:
    """The parts of the comparison, each under a heading."""
    return "\n\n".join(_part(section) for section in sections(comparison, per_query)) + "\n"


def benchmark(benchmark: Benchmark, *, per_query: bool, observed: Mapping[str, Any]) -> str:
    """The parts of the benchmark, each under a heading; what not everybody reads is folded."""
    from rankproof.reports._benchmark_markdown import folded

    return "\n\n".join(map(folded, benchmark_sections(benchmark, per_query))) + "\n"


def _part(section: Section) -> str:
    blocks = [f"### {escaped(section.title)}"]
    if section.lines:
        blocks.append("\n".join(_item(line) for line in section.lines))
    if section.table:
        first, *rows = section.table
        rule = ["---" if i < section.names else "---:" for i in range(len(first))]
        blocks.append("\n".join([_row(map(escaped, first)), _row(rule), *(_row(map(escaped, r)) for r in rows)]))
    return "\n\n".join(blocks)


def _item(line: str | tuple[str, ...]) -> str:
    first, *below = (line,) if isinstance(line, str) else line
    return "\n".join([f"- {escaped(first)}", *(f"  - {escaped(text)}" for text in below)])


def _row(texts: Any) -> str:
    return f"| {' | '.join(texts)} |"


def _cell(cell: Cell) -> str:
    return f"**{escaped(cell.text)}**" if cell.best else escaped(cell.text)


def escaped(text: str) -> str:
    """The text with Markdown's own characters written out, on one line."""
    flat = printable(re.sub(r"\s", " ", text))
    return re.sub(r"([\\`*_|<>\[\]~])", r"\\\1", flat)


def verdict(verdict: Verdict, *, observed: Mapping[str, Any]) -> str:
    """The verdict, its rules in a table, and words for those that did not pass."""
    from rankproof.reports._verdict_markdown import verdict_markdown

    return verdict_markdown(verdict, escaped, _part)


OFFERS = (Report("markdown", __doc__, render, ".md", "text/markdown", comparison, verdict, benchmark=benchmark),)
