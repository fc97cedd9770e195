"""Many: a report of means over queries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankproof.flow.audit.blame import smallest
from rankproof.flow.audit.claims import Asked
from rankproof.flow.audit.grain import Grain, grain
from rankproof.flow.audit.hull import Plane, cover, extent, parting_plane
from rankproof.flow.audit.mixture import mixture
from rankproof.flow.audit.pools import Pools
from rankproof.flow.audit.space import POINT, Boxes, Space
from rankproof.records.audit import Contradiction, Instead, Placement, ReportAudit, ReportVerdict


def audit_means(asked: Sequence[Asked], pools: Pools, queries: int) -> ReportAudit:
    """Whether some queries, as many as are said, can have all these means."""
    claims = tuple(claim.claim for claim in asked)
    grains = {claim.variant.text: _grain(claim, pools, queries) for claim in asked}
    coarse = tuple(
        Contradiction((claim.variant.text,), _between(claim, grains[claim.variant.text], queries))
        for claim in asked
        if grains[claim.variant.text].verdict == "impossible"
    )
    space = Space(pools.ways, tuple(claim.variant for claim in asked))
    boxes = cover(space)
    plane = parting_plane(boxes, asked, range(len(asked)))
    if plane is not None:
        parted = _contradictions(asked, boxes, coarse)
        instead = _instead(asked, boxes)
        return ReportAudit("impossible", claims, queries, pools.words, (*coarse, *parted), instead)
    if coarse:
        return ReportAudit("impossible", claims, queries, pools.words, coarse)
    example = mixture(space, boxes, asked, queries)
    if example:
        return ReportAudit("possible", claims, queries, pools.words, example=example)
    return ReportAudit("undecided", claims, queries, pools.words, notes=_open(grains, boxes, queries))


def _grain(claim: Asked, pools: Pools, queries: int) -> Grain:
    """The granularity test of one claim; only a set of values that is known to the last one can prove anything."""
    boxes = cover(Space(pools.ways, (claim.variant,)))
    slack = float((boxes.highs - boxes.lows).max(initial=0.0))
    told = grain(boxes.lows[:, 0].tolist(), queries, claim.low - slack, claim.high)
    if slack <= POINT:
        return told
    # Boxes instead of values: a proof holds, but the nearest means are not known to the last digit.
    return Grain("impossible") if told.verdict == "impossible" else Grain("undecided")


def _between(claim: Asked, told: Grain, queries: int) -> str:
    text, said = claim.variant.text, claim.claim.said
    places = len(said.rstrip("%").partition(".")[2]) + 1 + 2 * said.endswith("%")
    near = [f"{value:.{places}f}" for value in (told.below, told.above) if value is not None]
    nearest = f": the nearest {'mean is' if len(near) == 1 else 'means are'} {' and '.join(near)}" if near else ""
    if told.parts is None:
        why = f"The mean of {text}"
    else:
        what = "a whole number" if told.parts == 1 else f"a multiple of 1/{told.parts}"
        why = f"{text} of one query is {what}, so its mean"
    return f"{why} over {queries} queries cannot be {said}{nearest}."


def _contradictions(asked: Sequence[Asked], boxes: Boxes, coarse: Sequence[Contradiction]) -> tuple[Contradiction, ...]:
    column = {claim.variant.text: i for i, claim in enumerate(asked)}
    known = {contradiction.measures for contradiction in coarse}

    def plane(some: Sequence[Asked]) -> Plane | None:
        return parting_plane(boxes, some, [column[claim.variant.text] for claim in some])

    def can(some: Sequence[Asked]) -> tuple[ReportVerdict, Placement | None]:
        return ("undecided" if plane(some) is None else "impossible"), None

    found = []
    for some in smallest(asked, can):
        names = tuple(claim.variant.text for claim in some)
        proof = plane(some)
        assert proof is not None
        if names not in known:
            found.append(Contradiction(names, _proof(some, proof)))
    return tuple(found)


def _proof(some: Sequence[Asked], plane: Plane) -> str:
    """The plane in words: what holds for every query, and what the report says."""
    if len(some) == 1:
        text, said = some[0].variant.text, some[0].claim.said
        end = plane.most if plane.factors[0] > 0 else 0.0 - plane.most
        side = "at most" if plane.factors[0] > 0 else "at least"
        return f"{text} of one query is {side} {end:.4f}, so a mean of {said} cannot be."
    terms = ""
    # What is added comes first: the sum reads better.
    for i in sorted(range(len(some)), key=lambda i: plane.factors[i] < 0):
        factor, text = plane.factors[i], some[i].variant.text
        amount = text if abs(abs(factor) - 1) < 1e-9 else f"{abs(factor):.4g} x {text}"
        sign = "-" if factor < 0 else "+"
        terms = f"{terms} {sign} {amount}" if terms else amount if factor > 0 else f"-{amount}"
    most = f"{plane.most:.4f}" if abs(plane.most) > 5e-7 else "0"
    return (
        f"For every query {terms} is at most {most}, and so for every mean; the reported means make it at least "
        f"{plane.reported:.4f}."
    )


def _instead(asked: Sequence[Asked], boxes: Boxes) -> tuple[Instead, ...]:
    found = []
    for wanted, claim in enumerate(asked):
        columns = [i for i in range(len(asked)) if i != wanted]
        others = [asked[i] for i in columns]
        if others and parting_plane(boxes, others, columns) is not None:
            continue
        ends = extent(boxes, others, columns, wanted)
        if ends is not None:
            found.append(Instead(claim.variant.text, claim.claim.said, (), *ends))
    return tuple(found)


def _open(grains: dict[str, Grain], boxes: Boxes, queries: int) -> tuple[str, ...]:
    exact = bool(np.all(boxes.highs - boxes.lows <= POINT))
    fine = "every ranking" if exact else f"{len(boxes.shapes):,} boxes around all rankings"
    notes = [
        f"The means lie within what queries can have together, by {fine}; but no {queries} queries were found that "
        "give all of them, and no proof that there are none."
    ]
    untold = [text for text, told in grains.items() if told.verdict == "undecided"]
    if untold:
        notes.append(f"Whether {queries} values can have such a mean was not decided for {', '.join(untold)}.")
    return tuple(notes)
