"""Drawing a plot to SVG: every pixel of a chart is decided here.

The same plot gives the same bytes. A mark whose place is no number is left out; one beyond its axis is put on the edge.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from itertools import groupby
from unicodedata import category

from rankproof.kernel.sections import printable
from rankproof.reports.charts.dot_names import Area, name_places
from rankproof.reports.charts.frame import FONT
from rankproof.reports.charts.layout import (
    EDGE,
    LINE_HEIGHT,
    SIZE,
    TICKS_ABOVE,
    PlotLayout,
    fitted_names,
    laid_out,
    names_fit,
    plain,
    text_width,
    tick_spot,
    wrapped,
)
from rankproof.reports.charts.plot import BarsMark, BoxMark, DotMark, PathMark, Place, Plot, RuleMark, TicksMark


def to_svg(*plots: Plot) -> str:
    """A whole SVG file; several plots stand one below the other, and the first one's colors hold for all."""
    drawn = [_drawn(plot) for plot in plots]
    width, height = max(wide for wide, *_ in drawn), sum(tall for _, tall, *_ in drawn)
    ground = plots[0].look.palette.page
    clear = ground.startswith("var(") or ground == "transparent"
    back = "" if clear else f'<rect width="{_n(width)}" height="{_n(height)}" fill="{ground}"/>'
    top, bodies = 0.0, []
    for _, tall, _, body in drawn:
        bodies.append(f'<g transform="translate(0 {_n(top)})">{body}</g>' if top else body)
        top += tall
    title, told = ("; ".join(texts) for texts in ([p.title for p in plots], dict.fromkeys(p.subtitle for p in plots)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(width)} {_n(height)}" width="{_n(width)}" '
        f'height="{_n(height)}" role="img" direction="ltr" font-family="{escape(FONT)}" font-size="{_n(SIZE)}">'
        f"<title>{_escaped(title)}</title><desc>{_escaped(told)}</desc>{back}{''.join(bodies)}</svg>\n"
    )


def to_inline(plot: Plot, label: str = "") -> str:
    """An SVG element for the inside of a page: the page's font and colors, and `label` for those who do not see it.

    Marks of a row carry its number as `data-row`, and one that stands for several rows how many more as `data-more`.
    """
    width, height, along, body = _drawn(plot)
    spoken = f'role="img" aria-label="{_spoken(label)}"' if label else 'aria-hidden="true"'
    return (
        f'<svg viewBox="0 0 {_n(width)} {_n(height)}" width="{_n(width)}" height="{_n(height)}" direction="ltr" '
        f'font-size="{_n(SIZE)}" data-along="{along}" {spoken}>{body}</svg>'
    )


# ---- pieces of SVG -------------------------------------------------------------------------------

# From the middle of a line of text to its baseline, as a part of its size.
_BASELINE = 0.35


def _n(number: float) -> str:
    text = f"{number:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _escaped(text: str) -> str:
    return escape(printable(text), quote=False)


def _spoken(label: str) -> str:
    return escape("".join(c if category(c) == "Zs" else printable(c) for c in label))


def _text(
    x: float, middle: float, lines: Sequence[str], color: str, anchor: str = "start", whole: str = "", more: str = ""
) -> str:
    """Lines around a middle; a name that was shortened is whole at the pointer."""
    top = middle - (len(lines) - 1) * LINE_HEIGHT / 2 + _BASELINE * SIZE
    inside = _escaped(lines[0])
    if len(lines) > 1:
        inside = "".join(f'<tspan x="{_n(x)}" y="{_n(top + i * LINE_HEIGHT)}">{_escaped(line)}</tspan>'
                         for i, line in enumerate(lines))  # fmt: skip
    short = whole and "".join("".join(lines).split()) != "".join(whole.split())
    title = f"<title>{_escaped(whole)}</title>" if short else ""
    side = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{_n(x)}" y="{_n(top)}" fill="{color}"{side}{more}>{inside}{title}</text>'


def _line(x: float, y: float, x2: float, y2: float, color: str, more: str = "") -> str:
    return f'<line x1="{_n(x)}" y1="{_n(y)}" x2="{_n(x2)}" y2="{_n(y2)}" stroke="{color}"{more}/>'


def _row(row: int | None) -> str:
    return "" if row is None else f' data-row="{row}"'


# ---- the whole drawing ----------------------------------------------------------------------------

TITLE_SIZE = 15.0


