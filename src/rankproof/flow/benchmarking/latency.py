"""Latency: percentiles of single queries by nearest rank, as the gate has them: times that were really seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.records.benchmark import Latency
from rankproof.rules._percentile import nearest_rank


def latency_of(milliseconds: NDArray[np.float64]) -> Latency:
    """Percentiles over the queries that were asked now; those whose answer was kept have no time."""
    asked = milliseconds[np.isfinite(milliseconds)]
    if not len(asked):
        return Latency(0)
    p50, p95, p99 = (nearest_rank(asked, share) for share in (0.5, 0.95, 0.99))
    return Latency(len(asked), p50, p95, p99, float(asked.max()))
