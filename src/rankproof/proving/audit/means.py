"""Audit of means over queries: the values that n queries can have, and an example that rounds to the report.

P@10 of a query is a tenth, so its mean over 54 queries is a multiple of 1/540: between 0.6130 and 0.6148 there is
nothing. The same holds for every measure with few values; the fewer queries, the wider the gaps. The test is known for
means of whole numbers as GRIM (Brown and Heathers, The GRIM test, Social Psychological and Personality Science 8(4),
2017).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.proving.audit.claims import (
    ROUNDING,
    Contradiction,
    Instead,
    MeasureClaim,
    Placement,
    ReportVerdict,
)
from rankproof.proving.audit.hull import FEW_BOXES, Plane, cover, endpoints, extent, parting_plane, reached, smallest
from rankproof.proving.audit.pools import Grades, Pools
from rankproof.proving.audit.rankings import POINT, Boxes, Space
from rankproof.proving.audit.readings import ClaimGroup

# A common denominator up to this makes the values whole numbers; RR@10 has 2520.
MOST_PARTS = 1_000_000
# Shifts of machine words that adding up whole numbers may take; sums that other values may make.
MOST_WORDS = 100_000_000
MOST_SUMS = 200_000
# Relevant documents of all pools together: with more, a query has so many values that no mean is missing.
MOST_DOCUMENTS = 2_000


@dataclass(frozen=True, slots=True)
class Grain:
    """Whether some mean rounds to what was reported, and the nearest means on both sides of it.

    parts   the common denominator of one query's values; None where there is none
    """

    verdict: Literal["possible", "impossible", "undecided"]
    below: float | None = None
    above: float | None = None
    parts: int | None = None


def grain(values: Sequence[float], n: int, low: float, high: float) -> Grain:
    """Whether the mean of n of the values, each as often as one likes, can lie between low and high.

    A report below the least or above the greatest value is not decided here: no number of queries helps it.
    """
    if not min(values) <= high or not max(values) >= low:
        return Grain("undecided")  # out of range for any number of queries: `parting_plane` decides it
    parts = _common_parts(values)
    if parts is not None:
        whole = sorted({round(value * parts) for value in values})
        if whole == list(range(whole[0], whole[-1] + 1)):
            return _every_sum(n, low, high, parts)
        if n * len(whole) * (n * whole[-1] // 64 + 1) <= MOST_WORDS:
            return _whole_sums(whole, n, low, high, parts)
    return _float_sums(np.unique(np.array(values)), n, low, high)


def _common_parts(values: Sequence[float]) -> int | None:
    parts = 1
    for value in values:
        near = Fraction(value).limit_denominator(MOST_PARTS)
        if abs(float(near) - value) > 1e-13:
            return None
        parts = math.lcm(parts, near.denominator)
        if parts > MOST_PARTS:
            return None
    return parts


def _every_sum(n: int, low: float, high: float, parts: int) -> Grain:
    """Neighboring whole numbers: every sum between the least and the greatest can be."""
    first = math.ceil(low * n * parts - ROUNDING)
    if first <= math.floor(high * n * parts + ROUNDING):
        return Grain("possible", parts=parts)
    return _none(first - 1, first, n * parts, parts)


def _whole_sums(whole: Sequence[int], n: int, low: float, high: float, parts: int) -> Grain:
    """All sums of n whole numbers, as the bits of one number."""
    # Without the least value in each, sums stay small.
    base, steps = whole[0], [value - whole[0] for value in whole]
    sums = 1
    for _ in range(n):
        more = 0
        for step in steps:
            more |= sums << step
        sums = more
    first = math.ceil(low * n * parts - ROUNDING) - n * base
    last = math.floor(high * n * parts + ROUNDING) - n * base
    first_in = _next_bit(sums, max(first, 0))
    if first_in is not None and first_in <= last:
        return Grain("possible", parts=parts)
    below = (sums & ((1 << max(first, 0)) - 1)).bit_length() - 1
    return _none(
        below + n * base if below >= 0 else None, None if first_in is None else first_in + n * base, n * parts, parts
    )


def _next_bit(bits: int, at: int) -> int | None:
    rest = bits >> at
    return None if rest == 0 else at + (rest & -rest).bit_length() - 1


def _none(below: int | None, above: int | None, bottom: int, parts: int) -> Grain:
    return Grain(
        "impossible", None if below is None else below / bottom, None if above is None else above / bottom, parts
    )


def _float_sums(values: NDArray[np.float64], n: int, low: float, high: float) -> Grain:
    """Sums of n values that have no common denominator: those that can still end near the report."""
    means = _means_between(values, n, low, high)
    if means is None:
        return Grain("undecided")
    if len(means):
        return Grain("possible")
    # Look further to both sides until something is there.
    below = above = None
    reach = max(high - low, ROUNDING)
    while below is None or above is None:
        reach *= 4
        means = _means_between(values, n, low - reach, high + reach)
        if means is None:
            break
        below = max((mean for mean in means.tolist() if mean < low), default=below)
        above = min((mean for mean in means.tolist() if mean > high), default=above)
    return Grain("impossible", below, above)


def _means_between(values: NDArray[np.float64], n: int, low: float, high: float) -> NDArray[np.float64] | None:
    """The means of n values between low and high; None where there are too many sums on the way."""
    sums = np.zeros(1)
    for left in range(n - 1, -1, -1):
        if len(sums) * len(values) > MOST_SUMS:
            return None
        sums = np.unique(np.round(sums[:, None] + values, 12))
        # What the values still to come cannot bring back between the ends is dropped.
        sums = sums[(sums + left * values[-1] >= n * low - ROUNDING) & (sums + left * values[0] <= n * high + ROUNDING)]
    return np.asarray(sums / n)


# How many different rankings an example may be made of: more make the solver slow, and an example no better.
MOST_RANKINGS = 100
# Branches that the solver may look at. A count and not a time: the same report has the same answer everywhere.
MOST_BRANCHES = 1_000


def mixture(space: Space, boxes: Boxes, claims: Sequence[MeasureClaim], queries: int) -> tuple[Placement, ...]:
    """Rankings and how many queries have each, so that all means are as reported; empty where there are none."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    values, whose = endpoints(boxes)
    # Inside the rounding intervals: what the solver calls equal may miss by its tolerance.
    low = np.array([claim.low + 2 * ROUNDING for claim in claims])
    high = np.array([claim.high - 2 * ROUNDING for claim in claims])
    chosen = _chosen(values, low, high)
    some = values[chosen]
    whole = np.ones((1, len(some)))
    solution = milp(
        np.zeros(len(some)),
        constraints=[
            LinearConstraint(some.T, low * queries, high * queries),
            LinearConstraint(whole, queries, queries),
        ],
        integrality=whole[0],
        bounds=Bounds(0, queries),
        options={"node_limit": MOST_BRANCHES},
    )
    if solution.x is None:
        return ()
    counts = np.round(solution.x).astype(np.int64)
    means = (counts @ some / queries).tolist()
    # The solver's answer is checked: the means of the example are computed anew.
    meets = all(claim.low <= mean <= claim.high for claim, mean in zip(claims, means, strict=True))
    if counts.sum() != queries or not meets:
        return ()
    placements = []
    for i in np.argsort(-counts, kind="stable").tolist():
        if counts[i] > 0:
            shape, best = whose[int(chosen[i])]
            placements.append(space.placement(shape.best() if best else shape.worst(), shape.way, int(counts[i])))
    return tuple(placements)