def _drawn(plot: Plot) -> tuple[float, float, str, str]:
    """Width, height, whether rows lie along "y", "x" or "both", and what stands inside the SVG element."""
    width = float(plot.look.width)
    plot = replace(plot, down=not names_fit(plot)) if plot.down is None else plot
    head, top = _head(plot, width)
    laid = laid_out(plot, width, top)
    parts = [*head, *_axes(laid, width), *_marks(laid), *_texts(laid)]
    bottom = max(laid.y.start, laid.y.end) + _below(laid)
    labels, lines = _dot_names(laid, bottom)
    along = "y" if plot.down else "x" if plot.across.names or not plot.across.shown else "both"
    return width, bottom + lines * (LINE_HEIGHT + 2) + EDGE, along, "".join([*parts, *labels])


def _head(plot: Plot, width: float) -> tuple[list[str], float]:
    """Title, subtitle, legend and the title of the axis at the side, with the pixel below them."""
    colors, parts, top = plot.look.palette, [], 4.0
    room = width - 2 * EDGE
    if plot.look.titled:
        weight = f' font-size="{_n(TITLE_SIZE)}" font-weight="bold"'
        for line in wrapped(printable(plot.title), room, TITLE_SIZE, bold=True):
            parts.append(_text(EDGE, top + 10, [line], colors.ink, more=weight))
            top += 20
        for line in wrapped(printable(plot.subtitle), room):
            parts.append(_text(EDGE, top + 9, [line], colors.muted))
            top += LINE_HEIGHT + 1
        top += 10
    x = EDGE
    for name, color in plot.legend:
        wide = 16 + text_width(name)
        if x > EDGE and x + wide > width - EDGE:
            x, top = EDGE, top + 20
        parts.append(f'<rect x="{_n(x)}" y="{_n(top + 4)}" width="11" height="11" fill="{color}"/>')
        parts.append(_text(x + 16, top + 9.5, [name], colors.muted))
        x += wide + 16
    top += 26 if plot.legend else 0
    side = plot.across.title if plot.down else plot.values.title
    for line in wrapped(printable(side), room) if side else ():
        parts.append(_text(EDGE, top + 9, [line], colors.muted))
        top += LINE_HEIGHT + 1
    return parts, top + (6 if side else 0)


# ---- axes and texts ------------------------------------------------------------------------------


def _axes(laid: PlotLayout, width: float) -> Iterator[str]:
    """Grid, ticks and titles of the axes."""
    plot, colors = laid.plot, laid.plot.look.palette
    numbers, upward = (plot.values, plot.across) if plot.down else (plot.across, plot.values)
    x, y = laid.x, laid.y
    top, bottom = min(y.start, y.end), max(y.start, y.end)
    if upward.names and numbers.grid:
        for i in range(len(laid.names)):  # a faint line leads from the name to its marks
            yield _line(x.start, y.at(i), x.end, y.at(i), colors.grid)
    for value, label in laid.left_ticks:
        if upward.grid:
            yield _line(x.start, y.at(value), x.end, y.at(value), colors.grid)
        yield _text(x.start - 8, y.at(value), [label], colors.muted, "end")
    above = plot.down and len(laid.names) > TICKS_ABOVE
    for value, label in laid.bottom_ticks:
        spot = tick_spot(x, value, label, width)
        if numbers.grid:
            yield _line(x.at(value), top, x.at(value), bottom, colors.grid)
        yield _line(x.at(value), bottom, x.at(value), bottom + 4, colors.line)
        yield _text(spot, bottom + 14, [label], colors.muted, "middle")
        if above:
            yield _text(spot, top - 11, [label], colors.muted, "middle")
    if numbers.shown:
        yield _line(x.start, bottom, x.end, bottom, colors.line)
    titles = wrapped(printable(numbers.title), x.end - x.start) if numbers.title else []
    for i, line in enumerate(titles):
        yield _text((x.start + x.end) / 2, bottom + _labels_below(laid) + 12 + i * LINE_HEIGHT, [line], colors.muted,
                    "middle")  # fmt: skip


def _labels_below(laid: PlotLayout) -> float:
    """The room that labels of ticks or columns take below the plot."""
    across = laid.plot.across
    if laid.plot.down or not across.names:
        return 22.0 if laid.bottom_ticks else 0.0
    return 8 + LINE_HEIGHT * max(map(len, laid.names), default=1)


def _below(laid: PlotLayout) -> float:
    """The room below the plot."""
    numbers = laid.plot.values if laid.plot.down else laid.plot.across
    titles = wrapped(printable(numbers.title), laid.x.end - laid.x.start) if numbers.title else []
    return _labels_below(laid) + (LINE_HEIGHT * len(titles) + 6 if titles else 4)


