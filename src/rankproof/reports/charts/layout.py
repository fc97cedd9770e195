"""Where everything of a chart lies: widths of texts, scales, ticks, and the room that each part takes.

No font is read: which one a browser takes is not known when a chart is drawn. Widths are an estimate on the safe side,
from a table of the advance widths of DejaVu Sans and Arial, of each character the wider one, and a few percent more.
Most fonts that browsers take for a page are narrower.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, pairwise

from rankproof.reports.charts.plot import Axis, Place, Plot

# ---- texts ---------------------------------------------------------------------------------------

# Hundredths of the font's size, for the characters from the space to the tilde.
_ADVANCES = (
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84,
    84, 84, 56, 102, 68, 69, 73, 77, 67, 62, 78, 75, 29, 50, 67, 56, 86, 75, 79, 67, 79, 73, 67, 61, 73, 68, 99, 69, 67,
    69, 39, 34, 39, 84, 56, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59,
    82, 59, 59, 52, 64, 34, 64, 84,
)  # fmt: skip
# Text is 12 pixels high; bold letters are up to a quarter wider, on average an eighth.
SIZE = 12.0
_BOLD = 1.15
_MARGIN = 1.03
ELLIPSIS = "…"
# A name may go on in the next line after these, and between wide characters, which have no spaces.
_BREAKS = re.compile(r"(?<=[\s_/\\:;,|=+−-])(?=\S)|(?<=\.)(?=[^\W\d])|(?=[(\[{<])")
# No more of a name is looked at: it could not be shown.
_MOST_CHARACTERS = 600


def text_width(text: str, size: float = SIZE, bold: bool = False) -> float:
    """About how many pixels the text takes; rather too many than too few."""
    hundredths = sum(_ADVANCES[ord(c) - 32] if " " <= c <= "~" else _advance(c) for c in text)
    return hundredths / 100 * size * _MARGIN * (_BOLD if bold else 1.0)


def _advance(character: str) -> float:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return 100 if character.isalnum() else 135  # pictures are wider than ideographs
    plain = unicodedata.normalize("NFD", character)[0]
    if " " <= plain <= "~":
        return _ADVANCES[ord(plain) - 32]
    return 85 if unicodedata.bidirectional(character) == "AL" else 90 if character.islower() else 115


def wrapped(text: str, width: float, size: float = SIZE, bold: bool = False) -> list[str]:
    """Lines that are no wider than `width`, broken after spaces and separators, and within words that are too long."""
    lines, line = [], ""
    for piece in _pieces(text, width, size, bold):
        if line and text_width((line + piece).rstrip(), size, bold) > width:
            lines.append(line.rstrip())
            line = piece.lstrip()
        else:
            line += piece
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def _pieces(text: str, width: float, size: float, bold: bool) -> Iterator[str]:
    for word in _BREAKS.split(text):
        if text_width(word.rstrip(), size, bold) <= width:
            yield word
        else:
            yield from _clusters(word)


def _clusters(text: str) -> list[str]:
    """Characters, each with the marks that belong to it."""
    clusters: list[str] = []
    for character in text:
        if clusters and unicodedata.category(character) in ("Mn", "Me", "Mc"):
            clusters[-1] += character
        else:
            clusters.append(character)
    return clusters


def fitted(text: str, width: float, most_lines: int = 1, size: float = SIZE) -> list[str]:
    """The text in so many lines at most; what does not fit is left out in the middle, for names differ at both ends."""
    lines = wrapped(text, width, size) if len(text) <= _MOST_CHARACTERS else []
    if 0 < len(lines) <= most_lines:
        return lines
    clusters = _clusters(text[: _MOST_CHARACTERS // 2] + text[-_MOST_CHARACTERS // 2 :])
    for kept in range(min(len(clusters) - 1, round(most_lines * width / size * 4)), 1, -1):
        head = (kept + 1) // 2
        short = "".join(clusters[:head]).rstrip() + ELLIPSIS + "".join(clusters[len(clusters) - kept + head :]).lstrip()
        if text_width(short, size) <= most_lines * width and len(lines := wrapped(short, width, size)) <= most_lines:
            return lines
    return [ELLIPSIS]


def fitted_names(names: Sequence[str], width: float, most_lines: int = 1) -> list[list[str]]:
    """Each name as `fitted` has it; where some would look alike, what these share at both ends is left out first."""
    shown = _told_apart({name: name for name in names}, width, most_lines)
    return [shown[name] for name in names]


def _told_apart(parts: dict[str, str], width: float, most_lines: int) -> dict[str, list[str]]:
    """Names by the part of them that is shown, in lines."""
    shown = {name: fitted(part, width, most_lines) for name, part in parts.items()}
    alike: dict[tuple[str, ...], dict[str, str]] = {}
    for name, lines in shown.items():
        alike.setdefault(tuple(lines), {})[name] = parts[name]
    for group in alike.values():
        shared = list(group.values())
        head = _shared_length(shared)
        tail = min(_shared_length([part[::-1] for part in shared]), min(map(len, shared)) - head)
        head = max(head - 2, 0)  # two characters more, for a number is read with its letter: v1, k=2
        shorter = {name: ELLIPSIS * (head > 0) + part[head : len(part) - tail] + ELLIPSIS * (tail > 0)
                   for name, part in group.items()}  # fmt: skip
        if len(group) > 1 and any(len(shorter[name]) < len(part) for name, part in group.items()):
            shown |= _told_apart(shorter, width, most_lines)
    return shown


def _shared_length(texts: Sequence[str]) -> int:
    """How many characters all texts begin with."""
    columns = enumerate(zip(*texts, strict=False))
    return next((i for i, column in columns if len(set(column)) > 1), min(map(len, texts)))


# ---- scales --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PixelScale:
    """From values between `low` and `high` to pixels between `start` and `end`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """The pixel; what lies beyond the plot, as an interval without an end does, is put on its edge."""
        value = min(max(value, self.low), self.high)
        low, high, value = map(math.log, (self.low, self.high, value)) if self.log else (self.low, self.high, value)
        return self.start + (value - low) / (high - low) * (self.end - self.start)


