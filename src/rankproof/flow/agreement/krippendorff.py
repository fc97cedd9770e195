"""Krippendorff's alpha: how far any number of judges agree, with grades missing where they may.

1 - observed over expected disagreement, where the disagreement of two grades is 1 (nominal), the square of how many
grades were given between them (ordinal), or the square of their difference (interval). A pair with one grade says
nothing.

source: Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011, sections C and D
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.agreement.leaving import Sums, Value, divided

KINDS = ("nominal", "ordinal", "interval")
UNDEFINED = "only one grade was given, so there is no disagreement that chance could give"


def counts_of(grades: NDArray[np.int64], given: NDArray[np.bool_], levels: tuple[int, ...]) -> NDArray[np.float64]:
    """How often each grade was given to each pair."""
    found = np.zeros((len(grades), len(levels)))
    for at, level in enumerate(levels):
        found[:, at] = ((grades == level) & given).sum(axis=1)
    return found


def coincidences(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each pair with m > 1 grades: how often two grades meet in it, over m - 1."""
    sizes = counts.sum(axis=1)
    met = counts[:, :, None] * counts[:, None, :]
    met -= np.eye(counts.shape[1]) * counts[:, :, None]
    return np.asarray(met / np.maximum(sizes - 1, 1)[:, None, None])


def alpha(levels: tuple[int, ...], kind: str) -> Value:
    """The statistic of matrices of coincidences; nan where no disagreement is expected."""
    at = np.asarray(levels, dtype=np.float64)

    def of(matrices: Sums) -> NDArray[np.float64]:
        totals = matrices.sum(axis=-1)
        n = totals.sum(axis=-1)
        if kind == "ordinal":
            # (sum of n_g for g from c to k, less half of both ends)^2: as differences of cumulative middles.
            middles = np.cumsum(totals, axis=-1) - totals / 2
            apart = (middles[:, :, None] - middles[:, None, :]) ** 2
        elif kind == "interval":
            apart = np.broadcast_to((at[:, None] - at[None, :]) ** 2, matrices.shape)
        else:
            apart = np.broadcast_to((at[:, None] != at[None, :]).astype(np.float64), matrices.shape)
        seen = (matrices * apart).sum(axis=(-2, -1)) * (n - 1)
        chance = np.einsum("bi,bj,bij->b", totals, totals, apart)
        return 1 - divided(seen, chance)

    return of
