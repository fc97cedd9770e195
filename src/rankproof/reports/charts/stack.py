"""Charts of a search stack: quality against time or cost, and a measure's response to one parameter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankproof.reports.charts.frame import KEY, SIGNED_TICKS, ChartStyle, Spec, domain, framed, labels


@dataclass(frozen=True, slots=True)
class Point:
    """One mode: what a query costs, what it is worth, and whether no other mode beats it in both."""

    name: str
    price: float
    value: float
    unbeaten: bool


def pareto_chart(points: Sequence[Point], measure: str, axis: str, look: ChartStyle) -> Spec:
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


@dataclass(frozen=True, slots=True)
class Reply:
    """One value of a parameter: gains of the best setting that has it, and of all that have it on average.

    low, high   the confidence interval of the best one's gain; None where there is none
    """

    name: str
    best: float
    mean: float
    low: float | None
    high: float | None


def response_chart(replies: Sequence[Reply], parameter: str, measure: str, look: ChartStyle) -> Spec:
    """Values of the parameter go to the right, the gain up; 0 is the configuration as written."""
    names = labels(reply.name for reply in replies)
    rows = [
        {
            "name": name, "key": f"{KEY}{i}", "best": reply.best, "mean": reply.mean,
            "low": reply.best if reply.low is None else reply.low,
            "high": reply.best if reply.high is None else reply.high,
        }
        for i, (name, reply) in enumerate(zip(names, replies, strict=True))
    ]  # fmt: skip
    ends = domain([0.0, *(float(str(row[key])) for row in rows for key in ("best", "mean", "low", "high"))])
    colors = look.palette
    turn = -40 if look.narrow or sum(map(len, names)) > 60 else 0
    x = {"field": "name", "type": "nominal", "sort": None,
         "axis": {"title": parameter, "labelAngle": turn, "ticks": False, "labelLimit": look.label_limit}}  # fmt: skip
    scale = {"scale": {"domain": ends, "nice": True}, "type": "quantitative"}
    y = {**scale, "axis": {"title": f"gain in {measure} on dev", "tickCount": 5, "labelExpr": SIGNED_TICKS}}
    layers: list[Spec] = [
        {
            "data": {"values": [{"zero": 0}]},
            "mark": {"type": "rule", "color": colors.neutral, "strokeDash": [4, 4]},
            "encoding": {"y": {"field": "zero", **y}},
        },
        {
            "data": {"values": rows},
            "mark": {"type": "rule", "color": colors.better, "strokeWidth": 2, "opacity": 0.45},
            "encoding": {"x": x, "y": {"field": "low", **y}, "y2": {"field": "high"}},
        },
        {
            "data": {"values": rows},
            "mark": {"type": "tick", "color": colors.neutral, "thickness": 2, "width": 18},
            "encoding": {"x": x, "y": {"field": "mean", **y}},
        },
        {
            "data": {"values": rows},
            "mark": {"type": "point", "filled": True, "size": 80, "opacity": 1, "color": colors.better},
            "encoding": {"x": x, "y": {"field": "best", **y}, "description": {"field": "key", "type": "nominal"}},
        },
    ]
    explained = (
        "Dot: the best setting with this value, with its confidence interval; tick: the mean of all; dashed: as written"
    )
    return framed(look, f"{measure} by {parameter}", explained, layers, height=240)
