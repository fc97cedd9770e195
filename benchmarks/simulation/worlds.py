"""Worlds whose truth is known, made of real scores: what the statistics are held against.

A world is one pair of real systems: its truth is the mean of their differences over the 50 topics of a score matrix.
Query sets are drawn from those topics with replacement, so that they have all the skew, ties and heavy tails that real
differences have. `centered` takes the mean away, which makes the hypothesis of no difference true; `swapped` changes
the names of the two systems at random on each query, which makes it true in another way. Used by the tests in
`tests/simulated` (few trials) and by `benchmarks/statistics.py` (many).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Null = Literal["swapped", "centered"]

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "score_matrices"
FILES = {"AP": "adhoc6_ap.csv", "P@10": "adhoc6_p10.csv", "RR": "adhoc6_rr.csv"}
PAIR_SEED = 20_240_611


@dataclass(frozen=True)
class World:
    """One pair of systems on one measure: the differences on all topics, second minus first."""

    measure: str
    differences: Values

    @property
    def centered(self) -> Values:
        """The same differences about a mean of 0."""
        return self.differences - self.differences.mean()

    def worse(self) -> World:
        """The same pair, with the worse system as the candidate."""
        return World(self.measure, -self.differences if self.differences.mean() > 0 else self.differences)

    def tailed(self, side: Literal["losses", "gains"]) -> World:
        """The same pair, in the order that puts the longer tail of differences on one side."""
        skew = float((self.centered**3).sum())
        turn = (skew > 0) if side == "losses" else (skew < 0)
        return World(self.measure, -self.differences if turn else self.differences)


@dataclass(frozen=True)
class Rate:
    """How often something happened. `missing` trials had no answer, for want of spread, and are not in `trials`."""

    hits: int = 0
    trials: int = 0
    missing: int = 0

    @property
    def share(self) -> float:
        """Hits over trials."""
        return self.hits / self.trials

    @property
    def error(self) -> float:
        """The Monte Carlo standard error of the share."""
        return sqrt(self.share * (1 - self.share) / self.trials)

    def __add__(self, other: Rate) -> Rate:
        return Rate(self.hits + other.hits, self.trials + other.trials, self.missing + other.missing)


ByMeasure = dict[str, Rate]  # a rate by measure, and "all" of them together


def matrices(folder: Path = FOLDER) -> dict[str, Values]:
    """The scores by measure, topics by systems."""
    return {name: np.loadtxt(folder / file, delimiter=",", skiprows=1) for name, file in FILES.items()}


def worlds(scores: dict[str, Values], pairs: int) -> list[World]:
    """So many pairs of systems from each matrix, each in random order, and none that differs by nothing."""
    rng = np.random.default_rng(PAIR_SEED)
    found = []
    for measure, values in scores.items():
        systems = values.shape[1]
        every = [(a, b) for a in range(systems) for b in range(a) if np.ptp(values[:, b] - values[:, a]) > 0]
        for i in rng.permutation(len(every))[:pairs]:
            first, second = rng.permutation(every[i])
            found.append(World(measure, values[:, second] - values[:, first]))
    return found


def drawn(topics: Values, n: int, trials: int, rng: np.random.Generator) -> Values:
    """Query sets of n topics with replacement, one per column."""
    return topics[rng.integers(0, len(topics), (n, trials))]


def samples(world: World, null: Null, n: int, trials: int, rng: np.random.Generator) -> Values:
    """Query sets on which the two systems are equally good in truth."""
    if null == "centered":
        return drawn(world.centered, n, trials, rng)
    return drawn(world.differences, n, trials, rng) * rng.choice([-1.0, 1.0], (n, trials))


def count(rates: ByMeasure, world: World, rate: Rate) -> None:
    """Adds what happened in one world to its measure's rate."""
    rates[world.measure] = rates.get(world.measure, Rate()) + rate


def together(rates: ByMeasure) -> ByMeasure:
    """The rates, and that of all measures."""
    return {**rates, "all": sum(rates.values(), Rate())}
