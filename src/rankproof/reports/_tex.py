"""Text for LaTeX: its own characters written out, on one line; rows of a tabular."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rankproof.reports._align import printable

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{c: f"\\{c}" for c in "&%$#_{}"},
}


def flat(text: str) -> str:
    """The text on one line."""
    return printable(re.sub(r"\s", " ", text))


def escaped(text: str) -> str:
    """The text with LaTeX's own characters written out, on one line."""
    return "".join(_SPECIAL.get(c, c) for c in flat(text))


def cell(text: str) -> str:
    """The text as a cell. A row that begins with `[` would be read as the argument of the line end above it."""
    return escaped(text).replace("[", "{[}", 1) if text.startswith("[") else escaped(text)


def row(cells: Iterable[str]) -> str:
    """One row of a tabular."""
    return f"{' & '.join(cells)} \\\\"
