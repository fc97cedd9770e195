"""Most: the greatest value, or difference of two values, by query, and whether some grades reach it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.measures._contract import Values


@dataclass(frozen=True, slots=True, eq=False)
class Most:
    """For each query, the greatest value of one run less that of another; `exact` where some grades reach it.

    Every bound is one of these: a value's greatest is that of the run less nothing, its least that of nothing
    less the run, with the sign turned, and a difference's least is that of the runs the other way around.
    """

    value: Values
    exact: NDArray[np.bool_]

    @classmethod
    def reached(cls, value: Values) -> Most:
        """Reached for every query."""
        return cls(value, np.ones(len(value), dtype=bool))
