"""Pairs of systems that mostly agree, made of real scores: what the gate's bounds promise where few queries change.

A sparse world is a pair of real systems whose differences are set to 0 on a random share of the topics: what a small
change of a search engine does. Its truth is the mean over all topics, and that is where the threshold of a gate stands:
the candidate is worse by just the margin, so that a PASS is false, and it is as good as asked, so that a FAIL is. Pairs
are turned so that the candidate loses. Worlds of values are single systems, for rules on a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from rankproof.proving.bounded_mean import Weighted, gaffke_p
from rankproof.proving.significance.t_or_gaffke import changed_queries, degrees_of_freedom, enough_changed

from .worlds import FOLDER, Rate, Values, drawn

FILES = {
    "AP": "adhoc6_ap.csv",
    "P@10": "adhoc6_p10.csv",
    "RR": "adhoc6_rr.csv",
    "ERR@20": "web2010_err20.csv",
    "nDCG@20": "web2010_ndcg20.csv",
}
MEASURES = (*FILES, "hit")
UNCHANGED = (0.0, 0.4, 0.6, 0.8, 0.95)
ALPHA = 0.05
SEED = 13
# A threshold this many standard errors from the truth is met by a t test about 80% of the time.
FAR = 2.5

NONE = Rate()
Method = Literal["default", "t", "gaffke"]


@dataclass(frozen=True)
class SparseWorld:
    """What one query can give, all topics alike: the changes of a pair, or the values of a system."""

    measure: str
    changes: Values
    worst: float  # the least that one query can give: -1 of a change, 0 of a value

    @property
    def truth(self) -> float:
        """The mean."""
        return float(self.changes.mean())


@dataclass(frozen=True)
class Answers:
    """What became of query sets drawn from worlds.

    passes, fails   false: at a threshold that is just missed, just met
    covers          two-sided 95% intervals that hold the truth
    power           thresholds that truly are met by FAR standard errors, passed; and those missed by as much, failed
    """

    passes: Rate = NONE
    fails: Rate = NONE
    covers: Rate = NONE
    power_to_pass: Rate = NONE
    power_to_fail: Rate = NONE

    def __add__(self, other: Answers) -> Answers:
        return Answers(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))


def scores(folder: Path = FOLDER) -> dict[str, Values]:
    """The scores by measure, topics by systems; and whether one of ten is a hit, 0 or 1."""
    found = {name: np.loadtxt(folder / file, delimiter=",", skiprows=1) for name, file in FILES.items()}
    found["hit"] = (found["P@10"] > 0).astype(np.float64)
    return found


def sparse_worlds(
    by_measure: Mapping[str, Values], pairs: int, unchanged: float, seed: int = SEED
) -> Iterator[SparseWorld]:
    """So many pairs of systems of each measure that differ, with that share of the topics set to 0."""
    for measure, values in by_measure.items():
        rng = np.random.default_rng([seed, int(100 * unchanged), MEASURES.index(measure)])
        left = pairs
        while left:
            first, second = rng.choice(values.shape[1], 2, replace=False)
            changes = values[:, second] - values[:, first]
            changes[rng.permutation(len(changes))[: round(unchanged * len(changes))]] = 0.0
            if abs(changes.mean()) < 1e-9:
                continue
            left -= 1
            yield SparseWorld(measure, -changes if changes.mean() > 0 else changes, -1.0)


def value_worlds(by_measure: Mapping[str, Values]) -> Iterator[SparseWorld]:
    """The values of every system, for each measure."""
    for measure, values in by_measure.items():
        for system in range(values.shape[1]):
            yield SparseWorld(measure, values[:, system], 0.0)


def answers(world: SparseWorld, n: int, trials: int, rng: np.random.Generator, method: Method = "default") -> Answers:
    """What the default gate does with query sets of n topics of one world."""
    samples = drawn(world.changes, n, trials, rng)
    far = FAR * float(world.changes.std()) / np.sqrt(n)
    truth, best = world.truth, 1.0

    def counted(threshold: float, side: str, alpha: float = ALPHA, two_sided: bool = False) -> Rate:
        turned = (samples, threshold, world.worst) if side == "above" else (-samples, -threshold, -best)
        return Rate(int(rejects(*turned, alpha=alpha, two_sided=two_sided, method=method).sum()), trials)

    misses = [counted(truth, side, ALPHA / 2, two_sided=True).hits for side in ("above", "below")]
    return Answers(
        passes=counted(truth, "above"),
        fails=counted(truth, "below"),
        covers=Rate(trials - sum(misses), trials),
        power_to_pass=counted(truth - far, "above"),
        power_to_fail=counted(truth + far, "below"),
    )


def rejects(
    samples: Values, threshold: float, worst: float, *, alpha: float = ALPHA, two_sided: bool = False,
    method: Method = "default",
) -> np.ndarray:  # fmt: skip
    """Whether the lower bound of a method lies above the threshold, for each column.

    The same as asking the shelf for each column, which a test holds, and some ten times faster: no bound is searched
    for, and a mean on the wrong side of the threshold is not asked about.
    """
    from scipy.special import stdtr

    n = len(samples)
    spread = samples.std(axis=0, ddof=1)
    if method == "default":
        by_t = np.array([enough_changed(count, n) for count in changed_queries(samples).tolist()]) & (spread > 1e-12)
    else:
        by_t = spread > 1e-12 if method == "t" else np.zeros(samples.shape[1], dtype=bool)
    found = np.zeros(samples.shape[1], dtype=bool)
    plain = two_sided or method == "t"
    degrees = n - 1.0 if plain else degrees_of_freedom(samples[:, by_t])
    t = (samples[:, by_t].mean(axis=0) - threshold) / (spread[by_t] / np.sqrt(n))
    found[by_t] = stdtr(degrees, -t) <= alpha
    if method == "t":
        return found
    for at in np.flatnonzero(~by_t & (samples.mean(axis=0) > threshold)):
        found[at] = gaffke_p(Weighted.of(samples[:, at]), worst, threshold) <= alpha
    return found


def worst_pair(worlds: list[SparseWorld], n: int, trials: int, rng: np.random.Generator) -> Rate:
    """The world with the most false passes: found with a tenth of the trials, then measured with all of them anew."""
    short = [(answers_passes(world, n, trials // 10, rng).share, at) for at, world in enumerate(worlds)]
    return answers_passes(worlds[max(short)[1]], n, trials, rng)


def answers_passes(world: SparseWorld, n: int, trials: int, rng: np.random.Generator) -> Rate:
    """False passes only."""
    samples = drawn(world.changes, n, trials, rng)
    return Rate(int(rejects(samples, world.truth, world.worst).sum()), trials)