def _chosen(values: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.intp]:
    """What an example is made of: rankings whose mixture comes nearest to the report, and some of all kinds."""
    from scipy.optimize import linprog

    every = np.arange(len(values))
    if len(values) <= MOST_RANKINGS:
        return every
    half = (high - low) / 2
    scaled, middle = values / half, (low + high) / 2 / half
    missed = -np.ones((2 * len(half), 1))
    solution = linprog(
        np.append(np.zeros(len(values)), 1.0),
        A_ub=np.concatenate([np.concatenate([scaled.T, -scaled.T]), missed], axis=1),
        b_ub=np.concatenate([middle, -middle]),
        A_eq=np.append(np.ones(len(values)), 0.0)[None, :],
        b_eq=[1.0],
        method="highs",
    )
    near = np.flatnonzero(solution.x[:-1] > 1e-9) if solution.status == 0 else every[:0]
    return np.union1d(near, np.linspace(0, len(values) - 1, MOST_RANKINGS).astype(np.intp))


@dataclass(frozen=True, slots=True)
class Refutation:
    """Why the claims of a group cannot hold together, and what could stand in place of each."""

    contradictions: tuple[Contradiction, ...]
    instead: tuple[Instead, ...] = ()


def refute_means(group: ClaimGroup, queries: int, explain: bool) -> Refutation | None:
    """The proof that no queries have these means, by planes or by the grain of a mean; None where there is none."""
    coarse: tuple[Contradiction, ...] = ()
    if not group.mixes and queries > 1:
        (ways,) = group.scenarios
        grains = [(claim, claim_grain(claim, ways, group.fewest, queries)) for claim in group.claims]
        coarse = tuple(
            Contradiction((claim.text,), _between(claim, result, group.fewest, queries))
            for claim, result in grains
            if result.verdict == "impossible"
        )
        if coarse and not explain:
            return Refutation(coarse)
    spaces = [Space.of(ways, group.claims) for ways in group.scenarios]
    if any(reached(cover(space.sample, FEW_BOXES), group.claims) for space in spaces):
        return Refutation(coarse) if coarse else None
    covers = [cover(space) for space in spaces]
    planes = _planes(group.claims, group.claims, covers)
    if planes is not None and not explain:
        return Refutation((Contradiction(tuple(claim.text for claim in group.claims), _whichever(group.claims)),))
    if planes is not None:
        parted = _contradictions(group.claims, covers, coarse, queries)
        return Refutation((*coarse, *parted), _instead(group.claims, covers))
    return Refutation(coarse) if coarse else None


