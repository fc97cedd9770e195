"""What a chart shows: two axes and marks, in the units of its data. How it is drawn is decided in `drawing.py` alone.

Every mark has its place on both axes: `value` on the axis of values, `at` on the other one, where rows, columns or
prices lie. Which of them goes to the right and which up is the plot's own choice, `down`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankproof.reports.charts.frame import ChartStyle

# One value, or both ends of a span, or None: from edge to edge of the plot.
Place = float | tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Axis:
    """Values between `ends`, or `names` at the places 0, 1, 2, ...

    form      how its numbers are written: "plain", "signed" or "percent"
    most      the most parts that ticks cut the axis into; fewer where their labels do not fit
    rounded   the ends are widened to ticks
    """

    title: str = ""
    ends: tuple[float, float] = (0.0, 1.0)
    names: tuple[str, ...] = ()
    form: str = "plain"
    most: int = 8
    log: bool = False
    rounded: bool = False
    grid: bool = True
    shown: bool = True


@dataclass(frozen=True, slots=True)
class RuleMark:
    """A straight line."""

    value: Place
    at: Place
    color: str
    width: float = 1.0
    dash: str = ""
    opacity: float = 1.0
    row: int | None = None


@dataclass(frozen=True, slots=True)
class DotMark:
    """A dot; one with a `name` is labelled where there is room, and in a list below the plot where there is none."""

    value: float
    at: float
    color: str
    filled: bool = True
    row: int | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class BoxMark:
    """A rectangle, with a text inside where it fits."""

    value: tuple[float, float]
    at: tuple[float, float]
    color: str
    row: int | None = None
    text: str = ""
    ink: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class TicksMark:
    """A short line for each value, at one place of the other axis.

    faint   so that a dot stands out; darker where several fall together
    """

    values: Sequence[float]
    at: float
    color: str
    faint: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class BarsMark:
    """A bar from zero for each value, side by side; neighbors share a bar where there are more values than bars fit."""

    values: Sequence[float]
    colors: Sequence[str]
    rows: Sequence[int]


@dataclass(frozen=True, slots=True)
class PathMark:
    """A dashed line through points (value, at)."""

    points: tuple[tuple[float, float], ...]
    color: str


PlotMark = RuleMark | DotMark | BoxMark | TicksMark | BarsMark | PathMark


@dataclass(frozen=True, slots=True, eq=False)
class Plot:
    """A chart.

    down      rows go down and values to the right; False: rows go across and values up; None: as their names fit
    height    of the plot in pixels where rows do not go down
    beside    at the right of the plot: the place on its vertical axis, and texts from the longest to the shortest; the
              first that leaves enough room is taken, the same for all
    """

    look: ChartStyle
    title: str
    subtitle: str
    values: Axis
    across: Axis
    marks: tuple[PlotMark, ...]
    down: bool | None = True
    height: int = 240
    beside: tuple[tuple[float, tuple[str, ...]], ...] = ()
    legend: tuple[tuple[str, str], ...] = ()
