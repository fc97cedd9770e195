"""Pareto chart: quality against time or cost for each mode; a line joins those that no other beats in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankproof.reports._charts.drawn import KEY
from rankproof.reports._charts.frame import Look, Spec, domain, framed, labels


@dataclass(frozen=True, slots=True)
class Point:
    """One mode: what a query costs, what it is worth, and whether no other mode beats it in both."""

    name: str
    price: float
    value: float
    unbeaten: bool


def pareto_chart(points: Sequence[Point], measure: str, axis: str, look: Look) -> Spec:
    """Prices go to the right, on a logarithmic scale where all are above 0; quality goes up.

    Modes that no other beats are filled and joined.
    """
    logarithmic = all(point.price > 0 for point in points)
    rows = [
        {"name": name, "key": f"{KEY}{i}", "price": point.price, "value": point.value, "unbeaten": point.unbeaten}
        for i, (name, point) in enumerate(zip(labels(p.name for p in points), points, strict=True))
    ]
    line = sorted((row for row in rows if row["unbeaten"]), key=lambda row: float(str(row["price"])))
    scale = {"type": "log", "nice": True} if logarithmic else {"nice": True, "zero": True}
    x = {"field": "price", "type": "quantitative", "scale": scale,
         "axis": {"title": axis, "tickCount": 4, "grid": True, "format": "~g"}}  # fmt: skip
    y = {"field": "value", "type": "quantitative", "scale": {"domain": domain([p.value for p in points]), "nice": True},
         "axis": {"title": measure, "tickCount": 5}}  # fmt: skip
    colors = look.palette
    dot = {"type": "point", "size": 90, "opacity": 1, "strokeWidth": 2}
    carried = {"x": x, "y": y, "description": {"field": "key", "type": "nominal"}}
    # The label of what stands at the right edge goes to the left, so that it is not cut off.
    middle = _middle([point.price for point in points], logarithmic)
    sides = (("left", 9, [p.price <= middle for p in points]), ("right", -9, [p.price > middle for p in points]))
    layers: list[Spec] = [
        {
            "data": {"values": line},
            "mark": {"type": "line", "color": colors.neutral, "strokeDash": [4, 4]},
            "encoding": {"x": x, "y": y},
        },
        {
            "data": {"values": line},
            "mark": {**dot, "filled": True, "color": colors.better},
            "encoding": carried,
        },
        {
            "data": {"values": [row for row in rows if not row["unbeaten"]]},
            "mark": {**dot, "filled": False, "color": colors.neutral},
            "encoding": carried,
        },
        *(
            {
                "data": {"values": [row for row, here in zip(rows, there, strict=True) if here]},
                "mark": {"type": "text", "align": align, "dx": dx, "dy": -9, "color": colors.ink},
                "encoding": {"x": x, "y": y, "text": {"field": "name"}},
            }
            for align, dx, there in sides
        ),
    ]
    return framed(look, f"{measure} against {axis}", "filled: modes that no other beats in both", layers, height=280)


def _middle(prices: Sequence[float], logarithmic: bool) -> float:
    low, high = min(prices), max(prices)
    return float((low * high) ** 0.5) if logarithmic else (low + high) / 2
