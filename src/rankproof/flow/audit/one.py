"""One: a report on a single query."""

from __future__ import annotations

from collections.abc import Sequence

from rankproof.flow.audit.blame import smallest
from rankproof.flow.audit.claims import Asked
from rankproof.flow.audit.pools import Pools
from rankproof.flow.audit.search import BUDGET, SMALL_BUDGET, reachable, search
from rankproof.flow.audit.space import Space
from rankproof.records.audit import Contradiction, Instead, Placement, ReportAudit, ReportVerdict

# How many different values of a measure are told one by one.
FEW = 6


def audit_one(asked: Sequence[Asked], pools: Pools) -> ReportAudit:
    """Whether some ranking of one query has all these values."""

    def can(some: Sequence[Asked], budget: int = SMALL_BUDGET) -> tuple[ReportVerdict, Placement | None]:
        found = search(Space(pools.ways, tuple(claim.variant for claim in some)), some, budget)
        return found.verdict, found.placement

    claims = tuple(claim.claim for claim in asked)
    verdict, example = can(asked, BUDGET)
    if verdict == "possible":
        assert example is not None
        return ReportAudit("possible", claims, 1, pools.words, example=(example,))
    if verdict == "undecided":
        note = f"After {BUDGET:,} placed documents no such ranking was found, and no proof that there is none."
        return ReportAudit("undecided", claims, 1, pools.words, notes=(note,))
    contradictions = tuple(_contradiction(some, pools) for some in smallest(asked, can))
    instead = tuple(found for claim in asked if (found := _instead(asked, claim, pools)) is not None)
    return ReportAudit("impossible", claims, 1, pools.words, contradictions, instead)


def _contradiction(some: Sequence[Asked], pools: Pools) -> Contradiction:
    names = tuple(claim.variant.text for claim in some)
    said = _said(some)
    if len(some) == 1:
        return Contradiction(names, f"No ranking of a query with {pools.words}, has {said}.")
    return Contradiction(names, f"No ranking has {said} together.")


def _said(some: Sequence[Asked]) -> str:
    each = [f"{claim.variant.text} {claim.claim.said}" for claim in some]
    return each[0] if len(each) == 1 else f"{', '.join(each[:-1])} and {each[-1]}"


def _instead(asked: Sequence[Asked], claim: Asked, pools: Pools) -> Instead | None:
    """What the claim could say if the others hold; None where they do not hold either."""
    others = [other for other in asked if other is not claim]
    space = Space(pools.ways, tuple(other.variant for other in (*others, claim)))
    found = reachable(space, others, claim.variant)
    if found is None:
        return None
    told = list(found.rankings)
    if len(told) > FEW:
        told = [
            *[value for value in told if value < claim.low][-1:],
            *[value for value in told if value > claim.high][:1],
        ]
    placements = tuple(space.placement(shape.worst(), shape.way) for shape in map(found.rankings.__getitem__, told))
    return Instead(
        claim.variant.text, claim.claim.said, tuple(told), found.least, found.greatest, placements,
        len(told) == len(found.rankings) and found.known,
    )  # fmt: skip
