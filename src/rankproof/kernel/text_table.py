"""Columns of plain text that line up on a terminal, whatever script the texts are in."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

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
