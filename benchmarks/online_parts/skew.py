"""Skewed revenue: harmless ramps that are rolled back, harmful ones that are, and intervals that hold the effect.

Few users buy, and a few of those spend very much. Sums of days are drawn, not rows: buyers by the binomial
distribution, and what each spends; all that a day file keeps of a mean follows from them. What each way of deciding
says is worked out for all ramps at once; `tests/simulated/test_online_skew.py` holds it to be what the ramp says.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from benchmarks.online_parts.looking import allowed
from benchmarks.online_parts.tables import met, percent, rated, row, table
from benchmarks.simulation.worlds import Rate
from numpy.typing import NDArray

from rankproof.online.ramp.records import RampPolicy, RampStep
from rankproof.online.trials._planned import limit_at
from rankproof.proving.sequential import confidence_sequence

Floats = NDArray[np.float64]
SHARES, DAYS = (0.01, 0.05, 0.25, 0.5), 7
STEPS = tuple(RampStep(share, least_days=DAYS, most_days=2 * DAYS) for share in SHARES)
POLICY = RampPolicy("skew", "", "", "", "", STEPS)
UNITS = 50_000
RAMPS, EFFECT_RAMPS, TRIALS = 500, 200, 1_000
MARGINS = (0.0, 0.05)
LOSS = -0.05
# Standard errors that the control must be away from 0, and units in each variant, before anything is told.
AWAY, LEAST = 3.0, 100
# And those below which a reader is warned of shares of the control.
NEAR = 6.0


@dataclass(frozen=True)
class Buyers:
    """Users of whom a share buys, for a lognormal amount."""

    share: float
    sigma: float

    def sums(self, rng: np.random.Generator, users: NDArray[np.int64], times: float = 1.0) -> tuple[Floats, Floats]:
        """Revenue and the sum of its squares of so many users, exactly as from rows."""
        buyers = rng.binomial(users, self.share)
        at = np.repeat(np.arange(len(users)), buyers)
        spent = rng.lognormal(0.0, self.sigma, int(buyers.sum())) * times
        return np.bincount(at, spent, len(users)), np.bincount(at, spent * spent, len(users))


WORLDS = tuple(Buyers(share, sigma) for share in (0.05, 0.1) for sigma in (1.0, 1.5, 2.0))


@dataclass
class Arms:
    """Control and treatment of many trials: users, revenue, squares; rows are variants."""

    n: Floats
    total: Floats
    squares: Floats

    @classmethod
    def none(cls, trials: int) -> Arms:
        """Before the first day."""
        return cls(np.zeros((2, trials)), np.zeros((2, trials)), np.zeros((2, trials)))

    def add(
        self, rng: np.random.Generator, world: Buyers, treated: NDArray[np.int64], users: int, effect: float
    ) -> None:
        """A day on which so many of the users come to the treatment."""
        for arm, (came, times) in enumerate(((users - treated, 1.0), (treated, 1.0 + effect))):
            total, squares = world.sums(rng, came, times)
            self.n[arm] += came
            self.total[arm] += total
            self.squares[arm] += squares

    def parts(self, larger: bool) -> tuple[Floats, Floats]:
        """Means, and the variance of each; of all units alike where `larger` asks for it and it is."""
        means = self.total / self.n
        spread = np.maximum(0.0, self.squares - self.total * means)
        own = spread / (self.n - 1) / self.n
        if not larger:
            return means, own
        alike = spread.sum(axis=0) / (self.n.sum(axis=0) - 2) / self.n
        return means, np.where(alike.sum(axis=0) > own.sum(axis=0), alike, own)

    def told(self, variance: Floats, means: Floats) -> NDArray[np.bool_]:
        """Trials of which something is told."""
        told: NDArray[np.bool_] = (self.n.min(axis=0) >= LEAST) & (means[0] > AWAY * np.sqrt(variance[0]))
        return told


def size(arms: Arms, null: float, new: bool) -> tuple[Floats, NDArray[np.bool_]]:
    """The relative effect beyond a null in standard errors, as today (`new`) and by textbooks; and what is told."""
    means, variance = arms.parts(new)
    control, treatment = means
    with np.errstate(divide="ignore", invalid="ignore"):
        if new:
            z = (treatment - (1 + null) * control) / np.sqrt(variance[1] + (1 + null) ** 2 * variance[0])
        else:
            error = np.sqrt(variance[1] + (treatment / control) ** 2 * variance[0]) / control
            z = (treatment / control - 1 - null) / error
    return z, arms.told(variance, means)


def reach(method: str, day: int, users: int, alpha: float, two_sided: bool = False) -> float:
    """How many standard errors wide a bound is after so many days of so many users."""
    if method == "sequence":
        return confidence_sequence(day * users, 1.0, alpha, UNITS, two_sided=two_sided).radius
    looks = tuple((round(k / (2 * DAYS), 4), round(k / day, 4)) for k in range(1, day + 1))
    return limit_at(method, alpha, looks, two_sided)


# What decides: a method, and whether variances and shares are those of today.
Way = tuple[str, bool]
WAYS: tuple[Way, ...] = (("sequence", False), ("sequence", True), ("pocock", True))


def ramps(
    world: Buyers, users: int, effect: float, count: int, rng: np.random.Generator
) -> dict[tuple[Way, float], int]:
    """How many of the ramps each way rolls back, by margin, looking every day."""
    stopped = {(way, margin): np.zeros(count, dtype=bool) for way in WAYS for margin in MARGINS}
    alpha = 1 - POLICY.confidence
    for share in SHARES:
        arms = Arms.none(count)
        for day in range(1, DAYS + 1):
            arms.add(rng, world, rng.binomial(users, share, count), users, effect)
            for (method, new), margin in stopped:
                z, told = size(arms, -margin, new)
                stopped[(method, new), margin] |= told & (z < -reach(method, day, users, alpha))
    return {key: int(these.sum()) for key, these in stopped.items()}


def study(trials: float, seed: int) -> None:
    """Prints the tables; `trials` is the share of the long form's trials."""
    head = "buyers | sigma | users a day | margin | `sequence`, before | `sequence` | `pocock` | wanted of the last two"
    table("Harmless ramps rolled back", head, harmless(round(RAMPS * trials), seed))
    head = "buyers | sigma | users a day | margin | `sequence`, before | `sequence` | `pocock`"
    table("Ramps with a true loss of 5% rolled back", head, harmful(round(EFFECT_RAMPS * trials), seed))
    head = "buyers | sigma | users | share | `welch`, before | `welch` | `sequence` at all looks, before | `sequence`"
    head += " | not told | wanted"
    table("Intervals that hold the effect", head, intervals(round(TRIALS * trials), seed))


