"""Plots of intervals: the differences of contrasts in a forest plot, and the ranges that unjudged documents leave open.

A forest plot has each difference with its confidence interval, around a line at zero. A plot of bounds has each value
or difference with the range over all grades that unjudged documents could have.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rankproof.kernel.estimate import Estimate
from rankproof.kernel.sections import confidence_interval, interval, printable, signed
from rankproof.proving.holes.bounds import MeasureBounds
from rankproof.proving.records import ALL_QUERIES, Comparison, Contrast
from rankproof.reports.charts.frame import (
    KEY,
    SIGNED_TICKS,
    ChartStyle,
    Spec,
    domain,
    framed,
    labels,
    rows_axis,
    within,
)

TONES = ("better", "worse", "not shown")
# Differences up to this share one axis: measures on a larger scale would flatten them.
UNIT = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """Contrasts that share an axis. `rows` names them, `title` says what the axis is."""

    name: str
    title: str
    rows: tuple[str, ...]
    contrasts: tuple[Contrast, ...]


def panels(comparison: Comparison) -> list[Panel]:
    """One panel per measure, a row for each pair; with a single pair, one panel with a row for each measure."""
    whole = [c for c in comparison.contrasts if c.segment == ALL_QUERIES]
    first = comparison.systems[0]
    if len({(c.baseline, c.candidate) for c in whole}) > 1:
        only = all(c.baseline == first for c in whole)
        return [
            Panel(
                measure,
                f"Difference in {measure}" + (f" from {first}" if only else ""),
                tuple(c.candidate if only else f"{c.candidate} − {c.baseline}" for c in of),
                tuple(of),
            )
            for measure in comparison.measures
            if (of := [c for c in whole if c.measure == measure])
        ]
    alike = [c for c in whole if not c.scale and _size(c) <= UNIT]
    others = [c for c in whole if c not in alike]
    groups = ([alike] if alike else []) + [[c] for c in others]
    name = f"{whole[0].candidate} minus {whole[0].baseline}" if whole else ""
    return [Panel(g[0].measure, name, tuple(c.measure for c in g), tuple(g)) for g in groups]


def segment_panels(comparison: Comparison) -> list[Panel]:
    """One panel per measure and pair: all queries, then each segment."""
    by_pair: dict[tuple[str, str, str], list[Contrast]] = {}
    for contrast in comparison.contrasts:
        by_pair.setdefault((contrast.measure, contrast.baseline, contrast.candidate), []).append(contrast)
    several = len({pair[1:] for pair in by_pair}) > 1
    return [
        Panel(
            f"{measure} {candidate}" if several else measure,
            f"Difference in {measure}, {candidate} minus {baseline}",
            tuple(c.segment or "all queries" for c in of),
            tuple(of),
        )
        for (measure, baseline, candidate), of in by_pair.items()
        if len(of) > 1
    ]


def forest(panel: Panel, look: ChartStyle) -> Spec:
    """The plot of one panel. Marks of a row carry its number."""
    margins = sorted({m for c in panel.contrasts for m in _margins(c)})
    ends = domain([0.0, *margins, *(v for c in panel.contrasts for v in _ends(c))])
    data = [
        _row(i, label, contrast, ends)
        for i, (label, contrast) in enumerate(zip(labels(panel.rows), panel.contrasts, strict=True))
    ]
    colors = look.palette
    # Every layer shows some of the rows: the order of all of them is given, or each layer would add its own.
    y = {"field": "row", "type": "nominal", "sort": [row["row"] for row in data], "axis": rows_axis(look)}
    x = {
        "type": "quantitative",
        "scale": {"domain": ends, "nice": False, "zero": False},
        "axis": {"title": _axis_title(panel), "labelExpr": SIGNED_TICKS, "tickCount": 3 if look.narrow else 6},
    }
    color = {
        "field": "tone", "type": "nominal", "legend": None,
        "scale": {"domain": list(TONES), "range": [colors.better, colors.worse, colors.neutral]},
    }  # fmt: skip
    key = {"field": "key", "type": "nominal"}

    def span(low: str, high: str, **mark: object) -> Spec:
        return {
            "data": {"values": [row for row in data if low in row]},
            "mark": {"type": "rule", **mark},
            "encoding": {"y": y, "x": {"field": low, **x}, "x2": {"field": high}, "color": color, "description": key},
        }

    layers: list[Spec] = [
        {
            "data": {"values": [{"at": 0.0}]},
            "mark": {"type": "rule", "color": colors.muted, "strokeWidth": 1},
            "encoding": {"x": {"field": "at", **x}},
        },
        span("all_low", "all_high", strokeWidth=1.5, opacity=0.75),
        span("low", "high", strokeWidth=5, opacity=0.9, strokeCap="butt"),
        {
            "data": {"values": [row for row in data if "value" in row]},
            "mark": {
                "type": "point",
                "filled": True,
                "size": 62,
                "opacity": 1,
                "stroke": colors.page,
                "strokeWidth": 1.5,
            },
            "encoding": {"y": y, "x": {"field": "value", **x}, "color": color, "description": key},
        },
        {
            "data": {"values": data},
            "mark": {"type": "text", "align": "left", "x": {"expr": "width + 12"}, "color": colors.ink},
            "encoding": {"y": y, "text": {"field": "short" if look.narrow else "text"}},
        },
    ]
    if margins:
        dashed = {"type": "rule", "color": colors.muted, "strokeWidth": 1, "strokeDash": [4, 3]}
        layers.insert(1, {"data": {"values": [{"at": m} for m in margins]}, "mark": dashed,
                          "encoding": {"x": {"field": "at", **x}}})  # fmt: skip
    return framed(look, panel.title, _reading(panel), layers, height={"step": 30})


def _row(number: int, label: str, contrast: Contrast, ends: Sequence[float]) -> dict[str, object]:
    answer = contrast.difference
    row: dict[str, object] = {"row": label, "key": f"{KEY}{number}", "tone": contrast.direction}
    if answer.value is None:
        return {**row, "text": "not estimable", "short": "none"}
    row |= {"value": within(answer.value, ends), "short": _minus(signed(answer.value))}
    if not isinstance(answer, Estimate):
        return {**row, "text": f"{row['short']}  no interval"}
    row |= {"low": within(answer.low, ends), "high": within(answer.high, ends)}
    if contrast.adjusted is not None:
        row |= {"all_low": within(contrast.adjusted.low, ends), "all_high": within(contrast.adjusted.high, ends)}
    return {**row, "text": f"{row['short']}  ({_minus(interval(answer.low, answer.high))})"}


def _ends(contrast: Contrast) -> list[float]:
    answer = contrast.difference
    ends = [answer.value] if answer.value is not None else []
    if isinstance(answer, Estimate):
        ends += [answer.low, answer.high]
        if contrast.adjusted is not None:
            ends += [contrast.adjusted.low, contrast.adjusted.high]
    return ends


def _margins(contrast: Contrast) -> list[float]:
    """Where the margins lie: on both sides for equivalence, on the side that is worse for non-inferiority."""
    equivalence = contrast.equivalence
    if equivalence is None:
        return []
    margin = equivalence.margin
    if equivalence.kind == "equivalence":
        return [-margin, margin]
    return [margin if contrast.better == "lower" else -margin]


def _size(contrast: Contrast) -> float:
    return max((abs(v) for v in (*_ends(contrast), contrast.baseline_mean, contrast.candidate_mean)), default=0.0)


def _axis_title(panel: Panel) -> str:
    sides = {c.better for c in panel.contrasts}
    scale = next((f" in {c.scale}" for c in panel.contrasts if c.scale), "")
    side = {"higher": "right is better", "lower": "left is better"}.get(sides.pop()) if len(sides) == 1 else None
    return printable(f"difference{scale}" + (f" ({side})" if side else ""))


def _reading(panel: Panel) -> str:
    level = next((c.difference.level for c in panel.contrasts if isinstance(c.difference, Estimate)), 0.95)
    kinds = dict.fromkeys(c.adjusted.kind for c in panel.contrasts if c.adjusted is not None)
    thin = f"; thin line: {', '.join(kinds)}" if kinds else ""
    margin = "; dashed: the margin" if any(c.equivalence for c in panel.contrasts) else ""
    return f"Dot: mean over queries; thick line: {confidence_interval(level)}{thin}{margin}"


def _minus(text: str) -> str:
    return text.replace("-", "−")


# ---- bounds over unjudged documents --------------------------------------------------------------


def bounded(comparison: Comparison) -> list[MeasureBounds]:
    """The bounds of measures that were compared; some measures are texts and have no difference."""
    all_bounds = comparison.holes.bounds if comparison.holes is not None else ()
    return [bounds for bounds in all_bounds if bounds.measure in comparison.measures]


def value_bounds(comparison: Comparison, bounds: MeasureBounds, look: ChartStyle) -> Spec:
    """Each system's value, and the range it could have."""
    means = [evaluation[bounds.measure].mean for evaluation in comparison.evaluations]
    ends = domain([v for b in bounds.values for v in (b.least, b.greatest)] + means)
    data = [
        {
            "row": row,
            "key": f"{KEY}{i}",
            "least": bound.least,
            "greatest": bound.greatest,
            "value": mean,
            "tone": "value",
        }
        for i, (row, bound, mean) in enumerate(zip(labels(comparison.systems), bounds.values, means, strict=True))
    ]
    title = f"{bounds.measure}: what unjudged documents could make of it"
    explained = "Dot: value as judged; bar: from the least to the greatest value over all possible grades"
    return _ranges(look, title, explained, data, ends, bounds.measure, zero=False)


