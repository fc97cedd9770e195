"""Sections: the parts of an answer that every form of report can show, and text tables that line up on a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

GAP = "  "


def aligned(rows: Sequence[Sequence[str]], names: int) -> list[str]:
    """The rows as lines: the first `names` columns to the left, the others to the right."""
    clean = [[printable(text) for text in row] for row in rows]
    rooms = [max(map(width, column)) for column in zip(*clean, strict=True)]
    return [
        GAP.join(
            text + " " * (room - width(text)) if i < names else " " * (room - width(text)) + text
            for i, (text, room) in enumerate(zip(row, rooms, strict=True))
        ).rstrip()
        for row in clean
    ]


def printable(text: str) -> str:
    """The text with what would move the cursor written out: ids come from files and go to a terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def width(text: str) -> int:
    """How many columns of a terminal a text takes: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report: a table (header first), lines, or both. `names`: columns that are text, from the left.

    A line may have others below it that belong to it: then it is a tuple.

    folded    a form that can fold shows the title alone at first
    code      the lines are code
    starred   values that end in `*` are the best of their column: a form may write them in bold instead
    """

    title: str
    lines: tuple[str | tuple[str, ...], ...] = ()
    table: tuple[tuple[str, ...], ...] = ()
    names: int = 1
    folded: bool = False
    code: bool = False
    starred: bool = False


def sections_text(parts: Sequence[Section]) -> str:
    """The sections as plain text, an empty line between them; it ends in a line end."""
    return "\n\n".join(map(part, parts)) + "\n"


def part(section: Section) -> str:
    """The section as plain text: its title, its table, its lines."""
    table = aligned(section.table, section.names) if section.table else []
    lines = []
    for line in section.lines:
        first, *below = (line,) if isinstance(line, str) else line
        lines += [f"  {printable(first)}", *(f"      {printable(text)}" for text in below)]
    between = [""] if table and lines else []
    return "\n".join([printable(section.title), *(f"  {line}" for line in table), *between, *lines])