def _texts(laid: PlotLayout) -> Iterator[str]:
    """Names at the left or below, texts at the right."""
    plot, colors = laid.plot, laid.plot.look.palette
    for i, (lines, name) in enumerate(zip(laid.names, plot.across.names, strict=True)):
        if plot.down:
            yield _text(laid.x.start - 8, laid.y.at(i), lines, colors.ink, "end", name)
        else:
            middle = laid.y.start + 14 + (len(lines) - 1) * LINE_HEIGHT / 2
            yield _text(laid.x.at(i), middle, lines, colors.muted, "middle", name)
    low, high = sorted((laid.y.start, laid.y.end))
    for lines, (place, texts) in zip(laid.beside, plot.beside, strict=True):
        half = len(lines) * LINE_HEIGHT / 2
        middle = min(max(laid.y.at(place), low + half), high - half)
        yield _text(laid.x.end + 12, middle, lines, colors.ink, whole=texts[0].replace("\n", " "))


# ---- marks ---------------------------------------------------------------------------------------

RADIUS = 4.5
# The least width of a bar: more values than fit share one.
LEAST_BAR = 2.0
# Bars stand apart where they are fewer than this.
APART = 150
TICK_LENGTH = 15.0
# More ticks than this in all rows together are merged: by the pixel, or more coarsely where too many would be left.
MOST_SEPARATE = 1_500
MOST_TICKS = 12_000


def _marks(laid: PlotLayout) -> Iterator[str]:
    rows = sum(isinstance(mark, TicksMark) for mark in laid.plot.marks)
    for mark in laid.plot.marks:
        match mark:
            case TicksMark():
                yield from _tick_marks(laid, mark, rows)
            case BarsMark():
                yield from _bars(laid, mark)
            case PathMark():
                points = [_pair(*spot) for spot in _spots(laid, mark)]
                yield (f'<path d="M{"L".join(points)}" fill="none" stroke="{mark.color}" stroke-width="1.5" '
                       f'stroke-dasharray="4 4"/>') if len(points) > 1 else ""  # fmt: skip
            case _ if not _is_placed(mark.value) or not _is_placed(mark.at):
                continue
            case RuleMark():
                more = "" if mark.width == 1 else f' stroke-width="{_n(mark.width)}"'
                more += f' stroke-dasharray="{mark.dash}"' if mark.dash else ""
                more += f' opacity="{_n(mark.opacity)}"' if mark.opacity != 1 else ""
                yield _line(*laid.ends(mark.value, mark.at), mark.color, more + _row(mark.row))
            case BoxMark():
                yield from _box(laid, mark)
            case DotMark():
                yield _dot(laid, mark)


def _is_placed(place: Place) -> bool:
    return place is None or not any(math.isnan(p) for p in (place if isinstance(place, tuple) else (place,)))


def _spots(laid: PlotLayout, path: PathMark) -> list[tuple[float, float]]:
    return [laid.spot(*point) for point in path.points if _is_placed(point)]


def _pair(x: float, y: float) -> str:
    return f"{_n(x)} {_n(y)}"


def _dot(laid: PlotLayout, mark: DotMark) -> str:
    x, y = laid.spot(mark.value, mark.at)
    page = laid.plot.look.palette.page
    fill, edge, wide = (mark.color, page, "1.5") if mark.filled else (page, mark.color, "2")
    return (
        f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(RADIUS)}" fill="{fill}" stroke="{edge}" stroke-width="{wide}"'
        f"{_row(mark.row)}/>"
    )


def _box(laid: PlotLayout, mark: BoxMark) -> Iterator[str]:
    x, y, x2, y2 = laid.ends(mark.value, mark.at)
    left, right, top, bottom = *sorted((x, x2)), *sorted((y, y2))
    yield (
        f'<rect x="{_n(left)}" y="{_n(top)}" width="{_n(right - left)}" height="{_n(bottom - top)}" '
        f'fill="{mark.color}"{_row(mark.row)}/>'
    )
    if mark.text and right - left >= text_width(mark.text) + 6:
        yield _text((left + right) / 2, (top + bottom) / 2, [mark.text], mark.ink, "middle")


