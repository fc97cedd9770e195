"""Pairs of systems that mostly agree, made of real scores: what bounds promise where few queries change.

A sparse world is a pair of real systems whose differences are set to 0 on a random 60 to 95% of the topics: what a small
change of a search engine does. Its truth is the mean over all topics, and the margin of a gate is that mean: the
candidate is worse by just the margin, so that a PASS is false, and better by just the requirement, so that a FAIL is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankproof.proving.bounded_mean import Weighted, gaffke_p
from rankproof.proving.significance.t_or_gaffke import enough_changed

from .worlds import FOLDER, Rate, Values

FILES = {
    "AP": "adhoc6_ap.csv",
    "P@10": "adhoc6_p10.csv",
    "RR": "adhoc6_rr.csv",
    "ERR@20": "web2010_err20.csv",
    "nDCG@20": "web2010_ndcg20.csv",
}
UNCHANGED = (0.0, 0.6, 0.8, 0.95)
ALPHA = 0.05
SEED = 13


@dataclass(frozen=True)
class SparseWorld:
    """One pair: the change on all topics, turned so that the candidate loses; and how much of it was set to 0."""

    measure: str
    unchanged: float
    changes: Values

    @property
    def truth(self) -> float:
        """The mean change."""
        return float(self.changes.mean())


def scores(folder: Path = FOLDER) -> dict[str, Values]:
    """The scores by measure, topics by systems; and whether one of ten is a hit, 0 or 1."""
    found = {name: np.loadtxt(folder / file, delimiter=",", skiprows=1) for name, file in FILES.items()}
    found["hit"] = (found["P@10"] > 0).astype(np.float64)
    return found


def sparse_worlds(
    by_measure: Mapping[str, Values], pairs: int, unchanged: float, seed: int = SEED
) -> Iterator[SparseWorld]:
    """So many pairs of systems of each measure that differ, with that share of the topics set to 0."""
    rng = np.random.default_rng([seed, int(100 * unchanged)])
    for measure, values in by_measure.items():
        left = pairs
        while left:
            first, second = rng.choice(values.shape[1], 2, replace=False)
            changes = values[:, second] - values[:, first]
            changes[rng.permutation(len(changes))[: round(unchanged * len(changes))]] = 0.0
            if abs(changes.mean()) < 1e-9:
                continue
            left -= 1
            yield SparseWorld(measure, unchanged, -changes if changes.mean() > 0 else changes)


def false_answers(world: SparseWorld, n: int, trials: int, rng: np.random.Generator) -> tuple[Rate, Rate]:
    """How often the default gate passes at a margin that is truly just missed, and fails at one that is just met."""
    samples = world.changes[rng.integers(0, len(world.changes), (n, trials))]
    passes = _rejects(samples, world.truth, -1.0)
    fails = _rejects(-samples, -world.truth, -1.0)
    return Rate(int(passes.sum()), trials), Rate(int(fails.sum()), trials)


def _rejects(samples: Values, threshold: float, worst: float) -> np.ndarray:
    """Whether the lower bound of the default method lies above the threshold, for each column."""
    from scipy.special import stdtr

    n = len(samples)
    changed = np.count_nonzero(samples, axis=0)
    spread = samples.std(axis=0, ddof=1)
    by_t = np.array([enough_changed(int(count), n) for count in changed]) & (spread > 1e-12)
    found = np.zeros(samples.shape[1], dtype=bool)
    t = (samples[:, by_t].mean(axis=0) - threshold) / (spread[by_t] / np.sqrt(n))
    found[by_t] = stdtr(n - 1, -t) <= ALPHA
    # A mean on the wrong side of the threshold is never rejected.
    for at in np.flatnonzero(~by_t & (samples.mean(axis=0) > threshold)):
        found[at] = gaffke_p(Weighted.of(samples[:, at]), worst, threshold) <= ALPHA
    return found