def difference_bounds(comparison: Comparison, bounds: MeasureBounds, look: ChartStyle) -> Spec:
    """Each candidate's difference, its confidence interval, and the range that unjudged documents leave open."""
    contrasts = [comparison.contrast(bounds.measure, candidate) for candidate in comparison.systems[1:]]
    answers = [contrast.difference for contrast in contrasts]
    ends = domain(
        [0.0, *(v for b in bounds.differences for v in (b.least, b.greatest))]
        + [v for a in answers if isinstance(a, Estimate) for v in (a.low, a.high)]
    )
    data: list[dict[str, object]] = []
    names = labels(comparison.systems[1:])
    for i, (row, bound, contrast) in enumerate(zip(names, bounds.differences, contrasts, strict=True)):
        answer = contrast.difference
        fields: dict[str, object] = {"row": row, "key": f"{KEY}{i}", "least": bound.least, "greatest": bound.greatest,
                                    "tone": contrast.direction}  # fmt: skip
        if answer.value is not None:
            fields["value"] = answer.value
        if isinstance(answer, Estimate):
            fields |= {"low": answer.low, "high": answer.high}
        data.append(fields)
    title = f"{bounds.measure}: how far unjudged documents could move a difference from {comparison.systems[0]}"
    explained = f"Dot: as judged; line: {confidence_interval(comparison.level)}; wide bar: over all possible grades"
    return _ranges(look, title, explained, data, ends, f"difference in {bounds.measure}", zero=True)


