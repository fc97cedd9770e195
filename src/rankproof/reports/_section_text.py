"""One part of a report as plain text: its title, its table, its lines."""

from __future__ import annotations

from rankproof.reports._align import aligned, printable
from rankproof.reports._sections import Section


def part(section: Section) -> str:
    """One part: its title, its table, its lines."""
    table = aligned(section.table, section.names) if section.table else []
    lines = []
    for line in section.lines:
        first, *below = (line,) if isinstance(line, str) else line
        lines += [f"  {printable(first)}", *(f"      {printable(text)}" for text in below)]
    between = [""] if table and lines else []
    return "\n".join([printable(section.title), *(f"  {line}" for line in table), *between, *lines])
