"""Charts of a search stack: quality against time or cost, and a measure's response to one parameter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rankproof.reports.charts.frame import ChartStyle, labels
from rankproof.reports.charts.layout import domain
from rankproof.reports.charts.plot import Axis, DotMark, PathMark, Plot, RuleMark, TicksMark


@dataclass(frozen=True, slots=True)
class Point:
    """One mode: what a query costs, what it is worth, and whether no other mode beats it in both."""

    name: str
    price: float
    value: float
    unbeaten: bool


def pareto_chart(points: Sequence[Point], measure: str, axis: str, look: ChartStyle) -> Plot:
    """Prices go to the right, on a logarithmic scale where all are above 0; quality goes up.

    Modes that no other beats are filled and joined. Their names come first where not all have room.
    """
    colors = look.palette
    named = list(zip(labels(point.name for point in points), range(len(points)), points, strict=True))
    unbeaten = sorted((each for each in named if each[2].unbeaten), key=lambda each: each[2].price)
    others = [each for each in named if not each[2].unbeaten]
    dots = [DotMark(p.value, p.price, colors.better, True, i, name) for name, i, p in unbeaten]
    dots += [DotMark(p.value, p.price, colors.neutral, False, i, name) for name, i, p in others]
    return Plot(
        look,
        f"{measure} against {axis}",
        "filled: modes that no other beats in both",
        values=Axis(measure, domain([p.value for p in points]), rounded=True),
        across=_prices([p.price for p in points], axis),
        marks=(PathMark(tuple((p.value, p.price) for _, _, p in unbeaten), colors.neutral), *dots),
        down=False,
        height=280,
    )


def _prices(prices: Sequence[float], title: str) -> Axis:
    low, high = min(prices), max(prices)
    if low <= 0:
        return Axis(title, domain([0.0, low, high]))
    # Some room on both sides, also where all prices are the same.
    room = max(math.exp(0.08 * (math.log(high) - math.log(low))), 1.1)
    return Axis(title, (low / room, high * room), log=True)


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


def response_chart(replies: Sequence[Reply], parameter: str, measure: str, look: ChartStyle) -> Plot:
    """The gain with each value of the parameter; 0 is the configuration as written."""
    colors = look.palette
    numbers = [v for r in replies for v in (r.best, r.mean, r.low, r.high) if v is not None]
    marks: list[RuleMark | TicksMark | DotMark] = [RuleMark(0.0, None, colors.neutral, dash="4 4")]
    for i, reply in enumerate(replies):
        if reply.low is not None and reply.high is not None:
            marks.append(RuleMark((reply.low, reply.high), i, colors.better, width=2, opacity=0.45))
        marks.append(TicksMark((reply.mean,), i, colors.neutral, faint=False))
        marks.append(DotMark(reply.best, i, colors.better, row=i))
    gain = Axis(f"gain in {measure} on dev", domain([0.0, *numbers]), form="signed", rounded=True)
    explained = (
        "Dot: the best setting with this value, with its confidence interval; tick: the mean of all; dashed: as written"
    )
    names = Axis(parameter, names=tuple(labels(reply.name for reply in replies)))
    return Plot(look, f"{measure} by {parameter}", explained, gain, names, tuple(marks), down=None)
