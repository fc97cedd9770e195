"""Audit of a report: can these values be true together? The search for one query.

Branch and bound over shapes. A shape whose box misses a claim is dropped with all its rankings; one of whose ends
meets all claims is an example; any other is divided. When nothing is left, no ranking can be: that is the proof.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.measuring.measures.contract import Variant
from rankproof.proving.audit.claims import Contradiction, Instead, MeasureClaim, Placement, ReportAudit, ReportVerdict
from rankproof.proving.audit.hull import smallest
from rankproof.proving.audit.means import audit_means
from rankproof.proving.audit.rankings import POINT, Boxes, PartialRanking, Pools, Space, pools

# How many documents may be placed in one search, over all rankings that are computed: some seconds. Finding
# the claims that contradict takes many searches, each of which may take less.
BUDGET = 2_000_000
SMALL_BUDGET = 100_000
# How many shapes are divided before the most promising ones are chosen again.
STEP = 64


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search: an example, or a proof that there is none, or neither within the budget."""

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


def search(space: Space, claims: Sequence[MeasureClaim], budget: int = BUDGET) -> SearchResult:
    """A ranking that meets every claim. The space's variants are those of the claims, in their order."""
    target = _Target(np.array([claim.low for claim in claims]), np.array([claim.high for claim in claims]))
    waiting: list[PartialRanking] = []
    shapes = space.roots()
    looked_at = 0
    settled = True
    while True:
        for boxes in space.boxes(shapes):
            looked_at += boxes.documents
            example = _example(space, boxes, target)
            if example is not None:
                return SearchResult("possible", example)
            if looked_at > budget:
                return SearchResult("undecided")
            still = np.flatnonzero(target.touched(boxes) & ((boxes.highs - boxes.lows) > POINT).any(axis=1))
            settled = settled and all(boxes.shapes[i].divisible(space.deeper) for i in still.tolist())
            left = boxes.select(still)
            # The most promising last: it is taken first.
            waiting += left.select(np.argsort(-target.away(left), kind="stable")).shapes
        if not waiting:
            return SearchResult("impossible" if settled else "undecided")
        shapes, waiting = space.parts(waiting[-STEP:]), waiting[:-STEP]


def _example(space: Space, boxes: Boxes, target: _Target) -> Placement | None:
    for ends, end in ((boxes.highs, PartialRanking.best), (boxes.lows, PartialRanking.worst)):
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
    rankings: Mapping[float, PartialRanking]


def reachable(
    space: Space, claims: Sequence[MeasureClaim], measure: Variant, budget: int = SMALL_BUDGET
) -> Range | None:
    """The values of one more measure over all rankings that meet the claims; None where there is no such ranking."""
    space = Space(space.ways, (*(claim.variant for claim in claims), measure))
    target = _Target(
        np.array([*(claim.low for claim in claims), -np.inf]), np.array([*(claim.high for claim in claims), np.inf])
    )
    values: dict[float, PartialRanking] = {}
    ends: list[float] = []  # of the boxes that are still open
    shapes = space.roots()
    looked_at = 0
    while True:
        open_: list[PartialRanking] = []
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


# How many different values of a measure are listed one by one.
FEW = 6


def audit_one(claims: Sequence[MeasureClaim], pools: Pools) -> ReportAudit:
    """Whether some ranking of one query has all these values."""

    def can(some: Sequence[MeasureClaim], budget: int = SMALL_BUDGET) -> tuple[ReportVerdict, Placement | None]:
        result = search(Space(pools.ways, tuple(claim.variant for claim in some)), some, budget)
        return result.verdict, result.placement

    records = tuple(claim.claim for claim in claims)
    verdict, example = can(claims, BUDGET)
    if verdict == "possible":
        assert example is not None
        return ReportAudit("possible", records, 1, pools.words, example=(example,))
    if verdict == "undecided":
        note = f"After {BUDGET:,} placed documents no such ranking was found, and no proof that there is none."
        return ReportAudit("undecided", records, 1, pools.words, notes=(note,))
    contradictions = tuple(_contradiction(some, pools) for some in smallest(claims, can))
    instead = tuple(other for claim in claims if (other := _instead(claims, claim, pools)) is not None)
    return ReportAudit("impossible", records, 1, pools.words, contradictions, instead)


def _contradiction(some: Sequence[MeasureClaim], pools: Pools) -> Contradiction:
    names = tuple(claim.variant.text for claim in some)
    values = _reported_values(some)
    if len(some) == 1:
        return Contradiction(names, f"No ranking of a query with {pools.words}, has {values}.")
    return Contradiction(names, f"No ranking has {values} together.")


def _reported_values(some: Sequence[MeasureClaim]) -> str:
    each = [f"{claim.variant.text} {claim.claim.said}" for claim in some]
    return each[0] if len(each) == 1 else f"{', '.join(each[:-1])} and {each[-1]}"


def _instead(claims: Sequence[MeasureClaim], claim: MeasureClaim, pools: Pools) -> Instead | None:
    """The values that the claim could have if the others hold; None where they do not hold either."""
    others = [other for other in claims if other is not claim]
    space = Space(pools.ways, tuple(other.variant for other in (*others, claim)))
    reached = reachable(space, others, claim.variant)
    if reached is None:
        return None
    values = list(reached.rankings)
    if len(values) > FEW:
        values = [
            *[value for value in values if value < claim.low][-1:],
            *[value for value in values if value > claim.high][:1],
        ]
    placements = tuple(space.placement(shape.worst(), shape.way) for shape in map(reached.rankings.__getitem__, values))
    return Instead(
        claim.variant.text, claim.claim.said, tuple(values), reached.least, reached.greatest, placements,
        len(values) == len(reached.rankings) and reached.known,
    )  # fmt: skip


def audit_report(
    claims: Sequence[MeasureClaim], *, relevant: str | None = None, grades: Sequence[str] = (), queries: int = 1
) -> ReportAudit:
    """Whether the claims can hold for one query, or as means over several.

    relevant   how many relevant documents a query has: `5`, or a range such as `1-8`
    grades     instead of it: grades of the relevant documents, such as `3,2,1`; several for several kinds of queries
    """
    if queries < 1:
        raise UsageError(f"A report is on 1 query or more; got {queries}.")
    pool_choices = pools(claims, relevant, grades)
    audit = audit_one(claims, pool_choices) if queries == 1 else audit_means(claims, pool_choices, queries)
    return replace(audit, notes=(*audit.notes, *_granted(claims, queries)))


def _granted(claims: Sequence[MeasureClaim], queries: int) -> list[str]:
    """The assumptions behind the answer."""
    notes = ["values are taken as rounded to the digits shown"]
    if queries > 1:
        notes.append("means are over all queries; one where a measure is undefined counts as 0")
    if any(claim.variant.measure.name in ("ERR", "nERR") for claim in claims):
        notes.append("the top grade of the scale is the greatest grade given")
    return notes
