"""Units of made-up trials whose true effect is known exactly: proportions, skewed means, ratios, and a covariate.

proportion   one user in ten does it
revenue      three users in ten buy, for a lognormal amount (sigma 0.8)
ratio        clicks per search over users: seven in ten search 2 times on average and click 40% of the results
             pages, the others 9 times and 25%, each user after a taste of their own
adjusted     a lognormal amount (sigma 0.8) for everybody, adjusted by what the same user spent before, which has a
             correlation of 0.746 with it
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.online.trial.moments import Moments, moments_of
from rankproof.online.trial.records import Metric

Floats = NDArray[np.float64]
Shape = tuple[int, ...]
SIGMA, ALIKE = 0.8, 0.8
SPENT = math.exp(SIGMA * SIGMA / 2)
# The two kinds of users of the ratio: 0.7 x 2 x 0.4 + 0.3 x 9 x 0.25 clicks over 0.7 x 2 + 0.3 x 9 searches.
CLICKS_PER_SEARCH = 1.235 / 4.1


@dataclass(frozen=True)
class Units:
    """One number of each kind for each unit; a denominator or a covariate only where the metric has one."""

    numerator: Floats
    denominator: Floats | None = None
    covariate: Floats | None = None


@dataclass(frozen=True)
class World:
    """Where units come from. `per_lift` is the true effect of a lift of 1: effects grow in proportion."""

    name: str
    metric: Metric
    draw: Callable[[np.random.Generator, Shape, float], Units]
    per_lift: float

    def units(self, rng: np.random.Generator, shape: Shape, effect: float = 0.0) -> Units:
        """Units of a variant whose metric is better than the control's by the effect."""
        return self.draw(rng, shape, effect / self.per_lift)

    def past(self, rng: np.random.Generator, n: int = 400_000) -> Moments:
        """Moments of units before the trial, to plan with."""
        drawn = self.units(rng, (n,))
        return moments_of(drawn.numerator, drawn.denominator, drawn.covariate)


def _proportion(rng: np.random.Generator, shape: Shape, lift: float) -> Units:
    return Units((rng.random(shape) < 0.1 + lift).astype(np.float64))


def _revenue(rng: np.random.Generator, shape: Shape, lift: float) -> Units:
    return Units((rng.random(shape) < 0.3) * rng.lognormal(0.0, SIGMA, shape) * (1 + lift))


def _ratio(rng: np.random.Generator, shape: Shape, lift: float) -> Units:
    """A search that would not be clicked is clicked after all with the chance `lift`."""
    light = rng.random(shape) < 0.7
    searches = 1 + rng.poisson(np.where(light, 1.0, 8.0))
    taste = rng.beta(np.where(light, 4.0, 2.0), 6.0)
    clicks = rng.binomial(searches, taste + lift * (1 - taste))
    return Units(clicks.astype(np.float64), searches.astype(np.float64))


def _adjusted(rng: np.random.Generator, shape: Shape, lift: float) -> Units:
    before, after = rng.normal(size=shape), rng.normal(size=shape)
    now = ALIKE * before + math.sqrt(1 - ALIKE * ALIKE) * after
    return Units((1 + lift) * np.exp(SIGMA * now), covariate=np.exp(SIGMA * before))


WORLDS = (
    World("proportion", Metric("conversion", "proportion"), _proportion, 1.0),
    World("revenue", Metric("revenue"), _revenue, 0.3 * SPENT),
    World("ratio", Metric("clicks per search", "ratio"), _ratio, 1 - CLICKS_PER_SEARCH),
    World("adjusted", Metric("revenue", covariate="before"), _adjusted, SPENT),
)
