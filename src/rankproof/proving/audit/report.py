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
from rankproof.proving.audit.claims import (
    Contradiction,
    Instead,
    MeasureClaim,
    Placement,
    ReportAudit,
    ReportVerdict,
    RoundingRule,
)
from rankproof.proving.audit.hull import smallest
from rankproof.proving.audit.means import Refutation, beyond, example_of_means, refute_means
from rankproof.proving.audit.pools import Grades
from rankproof.proving.audit.rankings import POINT, Boxes, PartialRanking, Space
from rankproof.proving.audit.readings import ROUNDINGS, ClaimGroup, Interpretation, Stated, assumptions, interpret

# The definitions that an undecided report is tried with.
USUAL = "rankproof"
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
    """A ranking that meets every claim. The space's variants are those of the claims, in their order.

    Where boxes are wider than what rankings have, only a proof can come of it, no example.
    """
    target = _Target(np.array([claim.low for claim in claims]), np.array([claim.high for claim in claims]))
    waiting: list[PartialRanking] = []
    shapes = space.roots()
    looked_at = 0
    settled = True
    while True:
        for boxes in space.boxes(shapes):
            looked_at += boxes.documents
            example = _example(space, boxes, target) if space.exact else None
            if example is not None:
                return SearchResult("possible", example)
            if looked_at > budget:
                return SearchResult("undecided")
            touched = target.touched(boxes)
            if (touched & ~boxes.loose).any():
                # This shape stays, and its box gets no smaller: what lies inside is not known.
                settled = False
                if not space.exact:
                    return SearchResult("undecided")  # nor is any box an example
            still = np.flatnonzero(touched & boxes.loose)
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
    ways: tuple[Grades, ...], claims: Sequence[MeasureClaim], measure: MeasureClaim, budget: int = SMALL_BUDGET
) -> Range | None:
    """The values of one more measure over all rankings that meet the claims; None where there is no such ranking."""
    space = Space.of(ways, (*claims, measure))
    target = _Target(
        np.array([*(claim.low for claim in claims), -np.inf]), np.array([*(claim.high for claim in claims), np.inf])
    )
    values: dict[float, PartialRanking] = {}
    ends: list[float] = []  # of the boxes that are still open
    closed: list[float] = []  # of those that cannot be divided and are no points
    shapes = space.roots()
    looked_at = 0
    while True:
        open_: list[PartialRanking] = []
        ends_below: list[float] = []
        for boxes in space.boxes(shapes):
            looked_at += boxes.documents
            if looked_at > budget and ends:
                return Range(False, min([*ends, *closed, *values]), max([*ends, *closed, *values]), {})
            touched = target.touched(boxes)
            points = ((boxes.highs - boxes.lows) <= POINT).all(axis=1)
            for i in np.flatnonzero(touched & points).tolist():
                values.setdefault(round(float(boxes.highs[i, -1]), 12), boxes.shapes[i])
            for i in np.flatnonzero(touched & ~points).tolist():
                both = [float(boxes.lows[i, -1]), float(boxes.highs[i, -1])]
                if boxes.loose[i]:
                    open_.append(boxes.shapes[i])
                    ends_below += both
                else:
                    closed += both
        if not open_:
            break
        shapes, ends = space.parts(open_), ends_below
    if closed:
        return Range(False, min([*closed, *values]), max([*closed, *values]), {})
    if not values:
        return None
    return Range(True, min(values), max(values), dict(sorted(values.items())))


# How many different values of a measure are listed one by one.
FEW = 6


def refute_one(group: ClaimGroup, words: str, explain: bool) -> Refutation | None:
    """The proof that no ranking of one query has these values; None where there is none."""
    (ways,) = group.scenarios

    def can(some: Sequence[MeasureClaim], budget: int = SMALL_BUDGET) -> tuple[ReportVerdict, Placement | None]:
        result = search(Space.of(ways, some), some, budget)
        return result.verdict, result.placement

    if can(group.claims, BUDGET)[0] != "impossible":
        return None
    if not explain:
        return Refutation((_contradiction(group.claims, words),))
    contradictions = tuple(_contradiction(some, words) for some in smallest(group.claims, can))
    instead = tuple(other for claim in group.claims if (other := _instead(group.claims, claim, ways)) is not None)
    return Refutation(contradictions, instead)


def _contradiction(some: Sequence[MeasureClaim], words: str) -> Contradiction:
    names = tuple(claim.text for claim in some)
    each = [f"{claim.text} {claim.claim.said}" for claim in some]
    if len(some) == 1:
        return Contradiction(names, f"No ranking of a query with {words} has {each[0]}.")
    return Contradiction(names, f"No ranking has {', '.join(each[:-1])} and {each[-1]} together.")


