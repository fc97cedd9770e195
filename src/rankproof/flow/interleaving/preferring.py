"""Preferring: which of two systems users prefer, from what interleaved lists earned them.

The unit is what counts once: what a user's lists earned is added up first, and the greater sum wins the unit. The share
of wins leaves ties out and is tested by the exact binomial distribution; the margin is the mean of the differences, by
Student's t. Every method is even in what it lets the sides earn; only those with `even_wins` are in how often they win,
and for the others the margin decides. Both tests are for one look at a number of units that was fixed before. Who looks
more often gives another way to infer, which must hold at every look: see `anytime`.

source: Chapelle, Joachims, Radlinski and Yue, Large-scale validation and analysis of interleaved search evaluation,
TOIS 30(1), 2012, for the lift
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from rankproof import shelf
from rankproof.errors import UnknownName
from rankproof.flow.preferring.duels import share_of_wins
from rankproof.records.estimate import Answer, Estimate, NotEstimable
from rankproof.records.interleaving import Outcome, Preferred
from rankproof.significance._contract import Question, Significance

LEVEL = 0.95
# Differences that add up to less than this are rounding: credits are fractions, and equal sums are ties.
_EQUAL = 1e-9

# Wins, losses and a level to the share of wins; one difference for each unit and a level to their mean.
InferShare = Callable[[int, int, float], Answer]
InferMean = Callable[[Sequence[float], float], Answer]


def preferred(
    outcomes: Iterable[Outcome],
    first: str,
    second: str,
    level: float = LEVEL,
    infer_share: InferShare | None = None,
    infer_mean: InferMean | None = None,
) -> Preferred:
    """How `second` fares against `first`; ways to infer that hold at every look may be given for both questions."""
    by_unit: defaultdict[str, list[float]] = defaultdict(list)
    for outcome in outcomes:
        for name in (first, second):
            if name not in outcome.earned:
                raise UnknownName("system", name, outcome.earned)
        by_unit[outcome.unit].append(outcome.earned[second] - outcome.earned[first])
    sums = (math.fsum(each) for each in by_unit.values())
    margins = [0.0 if abs(margin) < _EQUAL else margin for margin in sums]
    wins = sum(margin > 0 for margin in margins)
    losses = sum(margin < 0 for margin in margins)
    ties = len(margins) - wins - losses
    return Preferred(
        first,
        second,
        wins,
        ties,
        losses,
        (infer_share or _exact)(wins, losses, level),
        (infer_mean or _student)(margins, level),
        (wins + ties / 2) / len(margins) - 0.5 if margins else None,
    )


def _exact(wins: int, losses: int, level: float) -> Answer:
    found = share_of_wins(wins, losses, level)
    return found if isinstance(found, Estimate) else NotEstimable("no unit was won or lost", found.method, 0)


def _student(margins: Sequence[float], level: float) -> Answer:
    student: Significance = shelf.find("significance", "t")
    found = student.infer(np.array(margins, dtype=np.float64), Question(level=level), np.random.default_rng(0))
    if isinstance(found, Estimate):
        return found
    # The shelf speaks of queries; here units differ, or do not.
    return replace(found, reason=found.reason.replace("queries", "units").replace("query", "unit"))
