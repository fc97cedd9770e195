"""Cell: charts for a notebook, below the table that a record shows by itself."""

from __future__ import annotations

from rankproof.errors import MissingExtra
from rankproof.records.comparison import ALL_QUERIES, Comparison
from rankproof.records.evaluation import Evaluation
from rankproof.reports._charts.drawn import to_inline
from rankproof.reports._charts.forest import forest, panels
from rankproof.reports._charts.frame import Look, Spec
from rankproof.reports._charts.palette import NOTEBOOK
from rankproof.reports._charts.queries import query_chart
from rankproof.reports._charts.values import can_draw, value_chart

# A cell is read at a glance; the report holds the rest.
MOST_CHARTS = 4


def charts(shown: Comparison | Evaluation) -> str:
    """SVG elements in colors that are readable on light and on dark; "" where nothing can be drawn."""
    look = Look(NOTEBOOK, 720)
    try:
        drawn = [to_inline(spec, label) for label, spec in _specs(shown, look)[:MOST_CHARTS]]
    except MissingExtra:
        return ""  # the table stands by itself
    return "".join(f"<div>{svg}</div>" for svg in drawn)


def _specs(shown: Comparison | Evaluation, look: Look) -> list[tuple[str, Spec]]:
    if isinstance(shown, Evaluation):
        return [(m, value_chart([shown], m, look)) for m in shown.results if can_draw([shown], m)]
    found = [(panel.title, forest(panel, look)) for panel in panels(shown)][: MOST_CHARTS - 1]
    whole = [c for c in shown.contrasts if c.segment == ALL_QUERIES and c.query_ids]
    return [*found, *((f"{c.measure} by query", query_chart(c, look)) for c in whole[:1])]