def _drawable(row: dict[str, object], ends: list[float]) -> dict[str, object]:
    """The row with its numbers within the plot; what is no number is left out."""
    numbers = {name: value for name, value in row.items() if isinstance(value, float)}
    drawn = {name: within(value, ends) for name, value in numbers.items() if not math.isnan(value)}
    return {**{name: value for name, value in row.items() if name not in numbers}, **drawn}


def _ranges(
    look: ChartStyle,
    title: str,
    explained: str,
    data: list[dict[str, object]],
    ends: list[float],
    axis: str,
    zero: bool,
) -> Spec:
    colors = look.palette
    data = [_drawable(row, ends) for row in data]
    y = {"field": "row", "type": "nominal", "sort": [row["row"] for row in data], "axis": rows_axis(look)}
    ticks = {"title": axis, "tickCount": 4 if look.narrow else 7, **({"labelExpr": SIGNED_TICKS} if zero else {})}
    x = {"type": "quantitative", "scale": {"domain": ends, "nice": False, "zero": False}, "axis": ticks}
    color = {
        "field": "tone", "type": "nominal", "legend": None,
        "scale": {"domain": ["better", "worse", "not shown", "value"],
                  "range": [colors.better, colors.worse, colors.neutral, colors.ink]},
    }  # fmt: skip
    key = {"field": "key", "type": "nominal"}
    line = {"type": "rule", "color": colors.muted, "strokeWidth": 1}
    layers: list[Spec] = [
        {
            "transform": [{"filter": "isValid(datum.least) && isValid(datum.greatest)"}],
            "mark": {"type": "bar", "color": colors.reach, "height": {"band": 0.5}, "cornerRadius": 2},
            "encoding": {"y": y, "x": {"field": "least", **x}, "x2": {"field": "greatest"}, "description": key},
        },
        {
            "transform": [{"filter": "isValid(datum.low)"}],
            "mark": {"type": "rule", "strokeWidth": 3},
            "encoding": {"y": y, "x": {"field": "low", **x}, "x2": {"field": "high"}, "color": color},
        },
        {
            "transform": [{"filter": "isValid(datum.value)"}],
            "mark": {"type": "point", "filled": True, "size": 62, "opacity": 1, "stroke": colors.page,
                     "strokeWidth": 1.5},
            "encoding": {"y": y, "x": {"field": "value", **x}, "color": color, "description": key},
        },
    ]  # fmt: skip
    if zero:
        at = {"data": {"values": [{"at": 0.0}]}, "mark": line, "encoding": {"x": {"field": "at", **x}}}
        layers.insert(1, at)
    spec = framed(look, title, explained, layers, height={"step": 30})
    spec["data"] = {"values": data}
    return spec
