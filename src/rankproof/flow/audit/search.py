"""Search: is there a ranking of one query whose values all round to what was reported?

Branch and bound over shapes. A shape whose box misses a claim is dropped with all its rankings; one of whose ends
meets all claims is an example; any other is divided. When nothing is left, no ranking can be: that is the proof.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.audit.claims import Asked
from rankproof.flow.audit.shapes import Shape
from rankproof.flow.audit.space import POINT, Boxes, Space
from rankproof.measures._contract import Variant
from rankproof.records.audit import Placement, ReportVerdict

# How many documents may be placed in one search, over all rankings that are computed: some seconds. Finding out what
# to blame takes many searches, each of which may take less.
BUDGET = 2_000_000
SMALL_BUDGET = 100_000
# How many shapes are divided before the next look at what is most promising.
STEP = 64


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found: an example, or a proof that there is none, or neither within the budget."""

    verdict: ReportVerdict
    placement: Placement | None = None


@dataclass(frozen=True, slots=True)
class _Target:
    """What the values must lie between."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def met(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Rows that lie inside."""
        return np.asarray(((values >= self.low) & (values <= self.high)).all(axis=1))

    def touched(self, boxes: Boxes) -> NDArray[np.bool_]:
        """Boxes of which some part lies inside."""
        return np.asarray(((boxes.highs >= self.low) & (boxes.lows <= self.high)).all(axis=1))

    def away(self, boxes: Boxes) -> NDArray[np.float64]:
        """How far the middle of a box is from the middle of the target."""
        return np.asarray(np.abs(boxes.lows + boxes.highs - self.low - self.high).sum(axis=1))


def search(space: Space, asked: Sequence[Asked], budget: int = BUDGET) -> Found:
    """A ranking that meets every claim. The space's variants are those of the claims, in their order."""
    target = _Target(np.array([claim.low for claim in asked]), np.array([claim.high for claim in asked]))
    waiting: list[Shape] = []
    shapes = space.roots()
    looked_at = 0
    settled = True
    while True:
        for boxes in space.boxes(shapes):
            looked_at += boxes.documents
            found = _example(space, boxes, target)
            if found is not None:
                return Found("possible", found)
            if looked_at > budget:
                return Found("undecided")
            still = np.flatnonzero(target.touched(boxes) & ((boxes.highs - boxes.lows) > POINT).any(axis=1))
            settled = settled and all(boxes.shapes[i].divisible(space.deeper) for i in still.tolist())
            left = boxes.select(still)
            # The most promising last: it is taken first.
            waiting += left.select(np.argsort(-target.away(left), kind="stable")).shapes
        if not waiting:
            return Found("impossible" if settled else "undecided")
        shapes, waiting = space.parts(waiting[-STEP:]), waiting[:-STEP]


def _example(space: Space, boxes: Boxes, target: _Target) -> Placement | None:
    for ends, end in ((boxes.highs, Shape.best), (boxes.lows, Shape.worst)):
        meets = np.flatnonzero(target.met(ends))
        if len(meets):
            shape = boxes.shapes[int(meets[0])]
            return space.placement(end(shape), shape.way)
    return None


@dataclass(frozen=True, slots=True)
class Range:
    """What a measure can be while claims hold.

    known      whether `rankings` has every value; else the search ended early, and none lies outside the ends
    rankings   by value, ascending, a shape whose rankings all have it
    """

    known: bool
    least: float
    greatest: float
    rankings: Mapping[float, Shape]


def reachable(space: Space, asked: Sequence[Asked], wanted: Variant, budget: int = SMALL_BUDGET) -> Range | None:
    """The values of one more measure over all rankings that meet the claims; None where there is no such ranking."""
    space = Space(space.ways, (*(claim.variant for claim in asked), wanted))
    target = _Target(
        np.array([*(claim.low for claim in asked), -np.inf]), np.array([*(claim.high for claim in asked), np.inf])
    )
    values: dict[float, Shape] = {}
    ends: list[float] = []  # of the boxes that are still open
    shapes = space.roots()
    looked_at = 0
    while True:
        open_: list[Shape] = []
        ends_below: list[float] = []
        for boxes in space.boxes(shapes):
            looked_at += boxes.documents
            if looked_at > budget and ends:
                return Range(False, min([*ends, *values]), max([*ends, *values]), {})
            touched = target.touched(boxes)
            points = ((boxes.highs - boxes.lows) <= POINT).all(axis=1)
            for i in np.flatnonzero(touched & points).tolist():
                values.setdefault(round(float(boxes.highs[i, -1]), 12), boxes.shapes[i])
            left = boxes.select(np.flatnonzero(touched & ~points))
            open_ += left.shapes
            ends_below += [*left.lows[:, -1].tolist(), *left.highs[:, -1].tolist()]
        if not all(shape.divisible(space.deeper) for shape in open_):
            return Range(False, min([*ends_below, *values]), max([*ends_below, *values]), {})
        if not open_:
            break
        shapes, ends = space.parts(open_), ends_below
    if not values:
        return None
    return Range(True, min(values), max(values), dict(sorted(values.items())))
