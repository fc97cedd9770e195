"""Cohen's kappa: how far two judges agree beyond what their own habits would give by chance.

Plain kappa counts every disagreement the same; with linear weights it counts by how many grades two words are apart,
with quadratic ones by the square of that. 1 is perfect, 0 is what chance gives, below 0 is worse than chance.

source: Cohen, A coefficient of agreement for nominal scales, 1960; Cohen, Weighted kappa, 1968
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.agreement.leaving import Sums, divided

UNDEFINED = "both judges gave one and the same grade only, so there is no disagreement that chance could give"


def confusions(first: NDArray[np.int64], second: NDArray[np.int64], levels: tuple[int, ...]) -> NDArray[np.float64]:
    """For each pair the matrix with a 1 where the grade of the first meets the grade of the second."""
    places = np.asarray(levels)
    found = np.zeros((len(first), len(levels), len(levels)))
    found[np.arange(len(first)), np.searchsorted(places, first), np.searchsorted(places, second)] = 1.0
    return found


def distances(levels: tuple[int, ...], weights: str) -> NDArray[np.float64]:
    """How much each disagreement counts. Grades are numbers: 0 and 3 are three apart though nobody gave 1 or 2."""
    at = np.asarray(levels, dtype=np.float64)
    apart = np.abs(at[:, None] - at[None, :])
    if weights == "none":
        return (apart > 0).astype(np.float64)
    return apart if weights == "linear" else apart**2


def kappa(matrices: Sums, distance: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 - observed over expected disagreement, of each matrix; nan where none is expected.

    >>> float(kappa(np.array([[[20.0, 5.0], [10.0, 15.0]]]), distances((0, 1), "none"))[0])
    0.4
    """
    count = matrices.sum(axis=(-2, -1))
    seen = (matrices * distance).sum(axis=(-2, -1)) * count
    rows, columns = matrices.sum(axis=-1), matrices.sum(axis=-2)
    chance = np.einsum("...i,...j,ij->...", rows, columns, distance)
    return 1 - divided(seen, chance)
