"""Bootstrap resamples: n queries drawn with replacement, as how often each query was drawn."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

CHUNK = 2_000_000  # resamples x queries at a time: 16 MB of counts


class Resamples:
    """`count` resamples of n queries, shared by all columns, and the same each time.

    Queries are drawn one after the other from `rng`, as scipy.stats.bootstrap draws them: from the same
    generator both see the same resamples.
    """

    def __init__(self, n: int, count: int, rng: np.random.Generator) -> None:
        self._n, self._count, self._rng = n, count, rng
        self._begin = copy.deepcopy(rng)

    def __len__(self) -> int:
        return self._count

    def sums(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """Columns by resamples: the sum of each column over each resample."""
        rows = np.ascontiguousarray(columns.T)
        sums = np.empty((len(rows), self._count))
        start = 0
        for drawn in self._drawn():
            sums[:, start : start + len(drawn)] = rows @ drawn.T
            start += len(drawn)
        return sums

    def _drawn(self) -> Iterator[NDArray[np.float64]]:
        draw, step = copy.deepcopy(self._begin), max(1, CHUNK // self._n)
        for start in range(0, self._count, step):
            size = min(step, self._count - start)
            cells = draw.integers(0, self._n, (size, self._n)) + self._n * np.arange(size)[:, None]
            counts = np.bincount(cells.ravel(), minlength=size * self._n)
            yield counts.reshape(size, self._n).astype(np.float64)
        # The next user of this generator gets other resamples.
        self._rng.bit_generator.state = draw.bit_generator.state
