"""Aggregate: one number from the values of all queries."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

# Least value of a query in a geometric mean, as in trec_eval: one zero must not wipe out the rest.
GEOMETRIC_FLOOR = 1e-5


def aggregate(values: NDArray[np.float64], how: str) -> float:
    """One number for all queries; NaN for no query at all. fsum: the order of queries cannot matter."""
    if len(values) == 0:
        return math.nan
    if how == "sum":
        return math.fsum(values.tolist())
    if how == "geometric":
        logs = np.log(np.maximum(values, GEOMETRIC_FLOOR))
        return math.exp(math.fsum(logs.tolist()) / len(values))
    return math.fsum(values.tolist()) / len(values)
