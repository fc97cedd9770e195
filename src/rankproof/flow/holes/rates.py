"""Judged rates: which share of each run's first documents somebody judged, and whether the sides differ clearly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankproof.flow.prepared import PreparedRun
from rankproof.measures.judged import OFFERS
from rankproof.records import views
from rankproof.records.order import DEFAULT_ORDER

(_JUDGED,) = OFFERS

# Half a document of ten for each query. It is a fact about these queries and no estimate, so that no test is asked
# whether it is chance; and half a document in the first ten is about as much as a usual gain in P@10.
CLEAR = 0.05


def judged_rates(runs: Sequence[PreparedRun], k: int, depth: int | None = None) -> tuple[float, ...]:
    """Judged@k of each run, mean over the judged queries."""
    variant = _JUDGED.variant(k)
    tables = [run.table(DEFAULT_ORDER) for run in runs]
    if depth is not None:
        tables = [views.cut(table, depth) for table in tables]
    return tuple(float(np.mean(_JUDGED.compute(table, variant))) if len(table) else 0.0 for table in tables)


def warning(names: Sequence[str], rates: Sequence[float], k: int) -> str:
    """A sentence when a candidate is judged to another degree than the baseline; of several, the farthest."""
    gaps = [rate - rates[0] for rate in rates[1:]]
    far = max(range(len(gaps)), key=lambda i: abs(gaps[i]), default=None)
    if far is None or abs(gaps[far]) <= CLEAR:
        return ""
    less, more = (names[far + 1], names[0]) if gaps[far] < 0 else (names[0], names[far + 1])
    low, high = sorted((rates[far + 1], rates[0]))
    return (
        f"Of the first {k} documents, {low:.0%} of {less} are judged and {high:.0%} of {more}: unjudged documents "
        f"count as not relevant, so {less} may look worse than it is."
    )