def harmless(count: int, seed: int) -> Iterator[str]:
    """Ramps of a change that does nothing."""
    for world, users, found in _cells(0.0, count, seed):
        for margin in MARGINS:
            rates = [Rate(found[way, margin], count) for way in WAYS]
            limit = allowed(count)
            wanted = met(f"at most {percent(limit, 2)}", all(rate.share <= limit for rate in rates[1:]))
            yield row(*_world(world), f"{users:,}", percent(margin, 0), *map(rated, rates), wanted)


def harmful(count: int, seed: int) -> Iterator[str]:
    """Ramps of a change by which everybody spends 5% less."""
    for world, users, found in _cells(LOSS, count, seed):
        for margin in MARGINS:
            rates = [Rate(found[way, margin], count) for way in WAYS]
            yield row(*_world(world), f"{users:,}", percent(margin, 0), *map(rated, rates))


def _cells(effect: float, count: int, seed: int) -> Iterator[tuple[Buyers, int, dict[tuple[Way, float], int]]]:
    for at, world in enumerate(WORLDS):
        for users in (10_000, 100_000):
            yield world, users, ramps(world, users, effect, count, np.random.default_rng([seed, 11, at, users]))


def intervals(count: int, seed: int) -> Iterator[str]:
    """Relative effects of trials of 1,000, 10,000 and 100,000 users: at the end, and at ten looks together."""
    for at, world in enumerate((Buyers(1.0, 2.0), *WORLDS)):
        for users in (1_000, 10_000, 100_000):
            for share in (0.5, 0.1):
                rng = np.random.default_rng([seed, 12, at, users, round(100 * share)])
                if world.share == 1.0 and users > 10_000:
                    continue
                trials = count if users < 100_000 else count // 4
                rates, unwarned, few = covered(world, users, share, trials, rng)
                limit = 0.94 - 3 * math.sqrt(0.94 * 0.06 / trials)
                holds = [rate.share >= limit for rate in rates]
                if holds[1]:
                    wanted = met("at least 94%", holds[3])
                else:
                    sure = not unwarned.trials or unwarned.share >= limit
                    wanted = met(f"warned of in {percent(1 - unwarned.trials / rates[1].trials, 0)}", holds[3] and sure)
                cells = (f"{users:,}", f"{100 * share:.0f}%", *map(rated, rates), percent(few, 0), wanted)
                yield row(*_world(world), *cells)


def covered(
    world: Buyers, users: int, share: float, trials: int, rng: np.random.Generator
) -> tuple[Sequence[Rate], Rate, float]:
    """Of what is told: how often intervals hold the effect of 0, also of that without a warning; what is not told."""
    from scipy.special import stdtrit

    looks = 10
    arms = Arms.none(trials)
    always = {new: np.ones(trials, dtype=bool) for new in (False, True)}
    treated = np.full(trials, round(users * share / looks))
    for look in range(1, looks + 1):
        arms.add(rng, world, treated, users // looks, 0.0)
        for new, held in always.items():
            z, told = size(arms, 0.0, new)
            held &= ~told | (np.abs(z) <= confidence_sequence(look * users // looks, 1.0, 0.05, users).radius)
    rates = []
    unwarned = Rate()
    for new in (False, True):
        z, told = size(arms, 0.0, new)
        held = np.abs(z) <= -float(stdtrit(float(arms.n.min(axis=0)[0]) - 1, 0.025))
        means, variance = arms.parts(new)
        sure = told & (means[0] >= NEAR * np.sqrt(variance[0]))
        rates.append(Rate(int((told & held).sum()), max(1, int(told.sum()))))
        unwarned = Rate(int((sure & held).sum()), int(sure.sum()))
    rates += [Rate(int(all_held.sum()), trials) for all_held in always.values()]
    return rates, unwarned, 1 - float(told.mean())


def _world(world: Buyers) -> tuple[str, str]:
    return percent(world.share, 0), f"{world.sigma:g}"
