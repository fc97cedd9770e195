"""The charts of an answer: values by query, differences with their intervals, rules against what they require.

A notebook's cell shows them inside the page, and `plot()` of an answer as one drawing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from rankproof.errors import UsageError
from rankproof.kernel.estimate import Estimate
from rankproof.kernel.shown import Drawing
from rankproof.kernel.verdict import Ruling
from rankproof.measuring.records import Evaluation
from rankproof.proving.records import ALL_QUERIES, Comparison
from rankproof.proving.verdict import Verdict
from rankproof.reports.charts.drawing import to_svg
from rankproof.reports.charts.frame import LIGHT, ChartStyle, labels
from rankproof.reports.charts.intervals import UNIT, forest, panels
from rankproof.reports.charts.layout import domain
from rankproof.reports.charts.plot import Axis, DotMark, Plot, RuleMark
from rankproof.reports.charts.values import can_draw, query_chart, value_chart
from rankproof.reports.verdict_sections import CHANGES, value
from rankproof.stack.benchmark.records import Benchmark

Answers = Sequence[Evaluation] | Comparison | Verdict | Benchmark
# One drawing is read at a glance; more measures than this are drawn one by one.
MOST_PLOTS = 8


def answer_chart(shown: Answers, measure: str | None = None) -> Drawing:
    """The drawing of an answer: of every measure, or of one. Its ground is white, so that it is readable anywhere."""
    look = ChartStyle(LIGHT)
    if isinstance(shown, Benchmark):
        shown = shown.comparison
    if isinstance(shown, Verdict):
        chosen, title = _of_verdict(shown, measure, look)
    elif isinstance(shown, Comparison):
        chosen, title = _of_comparison(shown, measure, look)
    else:
        chosen, title = _of_evaluations(shown, measure, look)
    if len(chosen) > MOST_PLOTS:
        raise UsageError(
            f"There are {len(chosen)} charts, more than {MOST_PLOTS} that can be read in one. Name a measure: "
            'plot("nDCG@10").'
        )
    return Drawing(to_svg(*chosen), title)


def answer_plots(record: Comparison | Evaluation, look: ChartStyle, most: int) -> list[tuple[str, Plot]]:
    """The plots of a notebook's cell, each with what it is called: `most` of them."""
    if isinstance(record, Evaluation):
        return [(m, value_chart([record], m, look)) for m in record.results if can_draw([record], m)]
    plots = [(panel.title, forest(panel, look)) for panel in panels(record)][: most - 1]
    whole = [c for c in record.contrasts if c.segment == ALL_QUERIES and c.query_ids]
    return [*plots, *((f"{c.measure} by query", query_chart(c, look)) for c in whole[:1])]


def _of_evaluations(evaluations: Sequence[Evaluation], measure: str | None, look: ChartStyle) -> tuple[list[Plot], str]:
    first = evaluations[0]
    measures = list(first.results) if measure is None else [first[measure].text]
    drawn = [m for m in measures if can_draw(evaluations, m)]
    if not drawn:
        raise UsageError(f"Nothing can be drawn: {', '.join(measures[:5])} has no number for all queries together.")
    names = ", ".join(evaluation.run_name for evaluation in evaluations[:5])
    return [value_chart(evaluations, m, look) for m in drawn], f"{', '.join(drawn[:5])} of {names}"


def _of_comparison(comparison: Comparison, measure: str | None, look: ChartStyle) -> tuple[list[Plot], str]:
    if measure is not None:
        text = comparison.evaluations[0].canonical(measure) if comparison.evaluations else measure
        if text not in comparison.measures:
            raise UsageError(f"{text} was not compared; compared: {', '.join(comparison.measures)}.")
        only = tuple(c for c in comparison.contrasts if c.measure == text)
        comparison = replace(comparison, measures=(text,), contrasts=only)
    chosen = [forest(panel, look) for panel in panels(comparison)]
    whole = [c for c in comparison.contrasts if c.segment == ALL_QUERIES and c.query_ids]
    if len(comparison.systems) == 2 and whole:
        # With one candidate there is room for its queries too; several would be a page.
        chosen.append(query_chart(whole[0], look))
    others = ", ".join(comparison.systems[1:6])
    return chosen, f"{others} against {comparison.systems[0]} in {', '.join(comparison.measures[:5])}"