def claim_grain(claim: MeasureClaim, ways: Sequence[Grades], fewest: int, queries: int) -> Grain:
    """The granularity test of one claim, over every number of queries that the mean may be over.

    Only a set of values that is known to the last one can prove anything.
    """
    space = Space.of(tuple(ways), (claim,))
    if claim.bound is not None or sum(map(len, space.ways)) > MOST_DOCUMENTS:
        return Grain("undecided")
    if mean_of_two(endpoints(cover(space.sample, FEW_BOXES))[0][:, 0], queries, claim.low, claim.high):
        return Grain("possible")
    boxes = cover(space)
    slack = float((boxes.highs - boxes.lows).max(initial=0.0))
    values = boxes.lows[:, 0].tolist()
    result = grain(values, queries, claim.low - slack, claim.high)
    for n in range(queries - 1, fewest - 1, -1):
        if result.verdict != "impossible":
            break
        fewer = grain(values, n, claim.low - slack, claim.high)
        # The nearest means are those of one number of queries only.
        result = Grain(fewer.verdict, parts=result.parts)
    if slack <= POINT:
        return result
    # Boxes instead of values: a proof holds, but the nearest means are not known to the last digit.
    return Grain("impossible") if result.verdict == "impossible" else Grain("undecided")


def mean_of_two(values: NDArray[np.float64], n: int, low: float, high: float) -> bool:
    """Whether a mean of n values lies between low and high of which some are one value and the rest another one."""
    some = np.unique(values)
    some = some[np.unique(np.linspace(0, len(some) - 1, MOST_RANKINGS).astype(np.intp))]
    gaps = some[None, :] - some[:, None]
    rising = gaps > 0
    steps = np.divide(gaps, n, out=np.ones_like(gaps), where=rising)
    # How often the greater one is taken: just so often that the mean is not below.
    times = np.clip(np.ceil((low - some[:, None]) / steps), 0, n)
    means = some[:, None] + times * steps
    return bool((rising & (low <= means) & (means <= high)).any())


def _between(claim: MeasureClaim, result: Grain, fewest: int, queries: int) -> str:
    text, reported = claim.text, claim.claim.said
    places = len(reported.rstrip("%").partition(".")[2]) + 1 + 2 * reported.endswith("%")
    near = [f"{value:.{places}f}" for value in (result.below, result.above) if value is not None]
    nearest = f": the nearest {'mean is' if len(near) == 1 else 'means are'} {' and '.join(near)}" if near else ""
    many = f"{queries}" if fewest == queries else f"{queries} or fewer"
    if result.parts is None:
        why = f"The mean of {text}"
    else:
        what = "a whole number" if result.parts == 1 else f"a multiple of 1/{result.parts}"
        why = f"{text} of one query is {what}, so its mean"
    return f"{why} over {many} queries cannot be {reported}{nearest}."


