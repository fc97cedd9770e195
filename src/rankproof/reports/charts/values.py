"""Charts of values: each run's value over its queries, grades in the first k, and the difference of every query."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankproof.kernel.sections import number, signed
from rankproof.measuring.grade_shares import NOT_RETURNED, UNJUDGED, GradeShares
from rankproof.measuring.records import Evaluation
from rankproof.proving.records import Contrast
from rankproof.reports.charts.frame import (
    KEY,
    SIGNED_TICKS,
    ChartStyle,
    Palette,
    Spec,
    domain,
    framed,
    labels,
    rows_axis,
)

# More marks than this make a gray bar and a heavy file: the means stand alone then.
MOST_MARKS = 1_500


def can_draw(evaluations: Sequence[Evaluation], measure: str) -> bool:
    """Whether the measure has numbers to draw: some are texts, and some have no value here."""
    results = [evaluation.results[measure] for evaluation in evaluations]
    return all(result.labels is None and math.isfinite(result.mean) for result in results)


def value_chart(evaluations: Sequence[Evaluation], measure: str, look: ChartStyle) -> Spec:
    """A dot for the value, a tick for each query."""
    results = [evaluation.results[measure] for evaluation in evaluations]
    names = labels(evaluation.run_name for evaluation in evaluations)
    means = [
        {"row": name, "key": f"{KEY}{i}", "value": result.mean, "text": number(result.mean, result.whole)}
        for i, (name, result) in enumerate(zip(names, results, strict=True))
    ]
    queries = [
        {"row": name, "value": value}
        for name, result in zip(names, results, strict=True)
        if result.aggregate == "mean"  # a sum or a geometric mean does not lie among the values of single queries
        for value in result.values.tolist()
        if math.isfinite(value)
    ]
    queries = queries if len(queries) <= MOST_MARKS else []
    colors = look.palette
    ends = domain([0.0, *(result.mean for result in results), *(float(str(row["value"])) for row in queries)])
    y = {"field": "row", "type": "nominal", "sort": None, "axis": rows_axis(look)}
    x = {"type": "quantitative", "scale": {"domain": [min(ends[0], 0.0), ends[1]], "nice": False},
         "axis": {"title": measure, "tickCount": 4 if look.narrow else 6}}  # fmt: skip
    layers: list[Spec] = [
        {
            "data": {"values": queries},
            "mark": {"type": "tick", "color": colors.neutral, "opacity": 0.35, "thickness": 1.5, "height": 15},
            "encoding": {"y": y, "x": {"field": "value", **x}},
        },
        {
            "data": {"values": means},
            "mark": {"type": "point", "filled": True, "size": 80, "opacity": 1, "color": colors.better,
                     "stroke": colors.page, "strokeWidth": 1.5},
            "encoding": {"y": y, "x": {"field": "value", **x}, "description": {"field": "key", "type": "nominal"}},
        },
        {
            "data": {"values": means},
            "mark": {"type": "text", "align": "left", "x": {"expr": "width + 12"}, "color": colors.ink},
            "encoding": {"y": y, "text": {"field": "text"}},
        },
    ]  # fmt: skip
    explained = f"Dot: {results[0].aggregate} of all queries" + ("; ticks: single queries" if queries else "")
    return framed(look, measure, explained, layers, height={"step": 30})


# A part must be this wide to hold its own number.
ROOM = 0.055
NARROW_ROOM = 0.12


def share_chart(shares: GradeShares, look: ChartStyle) -> Spec:
    """Stacked bars, the greatest grade first. A part carries its system's number."""
    colors = look.palette
    names = [_name(part) for part in shares.parts]
    paints = [_paint(part, shares.parts, colors) for part in shares.parts]
    data = []
    for place, (system, row) in enumerate(zip(labels(shares.systems), shares.shares, strict=True)):
        start = 0.0
        for name, (_, on), share in zip(names, paints, row, strict=True):
            end = start + share
            room = NARROW_ROOM if look.narrow else ROOM
            percent_text = f"{100 * share:.0f}%" if share >= room else ""
            data.append({"system": system, "part": name, "from": start, "to": end, "middle": (start + end) / 2,
                         "text": percent_text, "on": on, "key": f"{KEY}{place}"})  # fmt: skip
            start = end
    used = [i for i in range(len(names)) if any(row[i] >= 0.0005 for row in shares.shares)]
    data = [row for row in data if row["part"] in {names[i] for i in used}]
    y = {"field": "system", "type": "nominal", "sort": None, "axis": rows_axis(look)}
    x = {"type": "quantitative", "scale": {"domain": [0, 1], "nice": False},
         "axis": {"format": ".0%", "title": f"share of the first {shares.depth}", "grid": False,
                  "tickCount": 4 if look.narrow else 6}}  # fmt: skip
    legend = {"title": None, "orient": "top", "columns": 3 if look.narrow else 8, "symbolType": "square", "offset": 12}
    layers: list[Spec] = [
        {
            "mark": {"type": "bar", "stroke": colors.page, "strokeWidth": 1.5, "height": {"band": 0.72}},
            "encoding": {
                "y": y,
                "x": {"field": "from", **x},
                "x2": {"field": "to"},
                "color": {
                    "field": "part", "type": "nominal", "sort": None, "legend": legend,
                    "scale": {"domain": [names[i] for i in used], "range": [paints[i][0] for i in used]},
                },
                "description": {"field": "key", "type": "nominal"},
            },
        },
        *(
            {
                "transform": [{"filter": {"field": "on", "equal": on}}],
                "mark": {"type": "text", "baseline": "middle", "color": on},
                "encoding": {"y": y, "x": {"field": "middle", **x}, "text": {"field": "text"}},
            }
            for on in dict.fromkeys(str(row["on"]) for row in data if row["text"])
        ),
    ]  # fmt: skip
    title = f"Grades in the first {shares.depth}"
    spec = framed(look, title, "Mean over queries", layers, height={"step": 34})
    spec["data"] = {"values": data}
    return spec


