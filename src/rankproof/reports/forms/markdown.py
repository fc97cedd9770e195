"""A Markdown table for a pull request or a README: the best value of each measure in bold."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rankproof.kernel.sections import Section, printable
from rankproof.measuring.records import Evaluation
from rankproof.proving.records import Comparison
from rankproof.proving.sections import sections
from rankproof.proving.verdict import Verdict
from rankproof.reports.forms.contract import Report
from rankproof.reports.grid import GridCell, grid, notes
from rankproof.stack.benchmark.records import Benchmark
from rankproof.stack.benchmark.sections import BEST, benchmark_sections


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


def _cell(cell: GridCell) -> str:
    return f"**{escaped(cell.text)}**" if cell.best else escaped(cell.text)


def escaped(text: str) -> str:
    """The text with Markdown's own characters written out, on one line."""
    flat = printable(re.sub(r"\s", " ", text))
    return re.sub(r"([\\`*_|<>\[\]~])", r"\\\1", flat)


def verdict(verdict: Verdict, *, observed: Mapping[str, Any]) -> str:
    """The verdict, its rules in a table, and words for those that did not pass."""
    from rankproof.reports.verdict_text import verdict_markdown

    return verdict_markdown(verdict, escaped, _part)


OFFERS = (Report("markdown", __doc__, render, ".md", "text/markdown", comparison, verdict, benchmark=benchmark),)


BOLD = f"Bold: {BEST.removeprefix('* ')}."


def folded(section: Section) -> str:
    """One part. GitHub and GitLab fold `details`; elsewhere it is read in full."""
    blocks = []
    if section.table:
        first, *rows = section.table
        rule = ["---" if i < section.names else "---:" for i in range(len(first))]
        blocks.append(
            "\n".join(
                [
                    _benchmark_row(map(escaped, first)),
                    _benchmark_row(rule),
                    *(_benchmark_row(map(_benchmark_cell, row)) for row in rows),
                ]
            )
        )
    if section.code:
        fence = "```"
        blocks.append("\n".join([fence, *(printable(line) for line in section.lines if isinstance(line, str)), fence]))
    elif section.lines:
        blocks.append("\n".join(_benchmark_item(line) for line in section.lines))
    if section.folded:
        head = f"<details><summary>{html.escape(printable(section.title))}</summary>"
        return "\n\n".join([head, *blocks, "</details>"])
    return "\n\n".join([f"### {escaped(section.title)}", *blocks])


def _benchmark_item(line: str | tuple[str, ...]) -> str:
    first, *below = (line,) if isinstance(line, str) else line
    said = BOLD if first == BEST else escaped(first)
    return "\n".join([f"- {said}", *(f"  - {escaped(text)}" for text in below)])


def _benchmark_cell(text: str) -> str:
    return f"**{escaped(text[:-1])}**" if text.endswith("*") else escaped(text).strip()


def _benchmark_row(texts: Iterable[str]) -> str:
    return f"| {' | '.join(texts)} |"
