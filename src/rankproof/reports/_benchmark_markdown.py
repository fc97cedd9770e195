"""A benchmark in Markdown, for a pull request: parts that not everybody reads are folded, marked values are bold."""

from __future__ import annotations

import html
from collections.abc import Iterable

from rankproof.reports._align import printable
from rankproof.reports._benchmark_sections import BEST
from rankproof.reports._sections import Section
from rankproof.reports.markdown import escaped

BOLD = f"Bold: {BEST.removeprefix('* ')}."


def folded(section: Section) -> str:
    """One part. GitHub and GitLab fold `details`; elsewhere it is read in full."""
    blocks = []
    if section.table:
        first, *rows = section.table
        rule = ["---" if i < section.names else "---:" for i in range(len(first))]
        blocks.append("\n".join([_row(map(escaped, first)), _row(rule), *(_row(map(_cell, row)) for row in rows)]))
    if section.code:
        fence = "```"
        blocks.append("\n".join([fence, *(printable(line) for line in section.lines if isinstance(line, str)), fence]))
    elif section.lines:
        blocks.append("\n".join(_item(line) for line in section.lines))
    if section.folded:
        head = f"<details><summary>{html.escape(printable(section.title))}</summary>"
        return "\n\n".join([head, *blocks, "</details>"])
    return "\n\n".join([f"### {escaped(section.title)}", *blocks])


def _item(line: str | tuple[str, ...]) -> str:
    first, *below = (line,) if isinstance(line, str) else line
    said = BOLD if first == BEST else escaped(first)
    return "\n".join([f"- {said}", *(f"  - {escaped(text)}" for text in below)])


def _cell(text: str) -> str:
    return f"**{escaped(text[:-1])}**" if text.endswith("*") else escaped(text).strip()


def _row(texts: Iterable[str]) -> str:
    return f"| {' | '.join(texts)} |"
