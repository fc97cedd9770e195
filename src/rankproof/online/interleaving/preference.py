"""Preference between two systems: share of wins and mean margin, at a fixed horizon or at every look.

The unit is what counts once: what a user's lists earned is added up first, and the greater sum wins the unit. The share
of wins leaves ties out and is tested by the exact binomial distribution; the margin is the mean of the differences, by
Student's t. Every method is even in what it lets the sides earn; only those with `even_wins` are in how often they win,
and for the others the margin decides. Both tests are for one look at a number of units that was fixed before. Who looks
more often gives another way to infer, which must hold at every look: see `anytime`.

source: Chapelle, Joachims, Radlinski and Yue, Large-scale validation and analysis of interleaved search evaluation,
TOIS 30(1), 2012, for the lift

The share: under the hypothesis that it is p, the likelihood of the wins and losses so far, averaged over a beta
distribution around p, over their likelihood at p is a martingale that begins at 1. So it ever reaches 1 / alpha with a
probability of alpha at most, however often one looks; the interval holds each p for which it has not. That is exact for
any number of units. How narrow the beta distributions are, is fixed before: so that the interval is nearly the tightest
once `units` are decided.

The margin: the asymptotic confidence sequence of the trials shelf, for one sample of units instead of two variants.

Both are for units that came one after the other and are complete when they are looked at: a user who comes back after
a look and turns a win into a loss is no longer the unit that was looked at.

source: Robbins, Statistical methods related to the law of the iterated logarithm, Annals of Mathematical Statistics
41, 1970, for mixtures; Howard, Ramdas, McAuliffe and Sekhon, Time-uniform, nonparametric, nonasymptotic confidence
sequences, Annals of Statistics 49(2), 2021, for the beta-binomial one
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from rankproof.errors import UnknownName
from rankproof.kernel import shelf
from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.kernel.specs.calls import configure
from rankproof.online.interleaving.records import Outcome, PairPreference
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
) -> PairPreference:
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
    return PairPreference(
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
    share = share_of_wins(wins, losses, level)
    return share if isinstance(share, Estimate) else NotEstimable("no unit was won or lost", share.method, 0)


def _student(margins: Sequence[float], level: float) -> Answer:
    student: Significance = shelf.find("significance", "t")
    estimate = student.infer(
        np.array(margins, dtype=np.float64), SignificanceRequest(level=level), np.random.default_rng(0)
    )
    if isinstance(estimate, Estimate):
        return estimate
    # The shelf speaks of queries; here units differ, or do not.
    return replace(estimate, reason=estimate.reason.replace("queries", "units").replace("query", "unit"))


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
    configured = configure("trials", "sequence", {"units": units})

    def infer(margins: Sequence[float], level: float) -> Answer:
        n = len(margins)
        if n < 2:
            return NotEstimable("fewer than two units: two or more are needed to see how much they vary", "sequence",
                                n, math.fsum(margins) if n else None)  # fmt: skip
        values = np.asarray(margins, dtype=np.float64)
        effect = Effect(float(values.mean()), (VariancePart(float(values.var(ddof=1)) / n, n),), n)
        answer: Answer = configured.item.answer(effect, EffectRequest(level), configured.values)
        if isinstance(answer, NotEstimable):
            return answer
        few = (f"fewer than {FEW} units: the guarantee is for many units, so do not stop here",) if n < FEW else ()
        return replace(answer, notes=few)

    return infer