def _instead(claims: Sequence[MeasureClaim], claim: MeasureClaim, ways: tuple[Grades, ...]) -> Instead | None:
    """The values that the claim could have if the others hold; None where they do not hold either."""
    others = [other for other in claims if other is not claim]
    reached = reachable(ways, others, claim)
    if reached is None:
        return None
    values = list(reached.rankings)
    if len(values) > FEW:
        values = [
            *[value for value in values if value < claim.low][-1:],
            *[value for value in values if value > claim.high][:1],
        ]
    space = Space.of(ways, (*others, claim))
    placements = tuple(space.placement(shape.worst(), shape.way) for shape in map(reached.rankings.__getitem__, values))
    return Instead(
        claim.text, claim.claim.said, tuple(values), reached.least, reached.greatest, placements,
        len(values) == len(reached.rankings) and reached.known,
    )  # fmt: skip


# ---- the whole report --------------------------------------------------------------------------------


def refute(meaning: Interpretation, queries: int, *, explain: bool = True) -> Refutation | None:
    """The proof that a report is impossible, whatever is left open; None where there is none. Nothing else proves it.

    Explained, it names the smallest sets of claims that contradict each other, and what each could be instead.
    """
    contradictions: list[Contradiction] = []
    refuted = []
    for ranged in meaning.ranges:
        for out, side, end in (
            (ranged.claim.low > ranged.greatest, "at most", ranged.greatest),
            (ranged.claim.high < ranged.least, "at least", ranged.least),
        ):
            if out:
                contradictions.append(Contradiction((ranged.claim.text,), beyond(ranged.claim, side, end, queries)))
    for group in meaning.groups:
        single = queries == 1 and not group.mixes
        proof = refute_one(group, meaning.pools.words, explain) if single else refute_means(group, queries, explain)
        if proof is not None:
            refuted.append(proof)
            contradictions += (found for found in proof.contradictions if found not in contradictions)
    if not contradictions:
        return None
    # A claim can be the only wrong one where nothing outside its group contradicts.
    alone = len(refuted) == 1 and len(contradictions) == len(refuted[0].contradictions)
    return Refutation(tuple(contradictions), refuted[0].instead if alone else ())


def audit_report(
    claims: Sequence[MeasureClaim],
    *,
    relevant: str | None = None,
    grades: Sequence[str] = (),
    queries: int = 1,
    dialect: str | None = None,
    average: str | None = None,
    rounding: str | None = None,
) -> ReportAudit:
    """Whether the claims can hold for one query, or as means over several. `Stated` says what the options mean."""
    if queries < 1:
        raise UsageError(f"A report is on 1 query or more; got {queries}.")
    stated = Stated(relevant, tuple(grades), dialect, average, rounding)
    meaning = interpret(claims, stated, queries)
    records = tuple(claim.rounded_by(_rule(rounding)).claim for claim in claims)
    notes = (*meaning.notes, *assumptions(claims, meaning, stated, queries))
    words = meaning.pools.words
    proof = refute(meaning, queries)
    if proof is not None:
        rests_on = _needed(claims, stated, queries)
        return ReportAudit(
            "impossible", records, queries, words, proof.contradictions, proof.instead, (), notes, rests_on
        )
    example = _example_of(meaning, queries)
    if example:
        return ReportAudit("possible", records, queries, words, example=example, notes=notes)
    missing = _neither(queries)
    would_be = _would_be(claims, stated, queries)
    return ReportAudit("undecided", records, queries, words, notes=(missing, *notes), would_be=would_be)


def _rule(rounding: str | None) -> RoundingRule | None:
    return next((known for known in ROUNDINGS if known == rounding), None)


def _example_of(meaning: Interpretation, queries: int) -> tuple[Placement, ...]:
    """Rankings that have all values, by one definition each."""
    if not meaning.plain:
        return ()
    if queries > 1:
        return example_of_means(meaning.plain, meaning.pools, queries)
    placement = search(Space.of(meaning.pools.ways, meaning.plain), meaning.plain, BUDGET).placement
    return () if placement is None else (placement,)


def _neither(queries: int) -> str:
    what = "ranking was" if queries == 1 else f"{queries:,} queries were"
    return f"No such {what} found, and no proof that there is none."


def _needed(claims: Sequence[MeasureClaim], stated: Stated, queries: int) -> tuple[str, ...]:
    """What was stated and cannot be left out without losing the proof; tried one after the other."""
    needed = []
    for option, _ in stated.options():
        less = dict(stated.options())[option]
        if _proven(claims, less, queries):
            stated = less
        else:
            needed.append(option)
    return tuple(needed)


def _proven(claims: Sequence[MeasureClaim], stated: Stated, queries: int) -> bool:
    try:
        return refute(interpret(claims, stated, queries), queries, explain=False) is not None
    except UsageError:  # without a number of relevant documents nothing is known of recall
        return False


def _would_be(claims: Sequence[MeasureClaim], stated: Stated, queries: int) -> tuple[str, ...]:
    """The options under which an undecided report would be impossible: the first that prove it, the fewest first."""
    given = {option for option, _ in stated.options()}
    defined = stated if stated.dialect is not None else replace(stated, dialect=USUAL)
    nearest = replace(defined, rounding=stated.rounding or "nearest")
    for more in (defined, nearest, replace(nearest, average=stated.average or "all")):
        if more != stated and _proven(claims, more, queries):
            return tuple(option for option in _needed(claims, more, queries) if option not in given)
    return ()
