"""Bound charts: how far unjudged documents could move each value and each difference."""

from __future__ import annotations

import math

from rankproof.kernel.estimate import Estimate
from rankproof.kernel.sections import confidence_interval
from rankproof.proving.holes.bounds import MeasureBounds
from rankproof.proving.records import Comparison
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


def bounded(comparison: Comparison) -> list[MeasureBounds]:
    """The bounds of measures that were compared; some measures are texts and have no difference."""
    found = comparison.holes.bounds if comparison.holes is not None else ()
    return [bounds for bounds in found if bounds.measure in comparison.measures]


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
    """Each candidate's difference, what chance leaves open, and the range that unjudged documents leave open."""
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
        found: dict[str, object] = {"row": row, "key": f"{KEY}{i}", "least": bound.least, "greatest": bound.greatest,
                                    "tone": contrast.direction}  # fmt: skip
        if answer.value is not None:
            found["value"] = answer.value
        if isinstance(answer, Estimate):
            found |= {"low": answer.low, "high": answer.high}
        data.append(found)
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
