"""Where the names of dots go, so that no name covers a dot, a line or another name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rankproof.reports.charts.layout import SIZE, text_width

Spot = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Area) -> bool:
        """Whether both share a pixel."""
        apart = self.right <= other.left or other.right <= self.left
        return not (apart or self.bottom <= other.top or other.bottom <= self.top)

    def holds(self, other: Area) -> bool:
        """Whether the other one lies inside."""
        beyond = other.left < self.left or other.right > self.right
        return not (beyond or other.top < self.top or other.bottom > self.bottom)

    def crossed(self, start: Spot, end: Spot) -> bool:
        """Whether the straight line from start to end goes through it (Liang and Barsky's clipping)."""
        (x, y), (dx, dy) = start, (end[0] - start[0], end[1] - start[1])
        first, last = 0.0, 1.0
        for slope, room in ((-dx, x - self.left), (dx, self.right - x), (-dy, y - self.top), (dy, self.bottom - y)):
            if slope == 0:
                if room < 0:
                    return False
            elif slope < 0:
                first = max(first, room / slope)
            else:
                last = min(last, room / slope)
        return first <= last


@dataclass(frozen=True, slots=True)
class NamePlace:
    """The text at a dot, and the middle of its line; `listed`: it is a number, or nothing, and a list has the name."""

    text: str
    x: float = 0.0
    y: float = 0.0
    anchor: str = "start"
    listed: bool = False


def name_places(
    spots: Sequence[Spot], names: Sequence[str], plot: Area, paths: Sequence[Sequence[Spot]], radius: float
) -> list[NamePlace]:
    """A place for each name, the first names first; a number where only that has room."""
    taken = [Area(x - radius, y - radius, x + radius, y + radius) for x, y in spots]
    lines = [pair for path in paths for pair in pairwise(path)]

    def place(spot: Spot, text: str) -> NamePlace | None:
        for x, y, anchor in _sides(spot, radius):
            wide = text_width(text)
            left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
            area = Area(left, y - SIZE * 0.7, left + wide, y + SIZE * 0.7)
            free = not any(map(area.meets, taken)) and not any(area.crossed(*line) for line in lines)
            if free and plot.holds(area):
                taken.append(area)
                return NamePlace(text, x, y, anchor)
        return None

    found = [place(spot, name) for spot, name in zip(spots, names, strict=True)]
    number, places = 0, []
    for spot, named in zip(spots, found, strict=True):
        if named is None:
            numbered = place(spot, str(number + 1))
            number += numbered is not None
            named = NamePlace("", listed=True) if numbered is None else numbered
            named = NamePlace(named.text, named.x, named.y, named.anchor, listed=True)
        places.append(named)
    return places


def _sides(spot: Spot, radius: float) -> Iterator[tuple[float, float, str]]:
    """Places around a dot, the most usual first."""
    x, y = spot
    near, far = radius + 3, SIZE * 0.7 + radius + 2
    for down in (0.0, -8.0, 8.0):
        yield x + near, y + down, "start"
        yield x - near, y + down, "end"
    yield x, y - far, "middle"
    yield x, y + far, "middle"
    for down in (-far, far):
        yield x + 2, y + down, "start"
        yield x - 2, y + down, "end"
