r"""A LaTeX table for a paper: booktabs rules, the best value of each measure in bold.

Needs `\usepackage{booktabs}`. Four decimals; whole numbers as such; `undefined` where a query has no value.
The fine print follows as comments, so that the table can be pasted as it is and its facts stay with it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rankproof.records.evaluation import Evaluation
from rankproof.reports._align import printable
from rankproof.reports._contract import Report
from rankproof.reports._grid import Cell, grid, notes

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{c: f"\\{c}" for c in "&%$#_{}"},
}


def render(evaluations: Sequence[Evaluation], *, per_query: bool, observed: Mapping[str, Any]) -> str:
    """A tabular environment, and comments."""
    found = grid(evaluations, per_query)
    values = len(found.header) - found.names
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{'l' * found.names}{'r' * values}}}",
            r"\toprule",
            _row(map(escaped, found.header)),
            r"\midrule",
            *(_row(map(_cell, row)) for row in found.rows),
            r"\bottomrule",
            r"\end{tabular}",
            *(f"% {_flat(note)}" for note in notes(evaluations)),
            "",
        ]
    )


def _row(texts: Any) -> str:
    return f"{' & '.join(texts)} \\\\"


def _cell(cell: Cell) -> str:
    # A row that begins with `[` would be read as the argument of the line end above it.
    text = escaped(cell.text).replace("[", "{[}", 1) if cell.text.startswith("[") else escaped(cell.text)
    return rf"\textbf{{{text}}}" if cell.best else text


def _flat(text: str) -> str:
    return printable(re.sub(r"\s", " ", text))


def escaped(text: str) -> str:
    """The text with LaTeX's own characters written out, on one line."""
    return "".join(_SPECIAL.get(c, c) for c in _flat(text))


OFFERS = (Report("latex", __doc__, render, ".tex", "application/x-latex"),)
