"""What all charts share: size, type, axes, colors, and drawing to SVG or PNG.

Blue is better and orange is worse: color-blind people can tell these two apart. Whatever color shows is
also written in words. Every text color has a contrast of at least 4.5 with its ground (WCAG 2, AA).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from textwrap import wrap
from typing import Any

from rankproof.errors import MissingExtra
from rankproof.kernel.sections import printable


@dataclass(frozen=True, slots=True)
class Palette:
    """Colors by their meaning.

    ramp      from the greatest grade to the least that is above 0; `on_ramp` is readable on each
    nothing   grade 0 and below
    """

    page: str
    raised: str
    ink: str
    muted: str
    line: str
    grid: str
    better: str
    worse: str
    neutral: str
    reach: str  # ranges from unjudged documents: behind everything
    link: str
    ramp: tuple[str, ...]
    on_ramp: tuple[str, ...]
    nothing: str
    on_nothing: str
    unjudged: str
    on_unjudged: str


LIGHT = Palette(
    page="#ffffff", raised="#f6f7f9", ink="#1b1f24", muted="#57606a", line="#d4d9df", grid="#e9ecf0",
    better="#1264a3", worse="#b4490b", neutral="#69737d", reach="#ced6df", link="#0b5cad",
    ramp=("#0b3c68", "#1264a3", "#3f8ac4", "#79b0db", "#a9cdea", "#d0e4f4"),
    on_ramp=("#ffffff", "#ffffff", "#0c1116", "#0c1116", "#0c1116", "#0c1116"),
    nothing="#e7dccf", on_nothing="#3b2f22", unjudged="#b9bfc6", on_unjudged="#1b1f24",
)  # fmt: skip

DARK = Palette(
    page="#12161b", raised="#1a1f26", ink="#e6eaee", muted="#9aa5b1", line="#343c46", grid="#252c34",
    better="#63b3f2", worse="#f2995a", neutral="#98a3ae", reach="#3a4450", link="#7cbcf5",
    ramp=("#cfe7fb", "#9bcdf5", "#63aee8", "#3a86c4", "#2a6699", "#204b70"),
    on_ramp=("#0c1116", "#0c1116", "#0c1116", "#0c1116", "#ffffff", "#ffffff"),
    nothing="#4f4436", on_nothing="#f3e9dc", unjudged="#5a646f", on_unjudged="#ffffff",
)  # fmt: skip


def _named() -> dict[str, Any]:
    """The same names as variables of the page's style sheet."""
    found: dict[str, Any] = {}
    for field in fields(Palette):
        value = getattr(LIGHT, field.name)
        name = field.name.replace("_", "-")
        several = isinstance(value, tuple)
        found[field.name] = tuple(f"var(--{name}-{i})" for i in range(len(value))) if several else f"var(--{name})"
    return found


# In a page the style sheet decides, so that one drawing serves light, dark and print.
PAGE = Palette(**_named())

# In a notebook nothing is known of the ground: text takes the notebook's own color, marks lie in the middle.
NOTEBOOK = Palette(
    page="transparent", raised="transparent", ink="currentColor", muted="currentColor", line="#8a939c80",
    grid="#8a939c33", better="#2f86cc", worse="#d5722a", neutral="#87919b", reach="#8a939c66", link="#2f86cc",
    ramp=("#1d5c92", "#2f79b8", "#4c94cf", "#6fabda", "#93c1e5", "#b5d5ee"),
    on_ramp=("#ffffff", "#ffffff", "#0c1116", "#0c1116", "#0c1116", "#0c1116"),
    nothing="#b09a80", on_nothing="#0c1116", unjudged="#9aa3ac", on_unjudged="#0c1116",
)  # fmt: skip


def declarations(palette: Palette) -> str:
    """The colors as custom properties of a style sheet: `--ink:#1b1f24;...`."""
    lines = []
    for field in fields(palette):
        value = getattr(palette, field.name)
        name = field.name.replace("_", "-")
        several = enumerate(value) if isinstance(value, tuple) else ()
        lines += [f"--{name}-{i}:{color};" for i, color in several] or [f"--{name}:{value};"]
    return "".join(lines)


