"""Charts as records of what they show, drawn to SVG by `drawing.py`; and every chart by its name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rankproof.measuring.records import Evaluation
from rankproof.proving.records import ALL_QUERIES, Comparison
from rankproof.reports.charts.frame import ChartStyle
from rankproof.reports.charts.intervals import bounded, difference_bounds, forest, panels, segment_panels, value_bounds
from rankproof.reports.charts.plot import Plot
from rankproof.reports.charts.values import can_draw, query_chart, share_chart, value_chart


def charts(comparison: Comparison, look: ChartStyle | None = None) -> dict[str, Plot]:
    """Name -> the chart. Names are fit for files: small letters, digits, hyphens."""
    look = look or ChartStyle()
    plots = [(f"forest-{panel.name}", forest(panel, look)) for panel in panels(comparison)]
    if comparison.segments:
        plots += [(f"segments-{panel.name}", forest(panel, look)) for panel in segment_panels(comparison)]
    several = len(comparison.systems) > 2
    for contrast in comparison.contrasts:
        if contrast.segment == ALL_QUERIES and contrast.baseline == comparison.systems[0]:
            name = f"queries-{contrast.measure}" + (f"-{contrast.candidate}" if several else "")
            plots.append((name, query_chart(contrast, look)))
    if comparison.grade_shares is not None:
        plots.append(("grades", share_chart(comparison.grade_shares, look)))
    for bounds in bounded(comparison):
        plots.append((f"bounds-{bounds.measure}", value_bounds(comparison, bounds, look)))
        plots.append((f"bounds-difference-{bounds.measure}", difference_bounds(comparison, bounds, look)))
    return _named(plots)


def evaluation_charts(evaluations: Sequence[Evaluation], look: ChartStyle | None = None) -> dict[str, Plot]:
    """Name -> the chart, one chart for each measure that has numbers."""
    look = look or ChartStyle()
    measures = evaluations[0].results if evaluations else {}
    drawn = [m for m in measures if can_draw(evaluations, m)]
    return _named((f"values-{measure}", value_chart(evaluations, measure, look)) for measure in drawn)


def _named(plots: Iterable[tuple[str, Plot]]) -> dict[str, Plot]:
    """Names that no file system refuses, and no two the same; runs and measures are called what they like."""
    named: dict[str, Plot] = {}
    for title, plot in plots:
        plain = re.sub(r"[^a-z0-9]+", "-", title.casefold()).strip("-")[:80]
        name, number = plain, 2
        while name in named:
            name, number = f"{plain}-{number}", number + 1
        named[name] = plot
    return named
