"""Anytime: the share of wins and the mean margin with intervals that hold at every look together.

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
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.calls import call
from rankproof.flow.interleaving.preferring import InferMean, InferShare
from rankproof.records.estimate import Answer, Estimate, NotEstimable
from rankproof.trials._bounded import FEW
from rankproof.trials._contract import Asked, Effect, Part
from rankproof.trials.sequence import rho_squared

UNITS = 5000
MIXTURE = "beta-binomial mixture"
# However few units are planned, no wider: around 1/2 this is Jeffreys' distribution.
_LEAST_WEIGHT = 1.0
# Steps of halving after which two numbers between 0 and 1 are the same.
_STEPS = 60


def share_at_any_time(units: int = UNITS) -> InferShare:
    """A way to infer the share of wins at every look; tightest at so many decided units."""

    def infer(wins: int, losses: int, level: float) -> Answer:
        n = wins + losses
        if n == 0:
            return NotEstimable("no unit was won or lost", MIXTURE, 0)
        counts = np.array([wins]), np.array([losses])
        limit = -math.log(1 - level)

        def held(p: float) -> bool:
            return bool(log_evidence(*counts, level, units, p)[0] < limit)

        share = wins / n
        low = _crossing(held, share, 0.0) if wins else 0.0
        high = _crossing(held, share, 1.0) if losses else 1.0
        p_value = min(1.0, math.exp(-float(log_evidence(*counts, level, units)[0])))
        return Estimate(share, low, high, p_value, level, MIXTURE, n, null=0.5)

    return infer


def mean_at_any_time(units: int = UNITS) -> InferMean:
    """A way to infer the mean margin at every look; tightest at so many units."""
    asked = call("trials", "sequence", {"units": units})

    def infer(margins: Sequence[float], level: float) -> Answer:
        n = len(margins)
        if n < 2:
            return NotEstimable("fewer than two units: two or more are needed to see how much they vary", "sequence",
                                n, math.fsum(margins) if n else None)  # fmt: skip
        values = np.asarray(margins, dtype=np.float64)
        effect = Effect(float(values.mean()), (Part(float(values.var(ddof=1)) / n, n),), n)
        found: Answer = asked.item.answer(effect, Asked(level), asked.values)
        if isinstance(found, NotEstimable):
            return found
        few = (f"fewer than {FEW} units: the guarantee is for many units, so do not stop here",) if n < FEW else ()
        return replace(found, notes=few)

    return infer


def weight(level: float, units: int) -> float:
    """The sum of both parameters of a beta distribution: its variance is that of the mixture for so many coins."""
    # A coin has a variance of p (1 - p), and the beta distribution with weight c around p that over c + 1.
    return max(_LEAST_WEIGHT, 1 / rho_squared(1 - level, units) - 1)


def log_evidence(
    wins: NDArray[np.int64], losses: NDArray[np.int64], level: float, units: int, share: float = 0.5
) -> NDArray[np.float64]:
    """The logarithm of the mixture's likelihood ratio against a share, for each pair of counts."""
    from scipy.special import betaln  # here: loading scipy is for those who test

    whole = weight(level, units)
    a, b = whole * share, whole * (1 - share)
    found: NDArray[np.float64] = (
        betaln(a + wins, b + losses) - betaln(a, b) - wins * math.log(share) - losses * math.log1p(-share)
    )
    return found


def _crossing(inside: Callable[[float], bool], start: float, end: float) -> float:
    """Where a region that has `start` in it ends on the way to `end`, which is not in it."""
    for _ in range(_STEPS):
        middle = (start + end) / 2
        if middle in (start, end):
            break
        start, end = (middle, end) if inside(middle) else (start, middle)
    return end
