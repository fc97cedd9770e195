"""Response chart: how a measure answers to one dial: the best setting of each value with its interval, and the mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankproof.reports._charts.drawn import KEY
from rankproof.reports._charts.frame import SIGNED_TICKS, Look, Spec, domain, framed, labels


@dataclass(frozen=True, slots=True)
class Reply:
    """One value of a dial: gains over the configuration as written of the best setting that has it, and of their mean.

    low, high   the interval of the best one's gain; None where there is none
    """

    name: str
    best: float
    mean: float
    low: float | None
    high: float | None


def response_chart(replies: Sequence[Reply], dial: str, measure: str, look: Look) -> Spec:
    """Values of the dial go to the right, the gain up; 0 is the configuration as written."""
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
         "axis": {"title": dial, "labelAngle": turn, "ticks": False, "labelLimit": look.label_limit}}  # fmt: skip
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
    said = "Dot: the best setting with this value, with its interval; tick: the mean of all; dashed: as written"
    return framed(look, f"{measure} by {dial}", said, layers, height=240)
