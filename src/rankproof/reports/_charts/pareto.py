"""Pareto chart: quality against time for each mode; a line joins those that no other beats in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankproof.reports._charts.drawn import KEY
from rankproof.reports._charts.frame import Look, Spec, domain, framed, labels


@dataclass(frozen=True, slots=True)
class Point:
    """One mode: what a query costs and what it is worth."""

    name: str
    milliseconds: float
    value: float


def frontier(points: Sequence[Point]) -> list[Point]:
    """Those that no other one beats in time without being worse, fastest first."""
    found: list[Point] = []
    for point in sorted(points, key=lambda p: (p.milliseconds, -p.value)):
        if not found or point.value > found[-1].value:
            found.append(point)
    return found


def pareto_chart(points: Sequence[Point], measure: str, look: Look) -> Spec:
    """Time goes to the right on a logarithmic scale, quality up."""
    names = labels(point.name for point in points)
    least = min((p.milliseconds for p in points if p.milliseconds > 0), default=1.0)
    rows = [
        {"name": name, "key": f"{KEY}{i}", "time": max(point.milliseconds, least), "value": point.value}
        for i, (name, point) in enumerate(zip(names, points, strict=True))
    ]
    line = [{"time": max(point.milliseconds, least), "value": point.value} for point in frontier(points)]
    x = {"field": "time", "type": "quantitative", "scale": {"type": "log", "nice": True},
         "axis": {"title": "milliseconds a query (median)", "tickCount": 4, "grid": True}}  # fmt: skip
    y = {"field": "value", "type": "quantitative", "scale": {"domain": domain([p.value for p in points]), "nice": True},
         "axis": {"title": measure, "tickCount": 5}}  # fmt: skip
    colors = look.palette
    layers: list[Spec] = [
        {
            "data": {"values": line},
            "mark": {"type": "line", "color": colors.neutral, "strokeDash": [4, 4], "interpolate": "step-after"},
            "encoding": {"x": x, "y": y},
        },
        {
            "data": {"values": rows},
            "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1, "color": colors.better},
            "encoding": {"x": x, "y": y, "description": {"field": "key", "type": "nominal"}},
        },
        {
            "data": {"values": rows},
            "mark": {"type": "text", "align": "left", "dx": 9, "dy": -9, "color": colors.ink},
            "encoding": {"x": x, "y": y, "text": {"field": "name"}},
        },
    ]
    return framed(look, f"{measure} against time", "dashed: modes that no other beats in both", layers, height=280)
