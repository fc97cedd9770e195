"""A plain text table for reading: aligned columns, the best value of each measure marked with `*`.

Four decimals; whole numbers as such; `undefined` where a query has no value. Below the table stands the fine
print: what the measures mean here, the order, the queries, how much is judged. With several runs, lines that
hold for all of them stand once and the others begin with the run's name. The same input gives the same text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from rankproof.records.evaluation import Evaluation
from rankproof.reports._contract import Report
from rankproof.reports._grid import Cell, grid, notes

GAP = "  "
BEST = "* best of these runs; whether the difference is more than chance is another question"


def render(evaluations: Sequence[Evaluation], *, per_query: bool, observed: Mapping[str, Any]) -> str:
    """The table, an empty line, the fine print."""
    found = grid(evaluations, per_query)
    marked = any(cell.best for row in found.rows for cell in row)
    lines = [[printable(name) for name in found.header], *(_texts(row, marked) for row in found.rows)]
    if marked:  # the header keeps clear of the column of marks
        lines[0][found.names :] = [f"{name} " for name in lines[0][found.names :]]
    widths = [max(map(width, column)) for column in zip(*lines, strict=True)]
    out = [
        GAP.join(
            text + " " * (room - width(text)) if i < found.names else " " * (room - width(text)) + text
            for i, (text, room) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    out += ["", *([BEST] if marked else []), *(printable(note) for note in notes(evaluations))]
    return "\n".join(out).rstrip() + "\n"


def _texts(row: tuple[Cell, ...], marked: bool) -> list[str]:
    mark = " " if marked else ""
    return [
        printable(cell.text) + ("*" if cell.best else "" if i == 0 else mark) for i, cell in enumerate(row)
    ]


def printable(text: str) -> str:
    """The text with what would move the cursor written out: ids come from files and go to a terminal."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in text
    )


def width(text: str) -> int:
    """How many columns of a terminal a text takes: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


OFFERS = (Report("table", __doc__, render, ".txt", "text/plain"),)