# ---- rules against what they require ----------------------------------------------------------------


def _of_verdict(verdict: Verdict, measure: str | None, look: ChartStyle) -> tuple[list[Plot], str]:
    """One plot for each scale: changes, values, larger values, milliseconds and shares have no axis in common."""
    if measure is not None and verdict.evaluation is not None:
        measure = verdict.evaluation.canonical(measure)
    ruled = [r for r in verdict.rulings if r.observed is not None and r.threshold is not None]
    ruled = [r for r in ruled if math.isfinite(r.observed or 0.0) and measure in (None, r.measure)]
    if not ruled:
        named = sorted({r.measure for r in verdict.rulings if r.measure and r.observed is not None})
        possible = f" Measures with a chart: {', '.join(named)}." if named else ""
        raise UsageError(
            f"No rule of {verdict.policy}{'' if measure is None else f' on {measure}'} has a number and a limit to "
            f"draw.{possible} to_text() and to_html() show every rule."
        )
    groups: dict[tuple[str, bool, bool], list[Ruling]] = {}
    for ruling in ruled:
        large = max(abs(ruling.observed or 0.0), abs(ruling.threshold or 0.0)) > UNIT
        groups.setdefault((ruling.unit, ruling.rule in CHANGES, large), []).append(ruling)
    plots = [_rules_plot(group, f"{verdict.status}: {verdict.policy}", look) for group in groups.values()]
    return plots, f"{verdict.status}: {verdict.policy}"


def _rules_plot(rulings: Sequence[Ruling], title: str, look: ChartStyle) -> Plot:
    """A row for each rule: what was observed, its one-sided bounds, and a mark where the limit is."""
    colors = look.palette
    tones = {"PASS": colors.better, "FAIL": colors.worse}
    marks: list[RuleMark | DotMark] = []
    ends = []
    for row, ruling in enumerate(rulings):
        color = tones.get(ruling.status, colors.neutral)
        assert ruling.threshold is not None
        assert ruling.observed is not None
        bounds = ruling.answer if isinstance(ruling.answer, Estimate) else None
        ends += [ruling.threshold, ruling.observed]
        if bounds is not None and ruling.basis == "interval":
            span = [bounds.low, bounds.high]
            ends += [end for end in span if math.isfinite(end)]
            marks.append(RuleMark((bounds.low, bounds.high), row, color, 5, opacity=0.9, row=row))
        marks.append(RuleMark(ruling.threshold, (row - 0.4, row + 0.4), colors.ink, 2, row=row))
        marks.append(DotMark(ruling.observed, row, color, row=row))
    unit = rulings[0].unit
    change = rulings[0].rule in CHANGES
    axis = {"ms": "milliseconds", "share": "relative change"}.get(unit, "change" if change else unit or "value")
    form = "percent" if unit == "share" else "signed" if change else "plain"
    return Plot(
        look,
        title,
        "Dot: observed; thick line: one-sided bounds; upright line: what is required",
        values=Axis(axis, domain(ends), form=form),
        across=Axis(names=tuple(labels(ruling.title for ruling in rulings))),
        marks=tuple(marks),
        beside=tuple((row, (_required(ruling), ruling.status)) for row, ruling in enumerate(rulings)),
    )


def _required(ruling: Ruling) -> str:
    assert ruling.threshold is not None
    sign = "≤" if ruling.better == "lower" else "≥"
    return f"{ruling.status}: {sign} {value(ruling, ruling.threshold)} required"
