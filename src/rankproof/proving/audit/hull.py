"""Convex hulls of values that queries can have, and the smallest sets of claims that contradict each other.

All rankings of a query are covered by boxes. A mean of queries is a mean of points in these boxes, so a plane that
has every box on one side has every mean on that side. A report on the other side is impossible, for any number of
queries; the plane is the proof, and it is checked against every box.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rankproof.proving.audit.claims import MeasureClaim, Placement, ReportVerdict
from rankproof.proving.audit.rankings import POINT, Boxes, PartialRanking, Space

# How many boxes cover the rankings at most: more make a tighter hull and a slower one.
MOST_BOXES = 2_000
# A first look takes so many.
FEW_BOXES = 200
# How many documents may be placed to make them finer.
MOST_PLACED = 200_000
# How many of the widest boxes are divided at a time.
STEP = 64
# By how much a plane must part the report from every box.
MARGIN = 1e-9
# Coefficients smaller than this, of 1, are the solver's noise.
NOISE = 1e-6


@dataclass(frozen=True, slots=True)
class Plane:
    """A sum over claims that no query exceeds and the report does: the proof that its means cannot be.

    factors   one per claim
    most      the greatest value of the sum over all rankings of a query
    reported  the least value that the report leaves it
    """

    factors: tuple[float, ...]
    most: float
    reported: float


@lru_cache(maxsize=32)
def cover(space: Space, most: int = MOST_BOXES) -> Boxes:
    """Boxes that together hold the values of every ranking, as fine as their number allows; the widest are divided.

    The same rankings are covered again and again while claims are left out and put back: the last covers are kept.
    """
    boxes = _without_repeats(_joined(list(space.boxes(space.roots())), len(space.variants)))
    placed = boxes.documents
    while True:
        width = (boxes.highs - boxes.lows).sum(axis=1)
        open_ = np.flatnonzero(boxes.loose)
        if not len(open_) or len(width) >= most or placed > MOST_PLACED:
            return boxes
        widest = open_[np.argsort(-width[open_], kind="stable")[:STEP]]
        rest = np.setdiff1d(np.arange(len(width)), widest)
        finer = list(space.boxes(space.parts([boxes.shapes[i] for i in widest.tolist()])))
        placed += sum(part.documents for part in finer)
        boxes = _without_repeats(_joined([boxes.select(rest), *finer], len(space.variants)))


def _joined(parts: Sequence[Boxes], columns: int) -> Boxes:
    nothing = np.zeros((0, columns))
    return Boxes(
        [shape for part in parts for shape in part.shapes],
        np.concatenate([nothing, *(part.lows for part in parts)]),
        np.concatenate([nothing, *(part.highs for part in parts)]),
        np.concatenate([np.zeros(0, dtype=bool), *(part.loose for part in parts)]),
    )


def _without_repeats(boxes: Boxes) -> Boxes:
    """Points that are the same stand once; boxes stay, since their parts may differ."""
    seen: set[object] = set()
    keep = []
    points = np.asarray(((boxes.highs - boxes.lows) <= POINT).all(axis=1))
    for i, row in enumerate(np.round(boxes.highs, 12).tolist()):
        key = tuple(row) if points[i] else (i, None)
        if key not in seen:
            seen.add(key)
            keep.append(i)
    return boxes.select(np.array(keep, dtype=np.intp))


def reached(boxes: Boxes, claims: Sequence[MeasureClaim]) -> bool:
    """Whether some mean of what rankings do have meets all claims: then no plane parts them, however fine the boxes."""
    points, _ = endpoints(boxes)
    return _least_miss(points, points, claims) is None


def parting_plane(boxes: Boxes, claims: Sequence[MeasureClaim], columns: Sequence[int]) -> Plane | None:
    """The plane between the report and every mean; None where there is none. `columns` are those of the claims."""
    low, high = np.array([claim.low for claim in claims]), np.array([claim.high for claim in claims])
    lows, highs = boxes.lows[:, columns], boxes.highs[:, columns]
    dual = _least_miss(lows, highs, claims)
    return None if dual is None else _checked(dual[: len(low)], dual[len(low) :], lows, highs, low, high)


def _least_miss(
    lows: NDArray[np.float64], highs: NDArray[np.float64], claims: Sequence[MeasureClaim]
) -> NDArray[np.float64] | None:
    """Weights of the claims' upper and lower ends in a plane that misses none of the boxes; None where claims are met.

    The linear program has weights of the boxes, and makes the greatest miss of a claim as small as it can be.
    """
    from scipy.optimize import linprog

    n, c = lows.shape
    solution = linprog(
        np.append(np.zeros(n), 1.0),
        A_ub=np.concatenate([np.concatenate([lows.T, -highs.T]), -np.ones((2 * c, 1))], axis=1),
        b_ub=np.array([*(claim.high for claim in claims), *(-claim.low for claim in claims)]),
        A_eq=np.append(np.ones(n), 0.0)[None, :],
        b_eq=[1.0],
        method="highs",
    )
    if solution.status != 0 or solution.fun <= MARGIN:
        return None
    return np.asarray(np.maximum(-solution.ineqlin.marginals, 0.0), dtype=np.float64)


def _checked(
    down: NDArray[np.float64],
    up: NDArray[np.float64],
    lows: NDArray[np.float64],
    highs: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> Plane | None:
    """The plane that the solver proposes, if every box lies on its side: the solver's answer is always checked."""
    scale = max(float(up.max()), float(down.max()))
    if scale <= 0:
        return None
    up, down = (np.where(side / scale > NOISE, side / scale, 0.0) for side in (up, down))
    most = float((highs @ up - lows @ down).max())
    reported = float(low @ up - high @ down)
    if reported <= most + MARGIN:
        return None
    return Plane(tuple((up - down).tolist()), most, reported)