def domain(values: Sequence[float]) -> tuple[float, float]:
    """From the least to the greatest finite value, with a little room on both sides; never a single point."""
    finite = [value for value in values if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    largest = max(abs(low), abs(high))
    # Values that differ by rounding alone are one value: its neighborhood is shown, not the rounding.
    room = (high - low) * 0.06 if high - low > 1e-9 * largest else 0.1 * largest or 0.1
    return low - room, high + room


def round_step(low: float, high: float, most: int) -> float:
    """The least of 1, 2, 5, 10, ... by a power of ten that cuts the span into `most` parts or fewer."""
    rough = (high - low) / max(most, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    return next(times * power for times in (1, 2, 5, 10) if times * power >= rough * (1 - 1e-9))


def round_ends(low: float, high: float, most: int) -> tuple[float, float]:
    """The span widened to ticks."""
    step = round_step(low, high, most)
    return math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step


Tick = tuple[float, str]


def ticks(low: float, high: float, most: int, form: str) -> list[Tick]:
    """Round values between both ends with their labels."""
    written = {"plain": plain, "signed": plus_minus, "percent": percentage}[form]
    step = round_step(low, high, most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [(i * step, written(i * step if i else 0.0, step)) for i in range(first, last + 1)]


def log_ticks(low: float, high: float, fits: Callable[[list[Tick]], bool]) -> list[Tick]:
    """1, 2 and 5 by powers of ten, or fewer, as many as fit; within a narrow span the values of a plain axis."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for times, every in (((1, 2, 5), 1), ((1, 3), 1), *(((1,), n) for n in range(1, last - first + 1))):
        values = [t * 10.0**p for p in range(first, last + 1) if p % every == 0 for t in times]
        found = [(v, plain(v, v)) for v in values if low <= v <= high]
        if len(found) < 2:
            break
        if fits(found):
            return found
    return next(found for most in count(6, -1) if fits(found := ticks(low, high, most, "plain")) or most == 1)


def plain(value: float, step: float) -> str:
    """As many places as the step has; powers of ten only where plain digits would not be read."""
    if value == 0:
        return "0"
    if not 1e-5 <= step < 1e8:
        digits = math.floor(math.log10(abs(value))) - math.floor(math.log10(step) + 1e-9) + 1
        return f"{value:.{max(digits, 1)}g}".replace("-", "−")
    places = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value:,.{places}f}".replace("-", "−")


def plus_minus(value: float, step: float) -> str:
    """With its sign in front; zero has none."""
    return f"+{plain(value, step)}" if value > 0 else plain(value, step)


def percentage(value: float, step: float) -> str:
    """A share as a percentage."""
    if value == 0:
        return "0%"
    return f"{100 * value:.{max(0, -math.floor(math.log10(step) + 1e-9) - 2)}f}%"


# ---- layout --------------------------------------------------------------------------------------

EDGE = 4.0
LINE_HEIGHT = 15.0
ROW_HEIGHT = 30.0
# Rows beyond these have the ticks above the plot, too: below they are out of sight.
TICKS_ABOVE = 20
# The least part of the width that texts at the right leave to the plot.
LEAST_PLOT = 0.38
# The least pixels between two labels of ticks.
TICK_GAP = 20.0


@dataclass(frozen=True, slots=True, eq=False)
class PlotLayout:
    """Where everything lies. `x` and `y` are the scales of the page, whichever axis each one shows."""

    plot: Plot
    x: PixelScale
    y: PixelScale
    names: list[list[str]]
    bottom_ticks: list[Tick]
    left_ticks: list[Tick]
    beside: list[list[str]]

    def spot(self, value: float, at: float) -> tuple[float, float]:
        """The pixels of a point."""
        return (self.x.at(value), self.y.at(at)) if self.plot.down else (self.x.at(at), self.y.at(value))

    def ends(self, value: Place, at: Place) -> tuple[float, float, float, float]:
        """The pixels of both ends of a line, or of the corners of a box."""
        across, upward = (value, at) if self.plot.down else (at, value)
        x, x2 = _pixels(self.x, across)
        y, y2 = _pixels(self.y, upward)
        return x, y, x2, y2


def _pixels(scale: PixelScale, place: Place) -> tuple[float, float]:
    if place is None:
        return scale.start, scale.end
    low, high = place if isinstance(place, tuple) else (place, place)
    return scale.at(low), scale.at(high)


def names_fit(plot: Plot) -> bool:
    """Whether each name has room below its own column, in three lines at most."""
    band = (plot.look.width - 110) / max(len(plot.across.names), 1) - 8
    return all(text_width(line) <= band for name in plot.across.names for line in _column(name, band))


def _column(name: str, band: float) -> list[str]:
    """The lines of a name below its column; a name that would be broken within a word keeps its one line."""
    lines = wrapped(name, band)
    whole = all(text_width(word) <= band for word in name.split())
    return lines if whole and len(lines) <= 3 else [name]


def laid_out(plot: Plot, width: float, top: float) -> PlotLayout:
    """Room for names and texts first, then the scales, then the ticks that fit."""
    look = plot.look
    numbers = plot.values if plot.down else plot.across
    upward = plot.across if plot.down else plot.values
    names: list[list[str]] = []
    left_ticks: list[Tick] = []
    low, high = _ends(upward)
    if upward.names:
        names = fitted_names(upward.names, look.label_limit, 3 if look.narrow else 2)
        left = max(text_width(line) for lines in names for line in lines)
    else:
        left_ticks = ticks(low, high, _parts(upward), upward.form)
        left = max((text_width(label) for _, label in left_ticks), default=0.0)
    left += EDGE + 8
    beside, right = _beside(plot, width, left)
    x = PixelScale(*_ends(numbers), left, width - right, numbers.log)
    if plot.down:
        row = max(ROW_HEIGHT, max(map(len, names), default=1) * LINE_HEIGHT + 6)
        top += 22 if len(names) > TICKS_ABOVE else 0
        y = PixelScale(low, high, top, top + row * max(len(names), 1))
    else:
        y = PixelScale(low, high, top + 8 + plot.height, top + 8)
    if numbers.names:
        names = [_column(name, (x.end - x.start) / len(numbers.names) - 8) for name in numbers.names]
    return PlotLayout(plot, x, y, names, _bottom_ticks(numbers, x, width), left_ticks, beside)


def _ends(axis: Axis) -> tuple[float, float]:
    if axis.names or not axis.shown:
        return -0.5, max(len(axis.names), 1) - 0.5
    return round_ends(*axis.ends, axis.most) if axis.rounded else axis.ends


def _parts(axis: Axis) -> int:
    """The most parts that ticks cut the axis into; widened to ticks, it has as many as the same step gives."""
    if not axis.rounded:
        return axis.most
    low, high = _ends(axis)
    return max(axis.most, round((high - low) / round_step(*axis.ends, axis.most)))


def _beside(plot: Plot, width: float, left: float) -> tuple[list[list[str]], float]:
    """The texts at the right, and the room they take."""
    if not plot.beside:
        return [], EDGE + 6
    room = width * (1 - LEAST_PLOT) - left - EDGE
    for choice in range(len(plot.beside[0][1])):
        lines = [texts[choice].split("\n") for _, texts in plot.beside]
        wide = max(text_width(line) for each in lines for line in each)
        if wide + 12 <= room:
            return lines, wide + 12 + EDGE
    short = [[fitted(line, room - 12)[0] for line in texts[-1].split("\n")] for _, texts in plot.beside]
    return short, max(text_width(line) for each in short for line in each) + 12 + EDGE


def _bottom_ticks(axis: Axis, x: PixelScale, width: float) -> list[Tick]:
    """The most ticks whose labels do not touch."""
    if axis.names or not axis.shown:
        return []

    def fits(found: list[Tick]) -> bool:
        boxes = [(spot - text_width(label) / 2, spot + text_width(label) / 2)
                 for value, label in found for spot in [tick_spot(x, value, label, width)]]  # fmt: skip
        return all(after[0] - before[1] >= TICK_GAP for before, after in pairwise(boxes))

    if axis.log:
        return log_ticks(x.low, x.high, fits)
    for most in range(_parts(axis), 0, -1):
        if fits(found := ticks(x.low, x.high, most, axis.form)):
            return found
    return found[:1]


def tick_spot(x: PixelScale, value: float, label: str, width: float) -> float:
    """The middle of a tick's label: below its tick, or moved so far that it stays inside the drawing."""
    half = text_width(label) / 2
    return min(max(x.at(value), EDGE + half), width - EDGE - half)
