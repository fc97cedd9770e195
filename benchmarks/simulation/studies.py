"""Studies over worlds: false alarms, coverage, realized power, and systems that pass a gate though they are worse."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isinf

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel import shelf
from rankproof.kernel.estimate import Alternative, Estimate
from rankproof.proving.plan_power import spread_of
from rankproof.proving.power import power_at, queries_needed, smallest_difference
from rankproof.proving.significance.contract import SignificanceRequest

from .worlds import ByMeasure, Null, Rate, World, count, drawn, samples, together

LEVEL = 0.95
ALPHA = 0.05
RESAMPLES = 2000


@dataclass(frozen=True)
class Honesty:
    """False alarms of a test and coverage of its intervals, in worlds without a difference.

    unbounded   intervals with an infinite end: they cover everything and say nothing
    by_world    the share of false alarms in each world
    """

    rejects: ByMeasure
    covers: ByMeasure
    unbounded: ByMeasure
    by_world: tuple[float, ...]


def honesty(
    places: Iterable[World], method: str, null: Null, n: int, trials: int, *, seed: int = 0, resamples: int = RESAMPLES
) -> Honesty:
    """What a method of the significance shelf does where there is nothing to find; p <= 0.05 rejects."""
    item = shelf.find("significance", method)
    question = SignificanceRequest(level=LEVEL, resamples=resamples)
    rng = np.random.default_rng([seed, n])
    rejects: ByMeasure = {}
    covers: ByMeasure = {}
    unbounded: ByMeasure = {}
    by_world = []
    for world in places:
        answers = item.many(samples(world, null, n, trials, rng), question, rng)
        given = [answer for answer in answers if isinstance(answer, Estimate)]
        missing = trials - len(given)
        alarms = sum(a.p_value <= ALPHA for a in given)
        by_world.append(alarms / trials)
        count(rejects, world, Rate(alarms, len(given), missing))
        count(covers, world, Rate(sum(a.low <= 0 <= a.high for a in given), len(given), missing))
        count(unbounded, world, Rate(sum(isinf(a.low) or isinf(a.high) for a in given), len(given), missing))
    return Honesty(together(rejects), together(covers), together(unbounded), tuple(by_world))


def passes(
    places: Iterable[World], n: int, trials: int, *, method: str = "t", margin: float = 0.02, seed: int = 0
) -> ByMeasure:
    """How often "no worse than the margin" is shown of a system that is worse by just that margin."""
    item = shelf.find("significance", method)
    question = SignificanceRequest(level=LEVEL, alternative="greater", null=-margin, resamples=RESAMPLES)
    rng = np.random.default_rng([seed, n, 1])
    found: ByMeasure = {}
    for world in places:
        answers = item.many(drawn(world.centered, n, trials, rng) - margin, question, rng)
        given = [answer for answer in answers if isinstance(answer, Estimate)]
        count(found, world, Rate(sum(a.low >= -margin for a in given), len(given), trials - len(given)))
    return together(found)


def realized(
    places: Iterable[World],
    n: int,
    promised: float,
    trials: int,
    *,
    alternative: Alternative = "two-sided",
    seed: int = 0,
) -> ByMeasure:
    """How often the default test finds, in the right direction, the difference that is promised to be found."""
    item = shelf.find("significance", "t")
    question = SignificanceRequest(level=LEVEL, alternative=alternative)
    rng = np.random.default_rng([seed, n, int(100 * promised)])
    found: ByMeasure = {}
    for world in places:
        topics = world.centered
        # The 50 topics are the whole population here: their spread is the true one, without a correction.
        size = smallest_difference(float(topics.std()), n, level=LEVEL, power=promised, alternative=alternative)
        shift = size * (-1.0 if alternative == "less" else 1.0)
        answers = item.many(drawn(topics, n, trials, rng) + shift, question, rng)
        given = [answer for answer in answers if isinstance(answer, Estimate)]
        right = sum(a.p_value <= ALPHA and a.value * shift > 0 for a in given)
        count(found, world, Rate(right, len(given), trials - len(given)))
    return together(found)


def planned(
    places: Iterable[World], pilot: int, trials: int, *, effect: float = 0.3, careful: bool = False, seed: int = 0
) -> NDArray[np.float64]:
    """The true power of plans for 80% that were made from the spread of a pilot, for a difference of `effect` spreads.

    `careful` plans with the upper end of the spread's interval.
    """
    rng = np.random.default_rng([seed, pilot, 2])
    found = []
    for world in places:
        truth = float(world.differences.std())
        for sample in drawn(world.differences, pilot, trials, rng).T:
            if np.ptp(sample) == 0:
                continue
            measured = spread_of(sample, LEVEL)
            sd = measured.high if careful and measured.high is not None else measured.sd
            n = queries_needed(sd, effect * truth, level=LEVEL)
            assert n is not None
            found.append(float(power_at(truth, n, effect * truth, level=LEVEL)))
    return np.array(found)


def spread_covers(places: Iterable[World], n: int, trials: int, *, seed: int = 0) -> ByMeasure:
    """How often the interval of a measured standard deviation holds the true one."""
    rng = np.random.default_rng([seed, n, 3])
    found: ByMeasure = {}
    for world in places:
        truth = float(world.differences.std())
        spreads = [spread_of(s, LEVEL) for s in drawn(world.differences, n, trials, rng).T if np.ptp(s) > 0]
        hits = sum((s.low or 0.0) <= truth <= (s.high or 0.0) for s in spreads)
        count(found, world, Rate(hits, len(spreads), trials - len(spreads)))
    return together(found)