Spec = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
FONT = "-apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, system-ui, sans-serif"
# Signs in front, no more digits than the tick has; zero has no sign.
SIGNED_TICKS = "datum.value === 0 ? '0' : format(datum.value, '+~g')"
# Below this width there is room for marks and short labels only.
NARROW = 480


@dataclass(frozen=True, slots=True)
class ChartStyle:
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


def framed(look: ChartStyle, title: str, subtitle: str, layers: Sequence[Spec], **more: object) -> Spec:
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


def rows_axis(look: ChartStyle) -> Spec:
    """The names down the left side."""
    return {
        "title": None, "ticks": False, "domain": False, "grid": False, "labelLimit": look.label_limit,
        "labelColor": look.palette.ink, "labelPadding": 8,
    }  # fmt: skip


def labels(names: Iterable[str]) -> list[str]:
    """Names as one line each, no two the same: a chart would lay rows of one name over each other."""
    unique: dict[str, None] = {}
    for name in names:
        plain = printable(name) or "(no name)"
        text, number = plain, 2
        while text in unique:
            text, number = f"{plain} ({number})", number + 1
        unique[text] = None
    return list(unique)


def domain(values: Iterable[float], least_span: float = 1e-6) -> list[float]:
    """From the least to the greatest finite value, with a little room on both sides."""
    finite = [value for value in values if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    room = max(high - low, least_span) * 0.06
    return [low - room, high + room]


def within(value: float, ends: Sequence[float]) -> float:
    """The value, or the end of the plot where it lies beyond: an interval may have no end."""
    return min(max(value, ends[0]), ends[1])


_HEAD = re.compile(r'^<svg[^>]*? width="([\d.]+)" height="([\d.]+)"[^>]*>')
_TAG = re.compile(r"<[^<>]*>")
# Vega draws the ground and the frame of every group, also where both are invisible.
_EMPTY = re.compile(r'<path class="(?:background|foreground)"[^<>]*/>')
# What Vega says to screen readers of every mark: a page says it once, in the drawing's own label and its tables.
_SPOKEN = re.compile(
    r' (?:role|aria-roledescription|aria-hidden|pointer-events|class|font-family)="[^"]*"| (?:opacity|stroke-width)="1"'
)
_LABEL = re.compile(r' aria-label="([^"]*)"')
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
# The prefix by which a chart's `description` says which row of the page's data a mark shows.
KEY = "row-"


def converter() -> Any:
    """The library, or an error that says how to install it."""
    try:
        import vl_convert
    except ImportError:
        raise MissingExtra("Drawing charts", "vl-convert-python", "report") from None
    return vl_convert


def to_svg(spec: Spec) -> str:
    """A whole SVG file."""
    text: str = converter().vegalite_to_svg(spec)
    return text + "\n"


def to_png(spec: Spec, scale: float = 2.0) -> bytes:
    """A PNG file, `scale` times as many pixels as the chart's own size: sharp on a screen and on paper."""
    made: bytes = converter().vegalite_to_png(spec, scale=scale)
    return made


def to_inline(spec: Spec, label: str = "") -> str:
    """An SVG element for the inside of a page: no fixed size, short numbers, one label for the whole drawing.

    Marks that were given a `description` of `KEY` and a number carry that number as `data-row`.
    """
    from html import escape

    text = converter().vegalite_to_svg(spec)
    head = _HEAD.match(text)
    assert head is not None, "vl-convert writes width and height first"
    body = _TAG.sub(lambda tag: _plain(tag[0]), _EMPTY.sub("", text[head.end() :]))
    spoken = f'role="img" aria-label="{escape(label)}"' if label else 'aria-hidden="true"'
    return f'<svg viewBox="0 0 {head[1]} {head[2]}" width="{head[1]}" height="{head[2]}" {spoken}>{body}'


def _plain(tag: str) -> str:
    """One tag without what only the file's own viewer needs. Text between tags is never touched: it is a name."""
    return _LONG_NUMBER.sub(_short, _SPOKEN.sub("", _LABEL.sub(_row, tag)))


def _row(label: re.Match[str]) -> str:
    """The row that a mark shows; Vega gives marks labels of its own, which are none."""
    number = label[1].removeprefix(KEY)
    return f' data-row="{number}"' if number != label[1] and number.isdecimal() else ""


def _short(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
