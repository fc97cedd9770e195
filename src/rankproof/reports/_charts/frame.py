"""Frame: what all charts share: size, type, axes; and labels that come from files."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from rankproof.reports._align import printable
from rankproof.reports._charts.palette import LIGHT, Palette

Spec = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
FONT = "-apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, system-ui, sans-serif"
# Signs in front, no more digits than the tick has; zero has no sign.
SIGNED_TICKS = "datum.value === 0 ? '0' : format(datum.value, '+~g')"
# Below this width there is room for marks and short labels only.
NARROW = 480


@dataclass(frozen=True, slots=True)
class Look:
    """How a chart is drawn: its colors, its whole width in pixels, and whether it says its own title."""

    palette: Palette = LIGHT
    width: int = 760
    titled: bool = True

    @property
    def narrow(self) -> bool:
        """Whether it is for a phone."""
        return self.width < NARROW

    @property
    def label_limit(self) -> int:
        """The most pixels that a label beside the plot may take."""
        return round(self.width * 0.3)


def framed(look: Look, title: str, subtitle: str, layers: Sequence[Spec], **more: Any) -> Spec:
    """A layered chart in the common look: as wide as the look says, with axes and texts beside the plot."""
    colors = look.palette
    spec: Spec = {
        "$schema": SCHEMA,
        "width": look.width,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "padding": {"left": 2, "right": 4, "top": 6, "bottom": 4},
        "background": None if colors.page.startswith(("var(", "transparent")) else colors.page,
        "layer": list(layers),
        **more,
        "config": {
            "font": FONT,
            "view": {"stroke": None},
            "axis": {
                "labelColor": colors.muted, "titleColor": colors.muted, "gridColor": colors.grid,
                "domainColor": colors.line, "tickColor": colors.line, "labelFontSize": 12, "titleFontSize": 12,
                "titleFontWeight": "normal", "titlePadding": 10, "labelPadding": 6,
            },
            "legend": {
                "labelColor": colors.muted, "titleColor": colors.muted, "labelFontSize": 12, "titleFontSize": 12,
                "titleFontWeight": "normal", "symbolStrokeWidth": 0,
            },
            "text": {"color": colors.ink, "fontSize": 12},
            "title": {
                "color": colors.ink, "subtitleColor": colors.muted, "fontSize": 15, "subtitleFontSize": 12,
                "anchor": "start", "frame": "bounds", "offset": 14, "subtitlePadding": 4,
            },
        },
    }  # fmt: skip
    if look.titled:
        # A letter takes about half its size; what does not fit on one line goes on.
        spec["title"] = {
            "text": wrap(printable(title), look.width // 9),
            "subtitle": wrap(printable(subtitle), look.width // 7),
        }
    return spec


def rows_axis(look: Look) -> Spec:
    """The names down the left side."""
    return {
        "title": None, "ticks": False, "domain": False, "grid": False, "labelLimit": look.label_limit,
        "labelColor": look.palette.ink, "labelPadding": 8,
    }  # fmt: skip


def labels(names: Iterable[str]) -> list[str]:
    """Names as one line each, no two the same: a chart would lay rows of one name over each other."""
    found: dict[str, None] = {}
    for name in names:
        plain = printable(name) or "(no name)"
        text, number = plain, 2
        while text in found:
            text, number = f"{plain} ({number})", number + 1
        found[text] = None
    return list(found)


def domain(values: Iterable[float], least_span: float = 1e-6) -> list[float]:
    """From the least to the greatest finite value, with a little room on both sides."""
    finite = [value for value in values if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    room = max(high - low, least_span) * 0.06
    return [low - room, high + room]


def within(value: float, ends: Sequence[float]) -> float:
    """The value, or the end of the plot where it lies beyond: an interval may have no end."""
    return min(max(value, ends[0]), ends[1])