def _planes(
    some: Sequence[MeasureClaim], claims: Sequence[MeasureClaim], covers: Sequence[Boxes]
) -> tuple[Plane, ...] | None:
    """A plane that parts some of the claims from all means, in each scenario; None where one of them has none."""
    column = {claim.text: i for i, claim in enumerate(claims)}
    planes = []
    for boxes in covers:
        plane = parting_plane(boxes, some, [column[claim.text] for claim in some])
        if plane is None:
            return None
        planes.append(plane)
    return tuple(planes)


def _contradictions(
    claims: Sequence[MeasureClaim], covers: Sequence[Boxes], coarse: Sequence[Contradiction], queries: int
) -> tuple[Contradiction, ...]:
    known = {contradiction.measures for contradiction in coarse}

    def can(some: Sequence[MeasureClaim]) -> tuple[ReportVerdict, Placement | None]:
        return ("undecided" if _planes(some, claims, covers) is None else "impossible"), None

    contradictions = []
    for some in smallest(claims, can):
        names = tuple(claim.text for claim in some)
        planes = _planes(some, claims, covers)
        assert planes is not None
        if names not in known:
            reason = _proof(some, planes[0], queries) if len(planes) == 1 else _whichever(some)
            contradictions.append(Contradiction(names, reason))
    return tuple(contradictions)


def _whichever(some: Sequence[MeasureClaim]) -> str:
    """Several scenarios have each a plane of their own: the sentence says what they have in common."""
    each = " and ".join(f"{claim.text} {claim.claim.said}" for claim in some)
    return f"Whichever grade is the least relevant one, no queries with these grades have {each}."


def _proof(some: Sequence[MeasureClaim], plane: Plane, queries: int) -> str:
    """The plane in words: what holds for every query, and what the reported means give."""
    if len(some) == 1:
        end = plane.most if plane.factors[0] > 0 else 0.0 - plane.most
        return beyond(some[0], "at most" if plane.factors[0] > 0 else "at least", end, queries)
    terms = ""
    # What is added comes first: the sum reads better.
    for i in sorted(range(len(some)), key=lambda i: plane.factors[i] < 0):
        factor, text = plane.factors[i], some[i].text
        amount = text if abs(abs(factor) - 1) < 1e-9 else f"{abs(factor):.4g} x {text}"
        sign = "-" if factor < 0 else "+"
        terms = f"{terms} {sign} {amount}" if terms else amount if factor > 0 else f"-{amount}"
    most = f"{plane.most:.4f}" if abs(plane.most) > 5e-7 else "0"
    so = "the reported values make it" if queries == 1 else "and so for every mean; the reported means make it"
    return f"For every query {terms} is at most {most}, {so} at least {plane.reported:.4f}."


def beyond(claim: MeasureClaim, side: str, end: float, queries: int) -> str:
    """The sentence for a value beyond the end of a range."""
    so = f"{claim.claim.said} cannot be" if queries == 1 else f"so a mean of {claim.claim.said} cannot be"
    return f"{claim.text} of one query is {side} {end:.4f}, {so}."


def _instead(claims: Sequence[MeasureClaim], covers: Sequence[Boxes]) -> tuple[Instead, ...]:
    alternatives = []
    for column, claim in enumerate(claims):
        columns = [i for i in range(len(claims)) if i != column]
        others = [claims[i] for i in columns]
        ends = []
        for boxes in covers:
            if others and parting_plane(boxes, others, columns) is not None:
                continue
            if (found := extent(boxes, others, columns, column)) is not None:
                ends.append(found)
        if ends:
            least, greatest = min(end[0] for end in ends), max(end[1] for end in ends)
            alternatives.append(Instead(claim.text, claim.claim.said, (), least, greatest))
    return tuple(alternatives)


def example_of_means(claims: Sequence[MeasureClaim], pools: Pools, queries: int) -> tuple[Placement, ...]:
    """Rankings, and how many queries have each, that give the means; empty where none were found."""
    space = Space.of(pools.ways, claims)
    return mixture(space, cover(space), claims, queries)
