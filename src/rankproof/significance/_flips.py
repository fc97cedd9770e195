"""Sign flips as subsets: for each flip, the mean difference over the queries it flips.

Turning the signs of the subset F changes the sum of (d - delta) by twice the sum over F, so the flipped sum is at least
the observed one exactly when the mean of d over F is at most delta. All a sign-flip test has to know about a flip is
therefore that one mean, whatever delta is; Hartigan (1969) calls these means typical values.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rankproof.significance._typical import Counted

CHUNK = 2_000_000  # flips x queries at a time: 16 MB of weights


class Flips:
    """All subsets of n queries, or random ones: shared by every column they are asked about.

    `len` is how many of them have a query, and so a mean; the others, and the observed order itself, count on
    both sides whatever the tested mean is.
    """

    def __init__(self, n: int, resamples: int, chance: np.random.Generator) -> None:
        self._n = n
        self._exact = n < 63 and 2**n <= resamples
        drawn = 2**n if self._exact else resamples
        step = max(1, CHUNK // n)
        self._starts = range(0, drawn, step)
        self._stops = [min(start + step, drawn) for start in self._starts]
        # A seed for each chunk, so that a chunk can be drawn again and the weights need not be kept.
        self._seeds = [] if self._exact else chance.integers(2**63, size=len(self._starts)).tolist()
        chunks = range(len(self._starts))
        self._count = sum(int(np.count_nonzero(self._members(chunk).any(axis=1))) for chunk in chunks)
        empty = drawn - self._count
        # Every flip was gone through, the observed one among them; or they were drawn, and it comes on top
        # (Phipson and Smyth, Permutation p-values should never be zero, 2010).
        self.counted = Counted(drawn, empty, None) if self._exact else Counted(drawn + 1, empty + 1, drawn)

    def __len__(self) -> int:
        return self._count

    def means(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """Columns by flips: the mean of each column over the queries of each subset that has any."""
        rows = np.ascontiguousarray(columns.T)
        found = np.empty((len(rows), self._count))
        start = 0
        for weights in self._weights():
            found[:, start : start + len(weights)] = rows @ weights.T
            start += len(weights)
        return found

    def _weights(self) -> Iterator[NDArray[np.float64]]:
        for chunk in range(len(self._starts)):
            members = self._members(chunk).astype(np.float64)
            sizes = members.sum(axis=1)
            if not sizes.all():
                members, sizes = members[sizes > 0], sizes[sizes > 0]
            members /= sizes[:, None]
            yield members

    def _members(self, chunk: int) -> NDArray[np.uint8]:
        start, stop = self._starts[chunk], self._stops[chunk]
        if self._exact:
            return (np.arange(start, stop)[:, None] >> np.arange(self._n) & 1).astype(np.uint8)
        draw = np.random.default_rng(self._seeds[chunk])
        packed = draw.integers(0, 256, (stop - start, (self._n + 7) // 8), dtype=np.uint8)
        return np.unpackbits(packed, axis=1, count=self._n)