def extent(
    boxes: Boxes, claims: Sequence[MeasureClaim], columns: Sequence[int], column: int
) -> tuple[float, float] | None:
    """Between which ends the mean of one more column lies, while the claims hold; None where they cannot."""
    from scipy.optimize import linprog

    lows, highs = boxes.lows[:, columns], boxes.highs[:, columns]
    b = np.array([*(claim.high for claim in claims), *(-claim.low for claim in claims)])
    ends = []
    for cost in (boxes.lows[:, column], -boxes.highs[:, column]):
        solution = linprog(
            cost,
            A_ub=np.concatenate([lows.T, -highs.T]) if len(columns) else None,
            b_ub=b if len(columns) else None,
            A_eq=np.ones((1, len(cost))),
            b_eq=[1.0],
            method="highs",
        )
        if solution.status != 0:
            return None
        ends.append(float(solution.fun))
    return ends[0], 0.0 - ends[1]


def endpoints(boxes: Boxes) -> tuple[NDArray[np.float64], list[tuple[PartialRanking, bool]]]:
    """Values that rankings do have: the ends of all boxes, each once, and whose they are (True: the best end)."""
    rows = np.concatenate([boxes.lows, boxes.highs])
    _, first = np.unique(np.round(rows, 12), axis=0, return_index=True)
    keep = np.sort(first)
    many = len(boxes.shapes)
    return rows[keep], [(boxes.shapes[i % many], i >= many) for i in keep.tolist()]


# Whether some claims can hold together, and an example where there is one.
Oracle = Callable[[Sequence[MeasureClaim]], tuple[ReportVerdict, Placement | None]]
# All sets up to this size are tried; a larger one is made by leaving out claims one after the other.
SMALL = 3


def smallest(claims: Sequence[MeasureClaim], can: Oracle) -> list[tuple[MeasureClaim, ...]]:
    """The smallest sets of claims that are proven not to hold together. The whole set is known to be one."""
    examples: list[Placement] = []
    for size in range(1, min(SMALL, len(claims) - 1) + 1):
        impossible = []
        for some in combinations(claims, size):
            if any(_meets(example, some) for example in examples):
                continue
            verdict, example = can(some)
            if example is not None:
                examples.append(example)
            if verdict == "impossible":
                impossible.append(some)
        if impossible:
            return impossible
    return [_thinned(tuple(claims), can)]


def _meets(example: Placement, some: Sequence[MeasureClaim]) -> bool:
    return all(claim.text in example.values and claim.low <= example.values[claim.text] <= claim.high for claim in some)


def _thinned(claims: tuple[MeasureClaim, ...], can: Oracle) -> tuple[MeasureClaim, ...]:
    """A set from which no claim can be left out."""
    for claim in claims:
        less = tuple(other for other in claims if other is not claim)
        if less and can(less)[0] == "impossible":
            return _thinned(less, can)
    return claims
