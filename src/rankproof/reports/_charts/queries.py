"""Query chart: the difference of every query, best first, so that a mean cannot hide who pays for it."""

from __future__ import annotations

from rankproof.records.comparison import Contrast
from rankproof.records.words import signed
from rankproof.reports._charts.drawn import KEY
from rankproof.reports._charts.frame import SIGNED_TICKS, Look, Spec, framed

# More bars than this would be thinner than a line: the middle, which changed least, is left out and said.
MOST_BARS = 300


def order(contrast: Contrast) -> list[int]:
    """Places in `query_ids`, best difference first, by the measure's own direction; equal ones as they come."""
    sign = 1.0 if contrast.better == "lower" else -1.0
    return sorted(range(len(contrast.query_ids)), key=lambda i: sign * float(contrast.by_query[i]))


def left_out(contrast: Contrast) -> int:
    """How many queries in the middle the chart does not show."""
    return max(0, len(contrast.query_ids) - MOST_BARS)


def query_chart(contrast: Contrast, look: Look) -> Spec:
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