def _name(part: int | str) -> str:
    return part if isinstance(part, str) else f"grade {part}"


def _paint(part: int | str, parts: tuple[int | str, ...], colors: Palette) -> tuple[str, str]:
    """The color of a part, and the one that is readable on it."""
    if part == UNJUDGED:
        return colors.unjudged, colors.on_unjudged
    if part == NOT_RETURNED:
        return colors.grid, colors.ink
    if isinstance(part, str) or part <= 0:
        return colors.nothing, colors.on_nothing
    above = [p for p in parts if isinstance(p, int) and p > 0]
    # A few grades are spread over the ramp, so that neighbors differ; many share its steps.
    step = round(above.index(part) * (len(colors.ramp) - 1) / max(len(above) - 1, 1)) if len(above) > 1 else 1
    return colors.ramp[step], colors.on_ramp[step]


# More bars than this would be thinner than a line: the middle, which changed least, is left out, and the chart says so.
MOST_BARS = 300


def order(contrast: Contrast) -> list[int]:
    """Places in `query_ids`, best difference first, by the measure's own direction; equal ones as they come."""
    sign = 1.0 if contrast.better == "lower" else -1.0
    return sorted(range(len(contrast.query_ids)), key=lambda i: sign * float(contrast.by_query[i]))


def left_out(contrast: Contrast) -> int:
    """How many queries in the middle the chart does not show."""
    return max(0, len(contrast.query_ids) - MOST_BARS)


def query_chart(contrast: Contrast, look: ChartStyle) -> Spec:
    """Bars from best to worst. A bar carries the query's place in `contrast.query_ids`."""
    places = order(contrast)
    if left_out(contrast):
        places = places[: MOST_BARS // 2] + places[-MOST_BARS // 2 :]
    data = [
        {"at": at, "difference": float(contrast.by_query[i]), "key": f"{KEY}{i}",
         "tone": _tone(float(contrast.by_query[i]), contrast.better)}
        for at, i in enumerate(places)
    ]  # fmt: skip
    colors = look.palette
    y = {
        "type": "quantitative",
        "axis": {
            "title": "difference" + (f" in {contrast.scale}" if contrast.scale else ""), "labelExpr": SIGNED_TICKS,
            "tickCount": 5, "domain": False, "ticks": False,
        },
        "scale": {"zero": True, "nice": True},
    }  # fmt: skip
    x = {"field": "at", "type": "ordinal", "axis": None, "scale": {"paddingInner": 0.18 if len(data) < 150 else 0.0}}
    layers: list[Spec] = [
        {
            "data": {"values": data},
            "mark": {"type": "bar"},
            "encoding": {
                "x": x,
                "y": {"field": "difference", **y},
                "color": {
                    "field": "tone", "type": "nominal", "legend": None,
                    "scale": {"domain": ["better", "worse", "same"],
                              "range": [colors.better, colors.worse, colors.neutral]},
                },
                "description": {"field": "key", "type": "nominal"},
            },
        },
        {
            "data": {"values": [{"at": 0.0}]},
            "mark": {"type": "rule", "color": colors.muted, "strokeWidth": 1},
            "encoding": {"y": {"field": "at", **y}},
        },
    ]  # fmt: skip
    mean = contrast.difference.value
    if mean is not None:
        text = f"mean {signed(mean)}".replace("-", "−")
        layers += [
            {
                "data": {"values": [{"at": mean}]},
                "mark": {"type": "rule", "color": colors.ink, "strokeWidth": 1, "strokeDash": [4, 3]},
                "encoding": {"y": {"field": "at", **y}},
            },
            {
                "data": {"values": [{"at": mean, "text": text}]},
                "mark": {"type": "text", "align": "right", "baseline": "bottom", "dy": -4, "color": colors.ink,
                         "x": {"expr": "width"}, "fontSize": 12},
                "encoding": {"y": {"field": "at", **y}, "text": {"field": "text"}},
            },
        ]  # fmt: skip
    title = f"{contrast.candidate} minus {contrast.baseline} in {contrast.measure}, by query"
    won = f"{contrast.wins} better, {contrast.ties} the same, {contrast.losses} worse; best first"
    return framed(look, title, won, layers, height=200 if look.narrow else 240)


def _tone(difference: float, better: str) -> str:
    if difference == 0 or better == "neither":
        return "same"
    return "better" if (difference > 0) == (better == "higher") else "worse"
