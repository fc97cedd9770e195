"""Segments: the same differences for each kind of query, corrected together."""

from __future__ import annotations

from rankproof.records.comparison import Comparison
from rankproof.reports._charts.forest import segment_panels
from rankproof.reports._html.contrasts import OPEN_PLOTS, contrast_table, plot
from rankproof.reports._html.markup import tag
from rankproof.reports._html.section import Section


def section(comparison: Comparison) -> Section | None:
    """A plot for each measure and candidate, and a table; nothing without segments."""
    if not comparison.segments:
        return None
    plots = [plot(panel, comparison, explained=False) for panel in segment_panels(comparison)]
    folded = plots[OPEN_PLOTS:]
    parts = [c for c in comparison.contrasts if c.segment]
    return Section(
        "segments",
        "Segments",
        "Does it hold for every kind of query, or does one kind pay for another?",
        (
            *plots[:OPEN_PLOTS],
            tag("details", tag("summary", f"{len(folded)} more plots"), *folded) if folded else None,
            contrast_table("Differences by segment", comparison, parts),
        ),
    )
