"""Agreeing: how often a measure and a metric point the same way, and what offline gains turned out to be online."""

from __future__ import annotations

from collections.abc import Sequence

from rankproof.flow.preferring.duels import share_of_wins
from rankproof.flow.relating.correlating import Values
from rankproof.records.estimate import Answer, Estimate, NotEstimable
from rankproof.records.relation import Foretold, Signs


def signs(x: Values, y: Values, level: float) -> Signs:
    """The share of changes with equal signs, by the exact binomial distribution; what has no sign is left out."""
    turned = [a * b for a, b in zip(_signs(x), _signs(y), strict=True)]
    agree, disagree = turned.count(1), turned.count(-1)
    found: Answer = share_of_wins(agree, disagree, level)
    if not isinstance(found, Estimate):
        found = NotEstimable("no change has a sign on both sides", found.method, 0)
    return Signs(agree, disagree, len(turned) - agree - disagree, found)


def foretold(x: Values, y: Values, shown: Sequence[bool]) -> Foretold:
    """Of the changes that were better offline: shown better online, shown worse, not shown to differ."""
    there = [(b, known) for a, b, known in zip(_signs(x), _signs(y), shown, strict=True) if a > 0]
    better = sum(known and b > 0 for b, known in there)
    worse = sum(known and b < 0 for b, known in there)
    return Foretold(better, worse, len(there) - better - worse)


def _signs(values: Values) -> list[int]:
    return [(value > 0) - (value < 0) for value in values.tolist()]
