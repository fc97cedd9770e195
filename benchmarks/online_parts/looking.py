"""Trials that are looked at many times: what each method of rankproof says at each look."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from benchmarks.online_parts.units import Units, World

from rankproof.kernel.estimate import Alternative, Estimate
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.trial.effects import effect_of
from rankproof.online.trial.moments import PRODUCTS, Moments, from_sums
from rankproof.online.trials.contract import Effect, EffectRequest

LOOKS, UNITS = 100, 20_000
ALPHA = 0.05


@dataclass
class Seen:
    """What one way of asking saw over trials.

    stopped   for each trial, the first look with a p-value of ALPHA or less; None where there was none
    at_end    trials whose last look had such a p-value
    covered   trials in which the interval held the true effect at every look
    """

    stopped: list[int | None] = field(default_factory=list)
    at_end: int = 0
    covered: int = 0


Way = tuple[str, Alternative]


def so_far(units: Units) -> Iterator[Moments]:
    """The moments at each look, from sums as a warehouse has them; rows of the units are looks."""
    shape = units.numerator.shape
    columns = [
        units.numerator,
        np.ones(shape) if units.denominator is None else units.denominator,
        np.zeros(shape) if units.covariate is None else units.covariate,
    ]
    sums = np.array([column.sum(axis=1).cumsum() for column in columns]).T.tolist()
    products = np.array([(columns[a] * columns[b]).sum(axis=1).cumsum() for a, b in PRODUCTS]).T.tolist()
    for look, (total, product) in enumerate(zip(sums, products, strict=True), start=1):
        yield from_sums(look * shape[1], total, product)


def effects(world: World, effect: float, rng: np.random.Generator, looks: int = LOOKS) -> list[Effect]:
    """The effect at each look of one trial with equal shares."""
    shape = (looks, UNITS // 2 // looks)
    control, treatment = so_far(world.units(rng, shape)), so_far(world.units(rng, shape, effect))
    return [effect_of(*arms, world.metric) for arms in zip(control, treatment, strict=True)]


def watched(
    world: World, ways: Sequence[Way], trials: int, rng: np.random.Generator, effect: float = 0.0, looks: int = LOOKS
) -> dict[Way, Seen]:
    """Trials with a true effect, asked at each look whether there is any. A look without an answer says nothing."""
    seen = {way: Seen() for way in ways}
    calls = [(way, read_configured("trials", way[0]), EffectRequest(alternative=way[1])) for way in ways]
    for _ in range(trials):
        looked = effects(world, effect, rng, looks)
        for way, call, asked in calls:
            answers = [call.item.answer(each, asked, call.values) for each in looked]
            told = [(at, one) for at, one in enumerate(answers, 1) if isinstance(one, Estimate)]
            found = seen[way]
            found.stopped.append(next((at for at, one in told if one.p_value <= ALPHA), None))
            found.at_end += answered(answers[-1]).p_value <= ALPHA
            found.covered += all(one.low <= effect <= one.high for _, one in told)
    return seen


def answered(answer: object) -> Estimate:
    """The estimate, where there is no doubt that there is one."""
    assert isinstance(answer, Estimate), answer
    return answer


def allowed(trials: int, rate: float = ALPHA) -> float:
    """A rate that so many trials cannot tell from the one promised: three standard errors above it."""
    return rate + 3 * math.sqrt(rate * (1 - rate) / trials)
