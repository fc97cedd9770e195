"""Fleiss' kappa: how far several judges agree beyond chance, when each pair has the same number of grades.

The judges of one pair need not be those of another. Chance is what the grades' overall shares would give.

source: Fleiss, Measuring nominal scale agreement among many raters, Psychological Bulletin 76(5), 1971
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.agreement.leaving import Sums, divided

UNDEFINED = "only one grade was given, so there is no disagreement that chance could give"


def usual(counts: NDArray[np.float64]) -> int:
    """The number of grades that most pairs have, at least two; the greater of two equally usual; 0 where none has."""
    sizes = counts.sum(axis=1).astype(np.int64)
    several = sizes[sizes >= 2]
    if not len(several):
        return 0
    often = np.bincount(several)
    return int(len(often) - 1 - np.argmax(often[::-1]))


def sums_of(counts: NDArray[np.float64], grades: int) -> NDArray[np.float64]:
    """For each pair: 1, its share of agreeing judges, and how often each grade was given."""
    agreeing = (counts * (counts - 1)).sum(axis=1) / (grades * (grades - 1))
    return np.column_stack([np.ones(len(counts)), agreeing, counts])


def fleiss(sums: Sums) -> NDArray[np.float64]:
    """(P - Pe) / (1 - Pe): equations 3 to 7 of the paper; nan where only one grade occurs."""
    agreeing = sums[:, 1] / np.maximum(sums[:, 0], 1e-300)
    totals = sums[:, 2:]
    shares = totals / np.maximum(totals.sum(axis=1, keepdims=True), 1e-300)
    chance = (shares**2).sum(axis=1)
    return divided(agreeing - chance, 1 - chance)
