"""Preference between two systems: share of wins and mean margin, at a fixed horizon or at every look."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from rankproof.errors import UnknownName
from rankproof.kernel import shelf
from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.kernel.specs import configure
from rankproof.online.interleaving.records import Outcome, Preferred
from rankproof.online.trials._bounded import FEW
from rankproof.online.trials.contract import Effect, EffectRequest, VariancePart
from rankproof.proving import sequential
from rankproof.proving.significance.contract import Significance, SignificanceRequest
from rankproof.proving.win_share import share_of_wins

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
    found = student.infer(
        np.array(margins, dtype=np.float64), SignificanceRequest(level=level), np.random.default_rng(0)
    )
    if isinstance(found, Estimate):
        return found
    # The shelf speaks of queries; here units differ, or do not.
    return replace(found, reason=found.reason.replace("queries", "units").replace("query", "unit"))


UNITS = 5000
MIXTURE = "beta-binomial mixture"


def share_at_any_time(units: int = UNITS) -> InferShare:
    """A way to infer the share of wins at every look; tightest at so many decided units."""

    def infer(wins: int, losses: int, level: float) -> Answer:
        n = wins + losses
        if n == 0:
            return NotEstimable("no unit was won or lost", MIXTURE, 0)
        low, high, p_value = sequential.share_at_any_time(wins, losses, level, units)
        return Estimate(wins / n, low, high, p_value, level, MIXTURE, n, null=0.5)

    return infer


def mean_at_any_time(units: int = UNITS) -> InferMean:
    """A way to infer the mean margin at every look; tightest at so many units."""
    asked = configure("trials", "sequence", {"units": units})

    def infer(margins: Sequence[float], level: float) -> Answer:
        n = len(margins)
        if n < 2:
            return NotEstimable("fewer than two units: two or more are needed to see how much they vary", "sequence",
                                n, math.fsum(margins) if n else None)  # fmt: skip
        values = np.asarray(margins, dtype=np.float64)
        effect = Effect(float(values.mean()), (VariancePart(float(values.var(ddof=1)) / n, n),), n)
        found: Answer = asked.item.answer(effect, EffectRequest(level), asked.values)
        if isinstance(found, NotEstimable):
            return found
        few = (f"fewer than {FEW} units: the guarantee is for many units, so do not stop here",) if n < FEW else ()
        return replace(found, notes=few)

    return infer