def _tick_marks(laid: PlotLayout, mark: TicksMark, rows: int) -> Iterator[str]:
    """Ticks of one row, each pixel once: as dark as there are ticks on it, at most as dark as all of them."""
    scale, other = (laid.x, laid.y) if laid.plot.down else (laid.y, laid.x)
    many = len(mark.values) * rows > MOST_SEPARATE
    apart = max(1.0, rows * abs(scale.end - scale.start) / MOST_TICKS) if many else 0.1
    together = Counter(round(scale.at(value) / apart) for value in mark.values if math.isfinite(value))
    most = max(together.values(), default=1)
    levels: dict[float, list[str]] = {}
    for spot, count in sorted(together.items()):
        share = math.ceil(8 * count / most) / 8  # few steps of gray, a path for each
        gray = 1.0 if not mark.faint else 0.1 + 0.85 * share if many else min(0.15 + 0.2 * count, 0.95)
        levels.setdefault(gray, []).append(_n(spot * apart))
    start = _n(other.at(mark.at) - TICK_LENGTH / 2)
    for gray, spots in sorted(levels.items()):
        path = "".join(f"M{s} {start}v{_n(TICK_LENGTH)}" if laid.plot.down else f"M{start} {s}h{_n(TICK_LENGTH)}"
                       for s in spots)  # fmt: skip
        yield f'<path d="{path}" stroke="{mark.color}" stroke-width="{_n(max(1.5, apart))}" opacity="{_n(gray)}"/>'


def _bars(laid: PlotLayout, mark: BarsMark) -> Iterator[str]:
    """Bars from left to right. One that stands for several is as long as the longest of them."""
    x, zero = laid.x, laid.y.at(0.0)
    room = x.end - x.start
    numbers = [i for i, value in enumerate(mark.values) if not math.isnan(value)]
    each = math.ceil(len(numbers) / max(1, math.floor(room / LEAST_BAR))) or 1
    groups = [numbers[start : start + each] for start in range(0, len(numbers), each)]
    bars = [(max(group, key=lambda i: abs(mark.values[i])), len(group) - 1) for group in groups]
    step = room / max(len(bars), 1)
    wide = step * 0.82 if len(bars) < APART else step
    placed = [(mark.colors[i], x.start + at * step + (step - wide) / 2, i, more) for at, (i, more) in enumerate(bars)]
    # Bars that touch have no seam between them.
    crisp = "" if len(bars) < APART else ' shape-rendering="crispEdges"'
    for color, same in groupby(placed, key=lambda bar: bar[0]):
        yield f'<g fill="{color}"{crisp}>'
        for _, left, i, more in same:
            tall = laid.y.at(mark.values[i]) - zero
            tall = math.copysign(max(abs(tall), 0.75), tall) if mark.values[i] else 0.0
            others = f' data-more="{more}"' if more else ""
            yield f'<path d="M{_pair(left, zero)}h{_n(wide)}v{_n(tall)}h{_n(-wide)}z"{_row(mark.rows[i])}{others}/>'
        yield "</g>"


def _dot_names(laid: PlotLayout, bottom: float) -> tuple[list[str], int]:
    """Names beside their dots. Those without room are listed below the plot by number, with both values."""
    plot, colors = laid.plot, laid.plot.look.palette
    named = [mark for mark in plot.marks if isinstance(mark, DotMark) and mark.name]
    if not named:
        return [], 0
    dots = [dot for dot in named if _is_placed((dot.value, dot.at))]
    spots = [laid.spot(dot.value, dot.at) for dot in dots]
    paths = [_spots(laid, mark) for mark in plot.marks if isinstance(mark, PathMark)]
    area = Area(laid.x.start + 2, laid.y.end + 2, laid.x.end - 2, laid.y.start - 2)
    short = [lines[0] for lines in fitted_names([dot.name for dot in dots], plot.look.width * 0.36)]
    places = name_places(spots, short, area, paths, RADIUS + 2)
    halo = f' stroke="{colors.page}" stroke-width="4" stroke-linejoin="round" paint-order="stroke"'
    parts, lines = [], []
    for dot, place in zip(dots, places, strict=True):
        if place.text:
            parts.append(_text(place.x, place.y, [place.text], colors.ink, place.anchor, dot.name, halo))
        if place.listed:
            # The name comes last: one that is written from right to left would take the numbers after it along.
            lines.append((f"{place.text} ({plain(dot.value, 1e-4)} at {dot.at:.4g}) ".lstrip(), dot.name))
    lines += [("(no value) ", dot.name) for dot in named if dot not in dots]
    room = plot.look.width - 2 * EDGE - max((text_width(values) for values, _ in lines), default=0.0)
    listed = fitted_names([name for _, name in lines], room)
    for i, ((values, name), (text,)) in enumerate(zip(lines, listed, strict=True)):
        middle = bottom + 10 + i * (LINE_HEIGHT + 2)
        parts.append(_text(EDGE, middle, [values + text], colors.muted, whole=values + name))
    return parts, len(lines)
