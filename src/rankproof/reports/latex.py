r"""A LaTeX table for a paper: booktabs rules, the best value of each measure in bold.

Needs `\usepackage{booktabs}`. Four decimals; whole numbers as such; `undefined` where a query has no value.
The fine print follows as comments, so that the table can be pasted as it is and its facts stay with it.
A comparison has its significance marks explained in the caption.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankproof.records.comparison import Comparison
from rankproof.records.evaluation import Evaluation
from rankproof.reports._contract import Report
from rankproof.reports._grid import Cell, grid, notes
from rankproof.reports._latex_comparison import latex_comparison
from rankproof.reports._tex import cell, escaped, flat, row


def render(evaluations: Sequence[Evaluation], *, per_query: bool, observed: Mapping[str, Any]) -> str:
    """A tabular environment, and comments."""
    found = grid(evaluations, per_query)
    values = len(found.header) - found.names
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{'l' * found.names}{'r' * values}}}",
            r"\toprule",
            row(map(escaped, found.header)),
            r"\midrule",
            *(row(map(_cell, cells)) for cells in found.rows),
            r"\bottomrule",
            r"\end{tabular}",
            *(f"% {flat(note)}" for note in notes(evaluations)),
            "",
        ]
    )


def _cell(found: Cell) -> str:
    return rf"\textbf{{{cell(found.text)}}}" if found.best else cell(found.text)


def comparison(comparison: Comparison, *, per_query: bool, observed: Mapping[str, Any]) -> str:
    """A table of systems by measures; each query's values are for other forms."""
    return latex_comparison(comparison)


OFFERS = (Report("latex", __doc__, render, ".tex", "application/x-latex", comparison),)
