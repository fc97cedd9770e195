"""CUPED: of the variance of an effect, 1 - rho squared is left, and the intervals still hold the true effect.

For means the covariate is made with the correlation that is asked for, once with normal numbers and once with skewed
ones. For the ratio (clicks per search over users) it is the user's own clicks per search in a time before the trial:
the longer that time, the greater the correlation. What theory says of a ratio is about its linearized units; their
correlation with the covariate, within variants, is taken from two million units.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from benchmarks.online_parts.looking import answered
from benchmarks.online_parts.tables import met, rated, row, table
from benchmarks.online_parts.units import CLICKS_PER_SEARCH, Floats, Units
from benchmarks.simulation.worlds import Rate

from rankproof.online.trial.effects import effect_of, variance_kept
from rankproof.online.trial.estimate import estimate
from rankproof.online.trial.moments import Moments, moments_of
from rankproof.online.trial.records import Kind, Metric

TRIALS, ARM = 4_000, 2_000
MANY = 2_000_000
CORRELATIONS = (0.0, 0.3, 0.5, 0.7, 0.9)
WEEKS = (1, 4, 16)
EFFECT = 0.02
# How far the share that a trial tells may be from what theory says.
NEAR = 0.02
SIGMA = 0.8


@dataclass(frozen=True)
class Case:
    """Units with a covariate, and the share of the variance that theory says is left."""

    name: str
    kind: Kind
    draw: Callable[[np.random.Generator, int, float], Units]
    per_lift: float
    left: float


@dataclass(frozen=True)
class Found:
    """What trials showed of one case: the effects without and with the covariate, and what was told of them."""

    plain: Floats
    adjusted: Floats
    told: float
    kept: float
    covers: Rate

    @property
    def left(self) -> float:
        """The share of the variance over trials that is left."""
        return float(self.adjusted.var() / self.plain.var())

    def spread(self, rng: np.random.Generator, resamples: int = 1_000) -> tuple[float, float]:
        """The 95% interval of `left`, from resampled trials."""
        picked = rng.integers(len(self.plain), size=(resamples, len(self.plain)))
        low, high = np.quantile(self.adjusted[picked].var(axis=1) / self.plain[picked].var(axis=1), [0.025, 0.975])
        return float(low), float(high)


def normal(rho: float) -> Case:
    """Numbers and covariate are normal."""

    def draw(rng: np.random.Generator, n: int, lift: float) -> Units:
        before, other = rng.normal(size=n), rng.normal(size=n)
        return Units(rho * before + math.sqrt(1 - rho * rho) * other + lift, covariate=before)

    return Case(f"normal mean, rho {rho:g}", "mean", draw, 1.0, 1 - rho * rho)


def skewed(rho: float) -> Case:
    """Both are lognormal, with that correlation."""
    s2 = SIGMA * SIGMA
    alike = math.log1p(rho * math.expm1(s2)) / s2

    def draw(rng: np.random.Generator, n: int, lift: float) -> Units:
        before, other = rng.normal(size=n), rng.normal(size=n)
        now = alike * before + math.sqrt(1 - alike * alike) * other
        return Units(np.exp(SIGMA * now) + lift, covariate=np.exp(SIGMA * before))

    return Case(f"skewed mean, rho {rho:g}", "mean", draw, 1.0, 1 - rho * rho)


def ratio(weeks: int, seed: int) -> Case:
    """Clicks per search, by the user's own clicks per search in weeks before."""

    def draw(rng: np.random.Generator, n: int, lift: float) -> Units:
        light = rng.random(n) < 0.7
        mean = np.where(light, 1.0, 8.0)
        taste = rng.beta(np.where(light, 4.0, 2.0), 6.0)
        searches, searched = 1 + rng.poisson(mean), weeks + rng.poisson(weeks * mean)
        clicks = rng.binomial(searches, taste + lift * (1 - taste)).astype(np.float64)
        return Units(clicks, searches.astype(np.float64), rng.binomial(searched, taste) / searched)

    per_lift, rng = 1 - CLICKS_PER_SEARCH, np.random.default_rng([seed, 3, weeks])
    within = np.zeros((2, 2))
    for effect in (0.0, EFFECT):
        units = draw(rng, MANY // 2, effect / per_lift)
        assert units.denominator is not None
        assert units.covariate is not None
        linear = units.numerator - (CLICKS_PER_SEARCH + effect) * units.denominator
        within += np.cov(linear, units.covariate)
    rho = float(within[0, 1] / math.sqrt(within[0, 0] * within[1, 1]))
    name = f"ratio, {weeks} {'week' if weeks == 1 else 'weeks'} before, rho {rho:.2f}"
    return Case(name, "ratio", draw, per_lift, 1 - rho * rho)


def moments(units: Units) -> Moments:
    """Of one variant."""
    return moments_of(units.numerator, units.denominator, units.covariate)


def tried(case: Case, trials: int, rng: np.random.Generator, effect: float = EFFECT) -> Found:
    """Trials with a true effect, estimated without the covariate and with it."""
    before, after = Metric("made up", case.kind), Metric("made up", case.kind, covariate="before")
    plain, adjusted = np.empty(trials), np.empty(trials)
    told, kept, covers = 0.0, 0.0, 0
    for i in range(trials):
        control = moments(case.draw(rng, ARM, 0.0))
        treatment = moments(case.draw(rng, ARM, effect / case.per_lift))
        without = effect_of(control, treatment, before)
        answer = answered(estimate(control, treatment, after))
        assert without.value is not None
        plain[i], adjusted[i] = without.value, answer.value
        told += effect_of(control, treatment, after).variance / without.variance / trials
        share = variance_kept(control, treatment)
        assert share is not None
        kept += share / trials
        covers += answer.low <= effect <= answer.high
    return Found(plain, adjusted, told, kept, Rate(covers, trials))


def rows(trials: int, seed: int) -> Iterator[str]:
    """One line for each case."""
    cases = [*map(normal, CORRELATIONS), *map(skewed, CORRELATIONS), *(ratio(weeks, seed) for weeks in WEEKS)]
    for at, case in enumerate(cases):
        rng = np.random.default_rng([seed, 4, at])
        found = tried(case, trials, rng)
        low, high = found.spread(rng)
        told = met("within 2%", abs(found.told / case.left - 1) <= NEAR)
        covers = met("93% to 97%", 0.93 <= found.covers.share <= 0.97)
        over_trials = f"{found.left:.3f} [{low:.3f}, {high:.3f}]"
        cells = [f"{share:.3f}" for share in (found.kept, found.told)]
        yield row(case.name, f"{case.left:.3f}", over_trials, *cells, told, rated(found.covers), covers)


def study(trials: float, seed: int) -> None:
    """Prints the table; `trials` is the share of the long form's trials."""
    head = (
        "metric and covariate | theory | variance left, over trials | `variance_kept` | told by the intervals | wanted"
        " | 95% interval holds the effect | wanted"
    )
    table("CUPED", head, rows(round(TRIALS * trials), seed))
